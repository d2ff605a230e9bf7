import * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../../../lib/core/validation';
import type { EdgeRef, FleetTrafficArgs, WeightedRuleArgs } from '../../../lib/pulumi/traffic';
import { FleetTraffic, WeightedAlb, WeightedRule } from '../../../lib/pulumi/traffic';
import { register } from '../../pulumi-mocks';
import {
  types,
  listenerArn,
  loadBalancerArn,
  edge,
  albArgs,
  slotRef,
  fleetOf,
  web,
  refused,
} from './samples';

describe('a load balancer', () => {
  test.each<[string, string, Record<string, unknown>, string[]]>([
    ['a name of 25 characters', 'a'.repeat(25), {}, ['name']],
    ['a name that ends in a hyphen', 'edge-', {}, ['name']],
    ['a name with a dot', 'my.edge', {}, ['name']],
    ['a name that AWS keeps for itself', 'internal-edge', {}, ['name']],
    ['a name that no security group may have', 'sg-edge', {}, ['name']],
    ['one subnet', 'edge', { subnetIds: ['subnet-a'] }, ['subnetIds']],
    ['no certificate', 'edge', { certificateArn: undefined }, ['certificateArn']],
    ['no network', 'edge', { vpcId: undefined, subnetIds: undefined }, ['vpcId', 'subnetIds']],
    ['an internal one without networks', 'edge', { internal: true }, ['cidrs']],
    ['networks that are none', 'edge', { cidrs: ['10.0.0.1/8', 'anywhere'] }, ['cidrs[0]', 'cidrs[1]']],
    ['a network twice', 'edge', { cidrs: ['10.0.0.0/8', '10.0.0.0/8'] }, ['cidrs[1]']],
    ['unknown addresses', 'edge', { ipAddressType: 'ipv6' }, ['ipAddressType']],
    [
      'public addresses for an internal one',
      'edge',
      { internal: true, cidrs: ['10.0.0.0/8'], ipAddressType: 'dualstack-without-public-ipv4' },
      ['ipAddressType'],
    ],
    ['no idle time', 'edge', { idleTimeoutSeconds: 0 }, ['idleTimeoutSeconds']],
    ['too long an idle time', 'edge', { idleTimeoutSeconds: 4001 }, ['idleTimeoutSeconds']],
    [
      'names that are none',
      'edge',
      { dns: { zoneId: 'Z', names: ['example', 'a.*.example.com', 'www.example.com.', 'A.example.com'] } },
      ['dns.names[0]', 'dns.names[1]', 'dns.names[2]', 'dns.names[3]'],
    ],
    [
      'a name twice',
      'edge',
      { dns: { zoneId: 'Z', names: ['www.example.com', 'www.example.com'] } },
      ['dns.names[1]'],
    ],
    [
      'a certificate without a good name',
      'edge',
      { additionalCertificateArns: { 'My Shop': 'arn:aws:acm:eu-west-1:123456789012:certificate/shop' } },
      ['additionalCertificateArns.My Shop'],
    ],
    [
      'ARNs and IDs of something else',
      'edge',
      {
        vpcId: 'shop',
        subnetIds: ['subnet-a', 'vpc-1'],
        certificateArn: '*.example.com',
        additionalCertificateArns: { shop: 'shop' },
        webAclArn: 'shop',
        dns: { zoneId: 'example.com', names: ['www.example.com'] },
      },
      [
        'certificateArn',
        'additionalCertificateArns.shop',
        'dns.zoneId',
        'webAclArn',
        'vpcId',
        'subnetIds[1]',
      ],
    ],
    [
      "tags of AWS and of the library's own, of no text",
      'edge',
      { tags: { 'aws:team': 'a', 'cluster-canary/fleet': 'b', cost: 5 } },
      ['tags.cost', 'tags.aws:team', 'tags.cluster-canary/fleet'],
    ],
    [
      'adoption of a Network Load Balancer',
      'edge',
      {
        vpcId: undefined,
        subnetIds: undefined,
        adopt: { loadBalancerArn: loadBalancerArn.replace('/app/', '/net/') },
      },
      ['adopt.loadBalancerArn'],
    ],
    [
      'adoption of a listener',
      'edge',
      { vpcId: undefined, subnetIds: undefined, adopt: { loadBalancerArn: edge.listenerArn } },
      ['adopt.loadBalancerArn'],
    ],
    [
      'adoption of nothing',
      'edge',
      { vpcId: undefined, subnetIds: undefined, adopt: {} },
      ['adopt.loadBalancerArn'],
    ],
    [
      'adoption with a network',
      'edge',
      { adopt: { loadBalancerArn, ipAddressType: 'x' }, internal: true },
      ['adopt.ipAddressType', 'vpcId', 'subnetIds', 'internal'],
    ],
    [
      'many faults',
      'Edge_',
      { subnetIds: [], internal: true, idleTimeoutSeconds: 1.5 },
      ['idleTimeoutSeconds', 'name', 'subnetIds', 'cidrs'],
    ],
  ])('is refused with %s', async (_what, name, args, paths) => {
    expect(await refused(() => new WeightedAlb(name, { ...albArgs, ...args }))).toEqual(paths);
  });

  test('with a name of 24 characters is accepted', async () => {
    const name = 'a'.repeat(24);
    const seen = await register(() => new WeightedAlb(name, albArgs));
    expect(seen.one(types.loadBalancer).name).toBe(name);
  });
});

