import * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../../../lib/core/validation';
import type { FleetTrafficArgs, SlotPreviewsArgs } from '../../../lib/pulumi/traffic';
import { FleetListeners, FleetRecords, FleetTraffic } from '../../../lib/pulumi/traffic';
import type { FleetListenersArgs, FleetRecordsArgs } from '../../../lib/pulumi/traffic';
import { valueProblems } from '../../../lib/pulumi/traffic/previews-problems';
import { register } from '../../pulumi-mocks';
import { children, edge, fleetOf, listenerArn, refused, slotRef, types, value, web } from './samples';

const fleet = () => ({
  ...fleetOf(),
  slots: { blue: slotRef('blue', ['web', 'api']), green: slotRef('green', ['web', 'api']) },
  entries: { web: fleetOf().entries.web!, api: { namespace: 'api', service: 'api', port: 8080 } },
});

const api = { entry: 'api', hosts: ['api.example.com'], paths: ['/v1/*'], priority: 20 };

const argsOf = (previews: SlotPreviewsArgs, more: Partial<FleetTrafficArgs> = {}): FleetTrafficArgs => ({
  ...{ fleet: fleet(), edge, routes: { web }, weights: { blue: 100 } },
  previews,
  ...more,
});

const made = async (args: FleetTrafficArgs) => {
  let traffic!: FleetTraffic;
  const seen = await register(() => (traffic = new FleetTraffic('apps', args)));
  const previews = seen.ofType(types.rule).filter(({ name }) => name.includes('-preview-'));
  return { seen, traffic, rules: Object.fromEntries(previews.map((rule) => [rule.name, rule])) };
};

const linesOf = async ({ previews }: FleetTraffic) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(previews).map(async ([route, slots]) => [
        route,
        Object.fromEntries(
          await Promise.all(Object.entries(slots).map(async ([slot, line]) => [slot, await value(line)])),
        ),
      ]),
    ),
  );

const forwardTo = (group: string) => [
  { type: 'forward', forward: { targetGroups: [{ arn: `arn:tg/${group}`, weight: 1 }] } },
];
const host = (...values: string[]) => ({ hostHeader: { values } });
const path = (...values: string[]) => ({ pathPattern: { values } });
const asks = (httpHeaderName: string, ...values: string[]) => ({ httpHeader: { httpHeaderName, values } });

