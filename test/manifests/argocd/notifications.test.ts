import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import type { NotificationSettings } from '../../../lib/manifests/argocd';
import {
  applicationNotification,
  jsonTemplate,
  notificationEntries,
  notificationField,
  notificationProblems,
  Notifications,
  notificationText,
  notificationTriggers,
  subscribeTo,
} from '../../../lib/manifests/argocd';
import { plainTemplate } from '../../../lib/manifests/argocd/notifications/templates';
import { goTemplate } from './go-template';
import { objectOf, pathsOf } from './synth';

const hook = { kind: 'webhook' as const, name: 'hook', url: 'https://hooks.example.com/argo' };
const settings: NotificationSettings = {
  services: [hook, { kind: 'slack', token: '$slack-token' }],
  templates: [applicationNotification('degraded', 'has degraded', ['hook'])],
  triggers: [notificationTriggers.degraded('degraded')],
  subscriptions: [
    { recipients: ['hook', 'slack:ops'], triggers: ['on-health-degraded'], selector: 'env=production' },
  ],
  secretName: 'argocd-notifications-secret',
};
const problems = (changed: object) =>
  notificationProblems({ ...settings, ...changed }).map(({ path }) => path);

describe('JSON bodies', () => {
  const nasty = fc
    .oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', '%', '\n', '{{', '}}', '$', '<', ' - ') }),
    )
    .map((text) => text.replace(/\p{Surrogate}/gu, ''));
  const field = notificationField('app.status.operationState.message');

  test('whatever an Application says, the body is the JSON that was asked for', () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (message, literal, key) => {
        const app = { status: { operationState: { message } } };
        const body = jsonTemplate({
          [key]: literal,
          message: field,
          nested: [{ text: notificationText([literal, literal], field) }, 1, true, null],
        });
        expect(JSON.parse(goTemplate(body, { app }))).toEqual({
          [key]: literal,
          message,
          nested: [{ text: literal + message + literal }, 1, true, null],
        });
      }),
    );
  });

  test('a plain text is written as it is', () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (message, before, after) => {
        const template = plainTemplate(notificationText([before, after], field));
        expect(goTemplate(template, { app: { status: { operationState: { message } } } })).toBe(
          before + message + after,
        );
        expect(goTemplate(plainTemplate(before), {})).toBe(before);
      }),
    );
  });

  test('what is not there is an empty text', () => {
    const data = { app: { metadata: {} }, context: {}, secrets: { 'a-b': 'tok' }, recipient: 'ops' };
    const read = (path: string | string[]) => goTemplate(jsonTemplate(notificationField(path)), data);
    expect(read('app.status.operationState.message')).toBe('""');
    expect(read(['app', 'metadata', 'annotations', 'example.com/owner'])).toBe('""');
    expect(read('context.argocdUrl')).toBe('""');
    expect(read('secrets.a-b')).toBe('"tok"');
    expect(read('recipient')).toBe('"ops"');
  });

  test('the ready template works for an Application without any status', () => {
    const entries = notificationEntries(settings);
    const { webhook, message } = JSON.parse(entries.templates['template.degraded']!);
    const app = { metadata: { name: 'blue-podinfo' }, spec: { destination: { name: 'apps-blue' } } };
    const context = { argocdUrl: 'https://argocd.example.com' };
    expect(webhook.hook.method).toBe('POST');
    expect(JSON.parse(goTemplate(webhook.hook.body, { app, context }))).toMatchObject({
      event: 'degraded',
      text: 'blue-podinfo has degraded (apps-blue): ',
      cluster: 'apps-blue',
      revision: '',
      url: 'https://argocd.example.com/applications/blue-podinfo',
    });
    expect(goTemplate(message, { app })).toBe('blue-podinfo has degraded (apps-blue): ');
  });
});

describe('entries of the ConfigMap', () => {
  test('are texts under the keys that the controller reads', () => {
    const { services, templates, triggers } = notificationEntries(settings);
    expect(Object.keys({ ...services, ...templates, ...triggers })).toEqual([
      'service.webhook.hook',
      'service.slack',
      'template.degraded',
      'trigger.on-health-degraded',
    ]);
    expect(JSON.parse(services['service.webhook.hook']!)).toEqual({
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      url: 'https://hooks.example.com/argo',
    });
    expect(JSON.parse(services['service.slack']!)).toEqual({ token: '$slack-token' });
  });

  test.each([
    ['left out', undefined, 'app.status.operationState?.syncResult?.revision'],
    ['given', 'app.metadata.name', 'app.metadata.name'],
    ['off', false as const, undefined],
  ])('a notification is sent once a revision where oncePer is %s', (_what, oncePer, written) => {
    const triggers = [{ name: 'a', conditions: [{ when: 'true', send: ['degraded'], oncePer }] }];
    const entries = notificationEntries({ ...settings, triggers }).triggers;
    expect(JSON.parse(entries['trigger.a']!)[0].oncePer).toBe(written);
  });

  test('a sync at an unchanged revision is told by the count that Argo CD keeps', () => {
    const [condition] = notificationTriggers.syncedAgain('again').conditions;
    expect(condition!.when).toBe(
      "app.status.operationState != nil and app.status.operationState.phase == 'Succeeded' and " +
        '(app.status.operationState.operation?.sync?.autoHealAttemptsCount ?? 0) > 0',
    );
    expect(notificationTriggers.syncFailed('failed').name).toBe('on-sync-failed');
  });

  test('the construct is the ConfigMap of Argo CD', () => {
    const { secretName: _, ...props } = settings;
    const object = objectOf((chart) => new Notifications(chart, 'notifications', props));
    expect(object).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'argocd-notifications-cm' } });
    expect(Object.values(object.data).every((value) => typeof value === 'string')).toBe(true);
    expect(JSON.parse(object.data.subscriptions)).toEqual(settings.subscriptions);
    expect(
      pathsOf((chart) => new Notifications(chart, 'a', { ...props, triggers: [], namespace: 'A' })),
    ).toEqual(['namespace', 'subscriptions[0].triggers[0]']);
  });
});