describe('a weighted rule', () => {
  const args: WeightedRuleArgs = {
    edge,
    hosts: ['www.example.com'],
    priority: 10,
    targetGroupArns: {
      blue: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/blue/0123456789abcdef',
      green: pulumi.output(
        'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/green/0123456789abcdef',
      ),
    },
    weights: { blue: 90, green: 10 },
  };

  const groups = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `s${index}`,
        `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/s${index}/0123456789abcdef`,
      ]),
    );
  test.each<[string, Partial<WeightedRuleArgs>, string[]]>([
    ['no target group', { targetGroupArns: {}, weights: {} }, ['targetGroupArns', 'weights']],
    ['six target groups', { targetGroupArns: groups(6), weights: { s0: 100 } }, ['targetGroupArns']],
    ['weights of 90', { weights: { blue: 90 } }, ['weights']],
    ['a priority of 0', { priority: 0 }, ['priority']],
    ['a priority of 50001', { priority: 50001 }, ['priority']],
    ['no priority', { priority: undefined }, ['priority']],
    ['no stickiness of zero', { stickinessSeconds: 0 }, ['stickinessSeconds']],
    ['too long a stickiness', { stickinessSeconds: 604801 }, ['stickinessSeconds']],
    ['no conditions', { hosts: undefined }, ['conditions']],
    [
      'ARNs of something else',
      {
        targetGroupArns: { blue: 'web', green: loadBalancerArn },
        edge: { ...edge, listenerArn: loadBalancerArn },
      },
      ['targetGroupArns.blue', 'targetGroupArns.green', 'edge.listenerArn'],
    ],
    [
      'many faults',
      { weights: { blue: 1.5 }, priority: -1, stickinessSeconds: 0.5, paths: ['x'] },
      ['paths[0]', 'priority', 'stickinessSeconds', 'weights.blue'],
    ],
    ['no listener', { edge: { securityGroupIds: [] } as never }, ['edge.listenerArn']],
    ['null for a listener', { edge: { ...edge, listenerArn: null as never } }, ['edge.listenerArn']],
    ['an edge that is null', { edge: { ref: null as never } }, ['edge.ref']],
    ['a host that is no text', { hosts: [Object.create(null) as never] }, ['hosts[0]']],
    [
      'a query string that is no text',
      { queryStrings: [{ key: Object.create(null) as never, value: 'a' }] },
      ['queryStrings[0].key'],
    ],
  ])('is refused with %s', async (_what, more, paths) => {
    expect(await refused(() => new WeightedRule('web', { ...args, ...more }))).toEqual(paths);
  });

  test.each<[string, () => [EdgeRef | WeightedAlb, EdgeRef | WeightedAlb]]>([
    ['of one load balancer', () => [new WeightedAlb('edge', albArgs)].flatMap((alb) => [alb, alb]) as never],
    [
      'of a load balancer and its plain values',
      () => [new WeightedAlb('edge', albArgs)].flatMap((alb) => [alb, { ...alb.ref }]) as never,
    ],
    ['of one ARN, written down twice', () => [{ ...edge }, { ...edge, securityGroupIds: [] }]],
  ])('with a priority that is taken on the listener %s is refused', async (_what, edges) => {
    let second!: EdgeRef | WeightedAlb;
    const paths = await refused(
      () => new WeightedRule('two', { ...args, edge: second }),
      () => {
        const [first, other] = edges();
        second = other;
        new WeightedRule('one', { ...args, edge: first });
      },
    );
    expect(paths).toEqual(['priority']);
  });

  test('may share a priority with one on another listener, or of another program', async () => {
    const program = () => {
      new WeightedRule('one', args);
      new WeightedRule('two', { ...args, edge: { ...edge, listenerArn: `${listenerArn}0` } });
      new WeightedRule('three', { ...args, priority: 11 });
    };
    expect((await register(program)).ofType(types.rule)).toHaveLength(3);
    expect((await register(program)).ofType(types.rule)).toHaveLength(3);
  });

  test('does not keep a priority that it was refused with', async () => {
    const seen = await register(() => {
      expect(() => new WeightedRule('bad', { ...args, weights: { blue: 1 } })).toThrow(InvalidInput);
      new WeightedRule('good', args);
    });
    expect(seen.one(types.rule).name).toBe('good');
  });
});