describe('a header leads to each slot', () => {
  test('by a rule right before that of the route', async () => {
    const { seen, traffic, rules } = await made(argsOf({ header: 'x-slot' }, { tags: { team: 'web' } }));
    expect(children(seen, seen.one(types.traffic))).toEqual([
      'ListenerRule apps-web-preview-blue',
      'ListenerRule apps-web-preview-green',
      'SecurityGroupIngressRule apps-blue-9898',
      'SecurityGroupIngressRule apps-green-9898',
      'WeightedRule apps-web',
    ]);
    const { inputs, dependencies } = rules['apps-web-preview-green']!;
    expect(inputs).toEqual({
      listenerArn,
      priority: 6,
      conditions: [host('www.example.com'), asks('x-slot', 'green')],
      actions: forwardTo('green-web'),
      tags: {
        'cluster-canary/fleet': 'apps',
        'cluster-canary/preview': 'green',
        'cluster-canary/rule': 'project/stack/apps-web-preview-green',
        team: 'web',
      },
    });
    expect(dependencies).toEqual(seen.ofType(types.ingress).map(({ urn }) => urn));
    expect(rules['apps-web-preview-blue']!.inputs).toMatchObject({
      priority: 5,
      actions: forwardTo('blue-web'),
    });
    expect(traffic.previewRules).toHaveLength(2);
    expect(await linesOf(traffic)).toEqual({
      web: {
        blue: "curl https://www.example.com/ -H 'x-slot: blue'",
        green: "curl https://www.example.com/ -H 'x-slot: green'",
      },
    });
  });

  test('beside all other conditions of each route', async () => {
    const { rules, traffic } = await made(
      argsOf(
        { header: 'x-slot', values: { green: 'beta' }, before: { blue: 1, green: 2 } },
        { routes: { web, api: { ...api, headers: { 'x-key': ['k*'] }, methods: ['GET'] } } },
      ),
    );
    expect(Object.keys(rules)).toHaveLength(4);
    expect(rules['apps-api-preview-green']!.inputs).toMatchObject({
      priority: 18,
      conditions: [
        host('api.example.com'),
        path('/v1/*'),
        { httpRequestMethod: { values: ['GET'] } },
        asks('x-key', 'k*'),
        asks('x-slot', 'beta'),
      ],
      actions: forwardTo('green-api'),
    });
    expect((await linesOf(traffic))['api']).toEqual({
      blue: "curl https://api.example.com/v1/ -H 'x-key: k' -H 'x-slot: blue'",
      green: "curl https://api.example.com/v1/ -H 'x-key: k' -H 'x-slot: beta'",
    });
  });

  test('beside raw conditions, which may be known later', async () => {
    const conditions = pulumi.output([{ pathPattern: { regexValues: ['^/a'] } }]);
    const { rules } = await made(
      argsOf(
        { header: 'x-slot', urls: { web: 'https://a.example.com:8443/a' } },
        { routes: { web: { entry: 'web', priority: 10, ruleArgs: { conditions, transforms: [] } } } },
      ),
    );
    expect(rules['apps-web-preview-green']!.inputs).toMatchObject({
      conditions: [{ pathPattern: { regexValues: ['^/a'] } }, asks('x-slot', 'green')],
      transforms: [],
    });
  });

  test('and changes nothing of the rules with the weights', async () => {
    const without = await register(() => new FleetTraffic('apps', { ...argsOf({}), previews: undefined }));
    const { seen } = await made(argsOf({ header: 'x-slot' }));
    const one = (all: typeof seen) => all.one(types.rule, 'apps-web');
    expect(one(seen).inputs).toEqual(one(without).inputs);
    expect(one(seen).urn).toBe(one(without).urn);
  });

  test('and stays where it is when a slot goes, or another comes', async () => {
    const priority = async (...slots: string[]) => {
      const { rules } = await made(
        argsOf({ header: 'x-slot' }, { fleet: fleetOf(...slots), weights: { green: 100 } }),
      );
      return rules['apps-web-preview-green']!.inputs.priority;
    };
    const all = [
      await priority('green'),
      await priority('blue', 'green'),
      await priority('green', 'blue'),
      await priority('blue', 'green', 'violet'),
    ];
    expect(new Set(all).size).toBe(1);
  });

  test.each([2, 3, 4, 5])('of %d slots, each at a priority of its own', async (count) => {
    const slots = ['a', 'f', 'k', 'p', 'u'].slice(0, count);
    const { rules } = await made(argsOf({ header: 'x' }, { fleet: fleetOf(...slots), weights: { a: 100 } }));
    const priorities = Object.values(rules).map(({ inputs }) => inputs.priority as number);
    expect(new Set(priorities).size).toBe(count);
    expect(priorities.every((each) => each >= 5 && each < 10)).toBe(true);
  });
});

test('a cookie leads to each slot, wherever it is among others', async () => {
  const { rules, traffic } = await made(argsOf({ cookie: 'slot' }));
  expect(rules['apps-web-preview-green']!.inputs.conditions).toEqual([
    host('www.example.com'),
    asks('Cookie', '*slot=green*'),
  ]);
  expect((await linesOf(traffic))['web']!.green).toBe(
    "curl https://www.example.com/ -H 'Cookie: slot=green'",
  );
});

describe('a host leads to each slot', () => {
  test('in place of those of the route', async () => {
    const { rules, traffic } = await made(
      argsOf({ hosts: { green: 'green.example.com' } }, { routes: { web: { ...web, paths: ['/shop/*'] } } }),
    );
    expect(Object.keys(rules)).toEqual(['apps-web-preview-green']);
    expect(rules['apps-web-preview-green']!.inputs.conditions).toEqual([
      path('/shop/*'),
      host('green.example.com'),
    ]);
    expect(await linesOf(traffic)).toEqual({ web: { green: 'curl https://green.example.com/shop/' } });
  });

  test('with one for each route where they differ in nothing else', async () => {
    const routes = { web, api: { ...api, paths: undefined } };
    const hosts = { green: { web: 'green.example.com', api: 'green-api.example.com' } };
    const urls = { web: 'https://www.example.com:8443' };
    const { rules, traffic } = await made(argsOf({ hosts, urls }, { routes }));
    expect(rules['apps-api-preview-green']!.inputs.conditions).toEqual([host('green-api.example.com')]);
    expect(await linesOf(traffic)).toEqual({
      web: { green: 'curl https://green.example.com:8443/' },
      api: { green: 'curl https://green-api.example.com/' },
    });
  });
});

