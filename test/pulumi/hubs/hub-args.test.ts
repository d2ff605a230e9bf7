import * as pulumi from '@pulumi/pulumi';
import type { ArgoCdHubArgs } from '../../../lib/pulumi/hubs';
import { ArgoCdHub } from '../../../lib/pulumi/hubs';
import { fleetOf, slotRef } from './fleets';
import { refusalOf } from './refusal';

test('what is not of its type is refused by its place, without what may be secret', async () => {
  const promise = Promise.resolve('hunter2');
  const wrong = {
    fleet: { ...fleetOf('hub', 'a', 'b'), slots: { a: 7, b: slotRef('hub-b') } },
    manages: [promise],
    tags: { team: pulumi.output('a') },
    lost: 'hunter2',
    size: { cluster: 2, applications: '10' },
    handover: { settle: 30 },
    repositories: [
      { name: 'a', url: 'https://a.example.com', credential: 'hunter2' },
      { name: 'b', url: 7, pasword: 'hunter2' },
    ],
    credentialTemplates: { url: 'https://a.example.com', credential: { password: 'hunter2' } },
    targetNamespaces: ['Kube'],
    identity: promise,
    addonSteps: 'yes',
    values: ['hunter2'],
    sso: {
      dex: {
        connectors: [{ type: 'ldap', id: 'l', name: 'L', config: { a: [promise], bindPW: 'hunter2' } }],
      },
    },
    groups: { ops: 'root' },
    notifications: { services: [{ kind: 'slack', tokn: 'hunter2' }], templates: [], triggers: [] },
    timeoutSeconds: 0,
    roleArgs: () => 'hunter2',
  };
  const { message } = await refusalOf(() => new ArgoCdHub('hub', wrong as unknown as ArgoCdHubArgs));
  const places = message
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(': ')[0]);
  expect(places).toEqual([
    ...['fleet.slots.a', 'manages[0]', 'repositories[0].credential', 'repositories[1].pasword'],
    ...['repositories[1].url', 'credentialTemplates', 'targetNamespaces[0]', 'tags.team', 'roleArgs'],
    ...['sso.dex.connectors[0].config.a[0]', 'sso.dex.connectors[0].config.bindPW', 'groups.ops'],
    ...[
      'notifications.services[0].tokn',
      'notifications.services[0].token',
      'values',
      'timeoutSeconds',
      'size.cluster',
      'size.applications',
    ],
    ...['handover.settle', 'lost', 'addonSteps', 'identity', 'domain'],
  ]);
  expect(message).toContain('size.cluster: unknown key, did you mean "clusters"?');
  expect(message).toContain('identity: a Promise, known only during a deployment');
  expect(message.replace(/lost: .*/, '')).not.toContain('hunter2');
});