describe('traffic of a fleet', () => {
  const two = fleetOf('blue', 'green');
  const weights = { blue: 100 };
  test.each<[string, Partial<FleetTrafficArgs>, string[]]>([
    ['no slot', { fleet: fleetOf(), weights: {} }, ['fleet.slots', 'weights']],
    ['six slots', { fleet: fleetOf('a', 'b', 'c', 'd', 'e', 'f'), weights: { a: 100 } }, ['fleet.slots']],
    ['an unknown slot', { weights: { blue: 90, purple: 10 } }, ['weights.purple']],
    ['a fraction', { weights: { blue: 99.5, green: 0.5 } }, ['weights.blue', 'weights.green']],
    ['a negative weight', { weights: { blue: -1, green: 100 } }, ['weights.blue']],
    ['weights of 99', { weights: { blue: 99 } }, ['weights']],
    ['no weights for two slots', { weights: undefined }, ['weights']],
    ['no route', { routes: {} }, ['routes']],
    [
      'an edge of something else',
      { edge: { listenerArn: loadBalancerArn, securityGroupIds: ['edge'] } },
      ['edge.listenerArn', 'edge.securityGroupIds[0]'],
    ],
    ['an unknown entry', { routes: { web: { ...web, entry: 'wbe' } } }, ['routes.web.entry']],
    [
      'a route without conditions',
      { routes: { web: { entry: 'web', priority: 1 } } },
      ['routes.web.conditions'],
    ],
    [
      'too many values',
      { routes: { web: { ...web, paths: ['/a', '/b', '/c'], methods: ['GET', 'HEAD'] } } },
      ['routes.web.conditions'],
    ],
    [
      'two routes with one priority',
      { routes: { web, other: { ...web, paths: ['/a'] } } },
      ['routes.other.priority'],
    ],
    ['a route with a bad name', { routes: { 'My Web': web } }, ['routes.My Web']],
    ['no security group', { edge: { listenerArn, securityGroupIds: [] } }, ['edge.securityGroupIds']],
    [
      'a slot without the target group',
      { fleet: { ...two, slots: { ...two.slots, green: slotRef('green', []) } } },
      ['fleet.slots.green.targetGroupArns.web'],
    ],
    [
      'an instance target without its port',
      { fleet: { ...two, entries: { web: { ...two.entries.web!, targetType: 'instance' } } } },
      ['fleet.entries.web'],
    ],
    [
      'target groups with cookies behind a rule without stickiness',
      { fleet: { ...two, cookieStickiness: true } },
      ['routes.web.stickinessSeconds'],
    ],
    [
      'many faults',
      {
        weights: { blue: 1.5, purple: 3 },
        routes: {
          a: { entry: 'x', priority: 0 },
          b: { ...web, hosts: ['localhost'], stickinessSeconds: -1 },
        },
      },
      [
        'routes.a.priority',
        'routes.a.conditions',
        'routes.b.hosts[0]',
        'routes.b.stickinessSeconds',
        'routes.a.entry',
        'weights.blue',
        'weights.purple',
      ],
    ],
  ])('is refused with %s', async (_what, more, paths) => {
    const args: FleetTrafficArgs = { fleet: two, edge, routes: { web }, weights, ...more };
    expect(await refused(() => new FleetTraffic('apps', args))).toEqual(paths);
  });

  test('is refused with a priority that another component has on the listener, and says who', async () => {
    let alb!: WeightedAlb;
    const args = { fleet: two, routes: { web }, weights };
    const attempt = (other: () => unknown) =>
      refused(
        () => new FleetTraffic('more', { ...args, edge: alb }),
        () => {
          alb = new WeightedAlb('edge', albArgs);
          other();
        },
      );
    expect(await attempt(() => new FleetTraffic('apps', { ...args, edge: alb }))).toEqual([
      'routes.web.priority',
    ]);
    const rule = () =>
      new WeightedRule('old', {
        edge: alb,
        paths: ['/*'],
        priority: 10,
        targetGroupArns: {
          blue: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/blue/0123456789abcdef',
        },
      });
    expect(await attempt(rule)).toEqual(['routes.web.priority']);

    await register(() => {
      new FleetTraffic('apps', { ...args, edge });
      expect(() => new FleetTraffic('more', { ...args, edge: { ...edge } })).toThrow(
        'FleetTraffic "more": 1 problem\n  routes.web.priority: 10: must be free on the listener: WeightedRule "apps-web" has it',
      );
    });
  });
});

