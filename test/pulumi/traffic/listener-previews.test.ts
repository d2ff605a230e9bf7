import type { FleetListenersArgs } from '../../../lib/pulumi/traffic';
import { FleetListeners } from '../../../lib/pulumi/traffic';
import { register } from '../../pulumi-mocks';
import { fleetOf, loadBalancerArn, record, refused, types, value } from './samples';

const argsOf = (more: Partial<FleetListenersArgs>): FleetListenersArgs => ({
  fleet: fleetOf('blue', 'green'),
  loadBalancerArn,
  listeners: { web: { entry: 'web', port: 80, protocol: 'HTTP' } },
  weights: { blue: 100 },
  ...more,
});

const [web, admin] = [
  { entry: 'web', port: 80, protocol: 'HTTP' } as const,
  { entry: 'web', port: 8080, protocol: 'HTTP' } as const,
];
const urls = { web: 'http://www.example.com' };

test('the rules of previews are the last of each listener, before what it does by default', async () => {
  let made!: FleetListeners;
  const seen = await register(
    () =>
      (made = new FleetListeners(
        'apps',
        argsOf({
          listeners: { web, admin },
          previews: { header: 'x-slot', urls: { ...urls, admin: 'http://www.example.com:8080' } },
        }),
      )),
  );
  const rules = record(seen.ofType(types.rule));
  expect(Object.keys(rules).sort()).toEqual([
    'apps-admin-preview-blue',
    'apps-admin-preview-green',
    'apps-web-preview-blue',
    'apps-web-preview-green',
  ]);
  expect(rules['apps-web-preview-green']).toMatchObject({
    listenerArn: await value(made.listeners.web!.listener.arn),
    priority: 49_997,
    conditions: [{ httpHeader: { httpHeaderName: 'x-slot', values: ['green'] } }],
    actions: [{ type: 'forward', forward: { targetGroups: [{ arn: 'arn:tg/green-web', weight: 1 }] } }],
    tags: { 'cluster-canary/fleet': 'apps', 'cluster-canary/preview': 'green' },
  });
  expect(rules['apps-admin-preview-green']!.listenerArn).toBe(
    await value(made.listeners.admin!.listener.arn),
  );
  expect(await value(made.previews['web']!['green']!)).toBe(
    "curl http://www.example.com/ -H 'x-slot: green'",
  );
  expect(await value(made.plan)).toMatchObject({
    routes: {
      web: {
        slots: { green: { preview: { url: 'http://www.example.com/', headers: { 'x-slot': 'green' } } } },
      },
    },
  });
});

test('a host leads to a slot on the ports of all listeners', async () => {
  let made!: FleetListeners;
  const previews = { hosts: { green: 'green.example.com' } };
  await register(() => (made = new FleetListeners('apps', argsOf({ listeners: { web, admin }, previews }))));
  expect(await value(made.previews['admin']!['green']!)).toBe('curl http://green.example.com:8080/');
  expect(await value(made.previews['web']!['green']!)).toBe('curl http://green.example.com/');
});

const mqtt = { entry: 'web', port: 8883, protocol: 'TCP' } as const;
const defaultActions = [{ type: 'redirect' }];

test.each<[string, Partial<FleetListenersArgs>, string[]]>([
  [
    'connections',
    {
      loadBalancerArn: loadBalancerArn.replace('/app/', '/net/'),
      listeners: { mqtt },
      previews: { header: 'x-slot' },
    },
    ['previews'],
  ],
  ['no URL', { previews: { header: 'x-slot' } }, ['previews.urls.web']],
  [
    'actions of their own',
    {
      shift: false,
      listeners: { web: { ...web, listenerArgs: { defaultActions } } },
      previews: { header: 'x', urls },
    },
    ['listeners.web.listenerArgs.defaultActions'],
  ],
  [
    'unknown slots',
    { previews: { header: 'x', urls, values: { gren: 'a' } as never } },
    ['previews.values.gren'],
  ],
])('listeners of %s are refused', async (_what, more, paths) => {
  expect(await refused(() => new FleetListeners('apps', argsOf(more)))).toEqual(paths);
});