describe('a secret value', () => {
  const secretive = (previews: SlotPreviewsArgs) => () =>
    argsOf({ ...previews, values: { green: pulumi.secret('hunter2') } });

  test.each<[string, () => FleetTrafficArgs, object, string, object]>([
    [
      'header',
      secretive({ header: 'x-slot' }),
      asks('x-slot', 'hunter2'),
      'curl https://www.example.com/ -H "x-slot: $PREVIEW_VALUE"',
      { 'x-slot': { env: 'PREVIEW_VALUE_GREEN' } },
    ],
    [
      'cookie',
      secretive({ cookie: 'slot' }),
      asks('Cookie', '*slot=hunter2*'),
      'curl https://www.example.com/ -H "Cookie: $PREVIEW_VALUE"',
      { Cookie: { env: 'PREVIEW_VALUE_GREEN' } },
    ],
  ])('of a %s stays one, and stands in no plan', async (_what, args, condition, line, headers) => {
    let traffic!: FleetTraffic;
    let isSecret: boolean[] = [];
    const seen = await register(async () => {
      traffic = new FleetTraffic('apps', args());
      const [blue, green] = traffic.previewRules;
      isSecret = await Promise.all([
        pulumi.isSecret(blue!.conditions),
        pulumi.isSecret(green!.conditions),
        pulumi.isSecret(traffic.previews['web']!['green']!),
        pulumi.isSecret(traffic.plan),
      ]);
    });
    expect(isSecret).toEqual([false, true, false, false]);
    const { conditions } = seen.one(types.rule, 'apps-web-preview-green').inputs;
    // What Pulumi wraps a secret in.
    expect(
      JSON.parse(JSON.stringify(conditions).replace(/\{"4dabf[^{}]*"value":("[^"]*")\}/g, '$1')),
    ).toEqual([host('www.example.com'), condition]);
    expect(JSON.stringify(conditions)).toMatch(/"4dabf[^{}]*hunter2/);
    expect(await value(traffic.previews['web']!['green']!)).toBe(line);
    const plan = await value(traffic.plan);
    expect(plan).toMatchObject({
      slots: {
        blue: { preview: { url: 'https://www.example.com/' } },
        green: { preview: { url: 'https://www.example.com/', headers } },
      },
    });
    expect(JSON.stringify(plan)).not.toContain('hunter2');
  });

  test('that a preview does not know yet is planned', async () => {
    const unknown = pulumi.secret(pulumi.unknown as unknown as string);
    const seen = await register(
      () => new FleetTraffic('apps', argsOf({ header: 'x-slot', values: { green: unknown } })),
      { preview: true },
    );
    expect(seen.one(types.rule, 'apps-web-preview-green').inputs.priority).toBe(6);
    expect(seen.one(types.rule, 'apps-web-preview-blue').inputs.conditions).toEqual([
      host('www.example.com'),
      asks('x-slot', 'blue'),
    ]);
  });
});

test.each<[string, readonly [string, unknown][], boolean, string[]]>([
  ['a wildcard', [['green', 'hunter*']], false, ['green']],
  ['a line break', [['green', 'hunter\n']], false, ['green']],
  ['nothing', [['green', '']], false, ['green']],
  ['81 characters', [['green', 'x'.repeat(81)]], false, ['green']],
  [
    'the value of another slot',
    [
      ['blue', 'hunter'],
      ['green', 'HUNTER'],
    ],
    false,
    ['green'],
  ],
  [
    'the beginning of another',
    [
      ['blue', 'hunter'],
      ['green', 'hunter2'],
    ],
    true,
    ['green'],
  ],
  [
    'another with that beginning',
    [
      ['blue', 'hunter2'],
      ['green', 'hunter'],
    ],
    true,
    ['green'],
  ],
  [
    'a beginning, of a header',
    [
      ['blue', 'hunter'],
      ['green', 'hunter2'],
    ],
    false,
    [],
  ],
  [
    'what is not known',
    [
      ['blue', pulumi.output('hunter')],
      ['green', 'hunter'],
    ],
    true,
    [],
  ],
])('a value that a deployment shows to be %s is refused, and not shown', (_what, values, isCookie, slots) => {
  const problems = valueProblems(values, isCookie);
  expect(problems.map(({ path }) => path)).toEqual(slots.map((slot) => `previews.values.${slot}`));
  expect(JSON.stringify(problems)).not.toMatch(/hunter/i);
});

test('a value that only a deployment knows, and that is no secret, stands in the plan', async () => {
  let traffic!: FleetTraffic;
  await register(
    () =>
      (traffic = new FleetTraffic('apps', argsOf({ header: 'x', values: { green: pulumi.output('beta') } }))),
  );
  expect(await value(traffic.plan)).toMatchObject({
    slots: { green: { preview: { headers: { x: 'beta' } } } },
  });
});

describe('previews are refused', () => {
  const conditions = [{ pathPattern: { values: ['/*'] } }];
  const actions = [{ type: 'redirect' }];
  test.each<[string, SlotPreviewsArgs, Partial<FleetTrafficArgs>, string[]]>([
    ['by nothing', {}, {}, ['previews']],
    ['by two', { header: 'x', cookie: 'y' }, {}, ['previews']],
    ['by hosts with values', { hosts: { green: 'a.b' }, values: { green: 'x' } }, {}, ['previews.values']],
    ['by the Host header', { header: 'Host' }, {}, ['previews.header']],
    ['by the Cookie header', { header: 'cookie' }, {}, ['previews.header']],
    ['by a header of browsers', { header: 'User-Agent' }, {}, ['previews.header']],
    ['by a header that load balancers drop', { header: 'x_slot' }, {}, ['previews.header']],
    ['by a header that is too long', { header: 'x'.repeat(41) }, {}, ['previews.header']],
    ["by the load balancer's cookie", { cookie: 'AWSALBTG' }, {}, ['previews.cookie']],
    ['by a cookie that is none', { cookie: 'a=b' }, {}, ['previews.cookie']],
    [
      'for slots that there are not',
      { header: 'x', values: { gren: 'a' }, before: { blu: 1 } },
      {},
      ['previews.values.gren', 'previews.before.blu'],
    ],
    [
      'for routes that there are not',
      { header: 'x', routes: ['wbe'], urls: { web: 'https://a.b' } },
      {},
      ['previews.routes[0]', 'previews.urls.web'],
    ],
    ['with a wildcard', { header: 'x', values: { green: 'a*' } }, {}, ['previews.values.green']],
    ['with a value of two slots', { header: 'x', values: { green: 'BLUE' } }, {}, ['previews.values.green']],
    [
      'with a cookie that begins as another',
      { cookie: 'x', values: { green: 'blue-2' } },
      {},
      ['previews.values.green'],
    ],
    [
      'with a cookie that ends a line',
      { cookie: 'x', values: { green: 'a;b' } },
      {},
      ['previews.values.green'],
    ],
    [
      'with the same place twice',
      { header: 'x', before: { blue: 2, green: 2 } },
      {},
      ['previews.before.green'],
    ],
    ['with a URL that is none', { header: 'x', urls: { web: 'www.example.com' } }, {}, ['previews.urls.web']],
    ['with a wildcard for a host', { hosts: { green: '*.example.com' } }, {}, ['previews.hosts.green']],
    ['with the host of visitors', { hosts: { green: 'WWW.example.com' } }, {}, ['previews.hosts.green']],
    [
      'with one host for two slots',
      { hosts: { blue: 'a.b.c', green: 'A.b.c' } },
      {},
      ['previews.hosts.green'],
    ],
    [
      'with one host for two routes',
      { hosts: { green: 'green.example.com' } },
      { routes: { web, api: { ...api, paths: undefined } } },
      ['previews.hosts.green'],
    ],
    [
      'where no number is left',
      { header: 'x' },
      { routes: { web: { ...web, priority: 4 } } },
      ['routes.web.priority', 'routes.web.priority'],
    ],
    [
      'where another route has the number',
      { header: 'x', before: { blue: 1, green: 2 } },
      { routes: { web, api: { ...api, priority: 12 } } },
      ['routes.api.priority'],
    ],
    [
      'where they would come before another route',
      { header: 'x', before: { blue: 1, green: 3 }, routes: ['api'] },
      { routes: { web, api: { ...api, priority: 12 } } },
      ['routes.api.priority'],
    ],
    [
      'beside actions',
      { header: 'x' },
      { shift: false, routes: { web: { ...web, ruleArgs: { actions } } } },
      ['routes.web.ruleArgs.actions'],
    ],
    [
      'beside a query string',
      { header: 'x' },
      { routes: { web: { ...web, queryStrings: [{ value: 'a' }] } } },
      ['routes.web.queryStrings'],
    ],
    [
      'beside the same header',
      { header: 'x' },
      { routes: { web: { ...web, headers: { X: ['a'] } } } },
      ['routes.web.headers.X'],
    ],
    [
      'beside a cookie',
      { cookie: 'x' },
      { routes: { web: { ...web, headers: { cookie: ['a'] } } } },
      ['routes.web.headers.cookie'],
    ],
    [
      'beside five values',
      { header: 'x' },
      { routes: { web: { ...web, paths: ['/a', '/b', '/c'], methods: ['GET'] } } },
      ['routes.web.conditions'],
    ],
    [
      'beside four wildcards',
      { cookie: 'x' },
      { routes: { web: { ...web, paths: ['/*/*', '/*/*/a'] } } },
      ['routes.web.conditions'],
    ],
    [
      'where nobody knows the host',
      { header: 'x' },
      { routes: { web: { entry: 'web', paths: ['/*'], priority: 10 } } },
      ['previews.urls.web'],
    ],
    [
      'where hosts are wildcards',
      { header: 'x' },
      { routes: { web: { ...web, hosts: ['*.example.com'] } } },
      ['previews.urls.web'],
    ],
    [
      'where conditions are raw',
      { header: 'x' },
      { routes: { web: { ...web, ruleArgs: { conditions } } } },
      ['previews.urls.web'],
    ],
  ])('%s', async (_what, previews, more, paths) => {
    expect(await refused(() => new FleetTraffic('apps', argsOf(previews, more)))).toEqual(paths);
  });

  test('all at once, and without a value that may be a secret', async () => {
    let error!: InvalidInput;
    await register(() => {
      try {
        new FleetTraffic(
          'apps',
          argsOf({ header: 'x_y', values: { green: 'hunter2*' }, before: { blue: 0 } }),
        );
      } catch (thrown) {
        error = thrown as InvalidInput;
      }
    });
    expect(error).toBeInstanceOf(InvalidInput);
    expect(error.problems).toHaveLength(3);
    expect(error.message).not.toContain('hunter2');
  });

  test('at a priority that another component has', async () => {
    const other = { ...argsOf({}), previews: undefined, routes: { web: { ...web, priority: 5 } } };
    expect(
      await refused(
        () => new FleetTraffic('apps', argsOf({ header: 'x' })),
        () => new FleetTraffic('other', other),
      ),
    ).toEqual(['routes.web.priority']);
    expect(
      await refused(
        () => new FleetTraffic('other', other),
        () => new FleetTraffic('apps', argsOf({ header: 'x' })),
      ),
    ).toEqual(['routes.web.priority']);
  });

  test('where nothing sees a header', async () => {
    const previews = { header: 'x-slot' } as unknown as undefined;
    const listeners: FleetListenersArgs = {
      ...{ fleet: fleet(), weights: { blue: 100 }, previews },
      loadBalancerArn:
        'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/mqtt/50dc6c495c0c9188',
      listeners: { mqtt: { entry: 'web', port: 8883, protocol: 'TCP' } },
    };
    const records: FleetRecordsArgs = {
      ...{ zoneId: 'Z1D633PJN98FT9', names: ['www.example.com'], weights: { blue: 100 }, previews },
      targets: { blue: { values: { A: ['192.0.2.1'] } }, green: { values: { A: ['192.0.2.2'] } } },
    };
    expect(await refused(() => new FleetListeners('apps', listeners))).toEqual(['previews']);
    expect(await refused(() => new FleetRecords('apps', records))).toEqual(['previews']);
    expect(() => new FleetRecords('apps', records)).toThrow(/DNS sees no header/);
  });
});