describe('refused', () => {
  test('credentials in plain text, which are not shown', () => {
    const found = notificationProblems({
      ...settings,
      services: [
        { ...hook, url: 'https://hooks.slack.com/services/hunter2' },
        { ...hook, name: 'b', url: 'https://hunter2@example.com' },
        { ...hook, name: 'c', headers: [{ name: 'Authorization', value: 'Bearer hunter2' }] },
        { ...hook, name: 'd', basicAuth: { username: 'a', password: 'hunter2' } },
        { kind: 'slack', token: 'hunter2' },
        { kind: 'email', host: 'smtp.example.com', port: 587, from: 'a@example.com', password: 'hunter2' },
        {
          kind: 'other',
          type: 'alertmanager',
          options: { basicAuth: { password: 'hunter2' }, targets: ['a'] },
        },
        {
          kind: 'other',
          type: 'opsgenie',
          options: {
            apiUrl: 'https://a.example.com',
            apiKeys: { team: 'hunter2', own: '$key' },
            routing_pat: 'hunter2',
          },
        },
      ],
    });
    expect(found.map(({ path }) => path)).toEqual([
      'services[0].url',
      'services[1].url',
      'services[2].headers[0].value',
      'services[3].basicAuth.password',
      'services[4].token',
      'services[5].password',
      'services[6].options.basicAuth.password',
      'services[7].options.apiKeys.team',
      'services[7].options.routing_pat',
    ]);
    expect(new InvalidInput('x', found).message).not.toContain('hunter2');
  });

  test.each([
    ['https://hooks.example.com/a', true],
    ['$hook-url', true],
    ['http://bot.ops.svc:8080/a', true],
    ['http://hooks.example.com', false],
    ['http://x.svc.example.com', false],
  ])('an address %s: %s', (url, accepted) => {
    expect(problems({ services: [{ ...hook, url }, settings.services[1]] }).length === 0).toBe(accepted);
  });

  test('what refers to nothing, and what stands twice', () => {
    expect(
      problems({
        services: [hook, hook],
        templates: [{ name: 'a' }, { name: 'b', webhook: { other: { method: 'PUSH', body: {} } } }],
        triggers: [
          {
            name: 'on.sync',
            conditions: [
              { when: ' ', send: ['c'] },
              { when: 'true', send: [] },
            ],
          },
          { name: 'none', conditions: [] },
        ],
        subscriptions: [{ recipients: ['mail:a'], triggers: [] }],
      }),
    ).toEqual([
      'templates[0]',
      'templates[1].webhook.other.method',
      'triggers[0].name',
      'triggers[0].conditions[0].when',
      'triggers[0].conditions[1].send',
      'triggers[1].conditions',
      'subscriptions[0].triggers',
      'services[1]',
      'templates[1].webhook.other',
      'triggers[0].conditions[0].send[0]',
      'subscriptions[0].recipients[0]',
    ]);
  });

  test('a reference to a Secret that nobody names', () => {
    expect(problems({ secretName: undefined })).toEqual(['secretName']);
    expect(problems({ secretName: undefined, services: [hook], subscriptions: [] })).toEqual([]);
  });
});

test('annotations subscribe, several recipients in one', () => {
  expect(
    subscribeTo(
      { trigger: 'on-sync-failed', service: 'slack', recipients: ['a', 'b'] },
      { trigger: 'on-sync-failed', service: 'slack', recipients: ['c'] },
      { trigger: 'on-sync-failed', service: 'hook' },
    ),
  ).toEqual({
    'notifications.argoproj.io/subscribe.on-sync-failed.slack': 'a;b;c',
    'notifications.argoproj.io/subscribe.on-sync-failed.hook': '',
  });
  expect(() => subscribeTo({ trigger: 'on.sync', service: 's', recipients: ['a;b'] })).toThrow(
    /subscriptions\[0\]\.trigger[^]*subscriptions\[0\]\.recipients\[0\]/,
  );
});