describe('a fleet, an edge and tags', () => {
  const args = (): FleetTrafficArgs => ({
    fleet: fleetOf('blue', 'green'),
    edge,
    routes: { web },
    weights: { blue: 100 },
  });
  const pathsOf = (given: object): Promise<string[]> =>
    refused(() => new FleetTraffic('apps', { ...args(), ...given }));

  test('that are none are refused by their paths', async () => {
    const later = pulumi.output({ name: 'apps' });
    expect(await pathsOf({ fleet: undefined })).toEqual(['fleet']);
    expect(await pathsOf({ fleet: 'apps' })).toEqual(['fleet']);
    expect(await pathsOf({ fleet: later })).toEqual(['fleet']);
    expect(await pathsOf({ fleet: { ...fleetOf('blue'), slots: later } })).toEqual(['fleet.slots']);
    expect(await pathsOf({ edge: undefined })).toEqual(['edge']);
    expect(await pathsOf({ edge: 'arn' })).toEqual(['edge']);
    for (const none of [Promise.resolve(edge), () => edge, 7]) {
      expect(await pathsOf({ edge: none })).toEqual(['edge']);
      expect(await pathsOf({ edge: { ref: none } })).toEqual(['edge.ref']);
      expect(await pathsOf({ fleet: none })).toEqual(['fleet']);
      expect(await pathsOf({ fleet: { ref: none } })).toEqual(['fleet.ref']);
    }
    expect(await pathsOf({ edge: { ref: { ...edge, listenerArn: null } } })).toEqual([
      'edge.ref.listenerArn',
    ]);
    expect(await pathsOf({ tags: { 'cluster-canary/fleet': 'other' } })).toEqual([
      'tags.cluster-canary/fleet',
    ]);
    expect(await pathsOf({ routes: [web] })).toEqual(['routes']);
  });

  test('a fleet of plain values is refused where its slots and entries are none', async () => {
    const fleet = fleetOf('blue', 'green');
    const slots = (blue: unknown): object => ({ fleet: { ...fleet, slots: { ...fleet.slots, blue } } });
    for (const none of [7, 'apps-blue', null, [], () => fleet.slots.blue]) {
      expect(await pathsOf(slots(none))).toEqual(['fleet.slots.blue']);
      expect(await pathsOf({ fleet: { ref: { ...fleet, entries: { web: none } } } })).toEqual([
        'fleet.ref.entries',
      ]);
    }
    expect(await pathsOf({ fleet: { ...fleet, entries: 'web' } })).toEqual(['fleet.entries']);
    expect(await pathsOf({ fleet: { ...fleet, entries: undefined } })).toEqual(['routes.web.entry']);
    for (const targetGroupArns of [undefined, 7, Promise.resolve({})]) {
      expect(await pathsOf(slots({ targetGroupArns }))).toEqual(['fleet.slots.blue.targetGroupArns.web']);
    }
    await register(() => {
      expect(
        () => new FleetTraffic('apps', { ...args(), ...slots(Promise.resolve(slotRef('blue'))) }),
      ).not.toThrow();
    });
  });

  test('an edge and a fleet may be known only during a deployment, as Outputs of what they hold', async () => {
    const { slots, ...fleet } = fleetOf('blue', 'green');
    const open = Object.fromEntries(Object.entries(slots).map(([slot, ref]) => [slot, pulumi.output(ref)]));
    await register(() => {
      for (const [index, known] of [pulumi.output(edge), { ref: edge }].entries()) {
        const given = { ...args(), edge: known as never, fleet: { ...fleet, slots: open } };
        expect(() => new FleetTraffic(`apps${index}`, given as never)).not.toThrow();
      }
    });
  });

  test('a listener of a Network Load Balancer has no rules', async () => {
    const network = { ...edge, listenerArn: listenerArn.replace('/app/', '/net/') };
    expect(await pathsOf({ edge: network })).toEqual(['edge.listenerArn']);
  });
});
