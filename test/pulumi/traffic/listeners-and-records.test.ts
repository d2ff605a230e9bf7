import * as pulumi from '@pulumi/pulumi';
import type { FleetListenersArgs, FleetRecordsArgs } from '../../../lib/pulumi/traffic';
import { FleetListeners, FleetRecords, WeightedListener } from '../../../lib/pulumi/traffic';
import { recordImport } from '../../../lib/pulumi/traffic/fleet-records-args';
import { checks } from 'cluster-canary';
import { register } from '../../pulumi-mocks';
import { fleetOf, refused, types, value } from './samples';

const loadBalancerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/edge/50dc6c495c0c9188';
const applicationArn = loadBalancerArn.replace('/net/', '/app/');
const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/main';
const httpCheck = checks.cloudWatch.errorShare({ max: 0.01 });

describe('listeners of a load balancer of the other kind', () => {
  test.each([
    ['TCP on an Application Load Balancer', 'TCP', applicationArn, '"HTTP", "HTTPS"'],
    ['HTTP on a Network Load Balancer', 'HTTP', loadBalancerArn, '"TCP", "TLS", "UDP", "TCP_UDP"'],
  ] as const)('%s is refused', async (_, protocol, arn, allowed) => {
    const line = `protocol: "${protocol}": must be one of ${allowed} on the load balancer of loadBalancerArn`;
    const listeners = { mqtt: { entry: 'web', port: 8883, protocol } };
    const weights = { blue: 100 };
    expect(
      await refused(
        () =>
          new FleetListeners('apps', { fleet: fleetOf('blue'), loadBalancerArn: arn, listeners, weights }),
      ),
    ).toEqual(['listeners.mqtt.protocol']);
    const targetGroupArns = {
      blue: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/blue/73e2d6bc24d8a067',
    };
    const alone = { loadBalancerArn: arn, port: 8883, protocol, targetGroupArns, weights };
    await register(() => {
      expect(() => new WeightedListener('apps', alone)).toThrow(line);
    });
  });
});

describe('listeners of a fleet', () => {
  const args = (): FleetListenersArgs => ({
    fleet: fleetOf('blue', 'green'),
    loadBalancerArn,
    listeners: {
      mqtt: { entry: 'web', port: 8883, protocol: 'TCP' },
      tls: { entry: 'web', port: 443, protocol: 'TLS', certificateArn },
    },
    weights: { blue: 90, green: 10 },
  });

  test('are plain listeners, all with the same weights', async () => {
    let made!: FleetListeners;
    const seen = await register(() => (made = new FleetListeners('apps', args())));
    const forward = {
      type: 'forward',
      forward: {
        targetGroups: [
          { arn: 'arn:tg/blue-web', weight: 90 },
          { arn: 'arn:tg/green-web', weight: 10 },
        ],
      },
    };
    expect(seen.one(types.listener, 'apps-mqtt').inputs).toEqual({
      loadBalancerArn,
      port: 8883,
      protocol: 'TCP',
      defaultActions: [forward],
      tags: { 'cluster-canary/fleet': 'apps', 'cluster-canary/rule': 'project/stack/apps-mqtt' },
    });
    expect(seen.one(types.listener, 'apps-tls').inputs).toMatchObject({
      certificateArn,
      sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09',
    });
    expect(seen.ofType(types.ingress)).toEqual([]);
    expect(made.weights).toEqual({ blue: 90, green: 10 });
  });

  test('let the load balancer in where it has security groups', async () => {
    const seen = await register(
      () => new FleetListeners('apps', { ...args(), securityGroupIds: ['sg-nlb'] }),
    );
    expect(
      seen.ofType(types.ingress).map(({ inputs }) => [inputs.referencedSecurityGroupId, inputs.fromPort]),
    ).toEqual([
      ['sg-nlb', 9898],
      ['sg-nlb', 9898],
    ]);
  });

  test.each<[string, (args: FleetListenersArgs) => unknown, string[]]>([
    [
      'ARNs and IDs of something else',
      (one) => ({
        ...one,
        loadBalancerArn: certificateArn,
        securityGroupIds: ['nlb'],
        listeners: { a: { entry: 'web', port: 443, protocol: 'TLS', certificateArn: loadBalancerArn } },
      }),
      ['loadBalancerArn', 'listeners.a.certificateArn', 'securityGroupIds[0]'],
    ],
    ['no listener', (one) => ({ ...one, listeners: {} }), ['listeners']],
    [
      'unknown entry, port, protocol, a port twice',
      (one) => ({
        ...one,
        listeners: {
          a: { entry: 'x', port: 0, protocol: 'TCP' },
          b: { entry: 'web', port: 80, protocol: 'SCTP' },
          c: { entry: 'web', port: 80, protocol: 'UDP' },
        },
      }),
      ['listeners.a.port', 'listeners.b.protocol', 'listeners.a.entry', 'listeners.c.port'],
    ],
    [
      'certificates where they do not belong, or lack',
      (one) => ({
        ...one,
        listeners: {
          a: { entry: 'web', port: 80, protocol: 'TCP', certificateArn },
          b: { entry: 'web', port: 81, protocol: 'TLS' },
          c: { entry: 'web', port: 82, protocol: 'TCP', adopt: 'arn:aws:x' },
        },
      }),
      ['listeners.c.adopt', 'listeners.a.certificateArn', 'listeners.b.certificateArn'],
    ],
    [
      'target groups with cookies behind an Application Load Balancer',
      (one) => ({
        ...one,
        fleet: { ...fleetOf('blue', 'green'), cookieStickiness: true },
        loadBalancerArn: pulumi.output(loadBalancerArn),
        listeners: {
          a: { entry: 'web', port: 80, protocol: 'HTTP' },
          b: { entry: 'web', port: 81, protocol: 'TCP' },
        },
      }),
      ['listeners.a.protocol'],
    ],
    [
      'actions of its own, and weights',
      (one) => ({
        ...one,
        weights: { blue: 1 },
        listeners: { a: { entry: 'web', port: 80, protocol: 'TCP', listenerArgs: { defaultActions: [] } } },
      }),
      ['weights', 'shift'],
    ],
  ])('are refused: %s', async (_what, change, paths) => {
    expect(await refused(() => new FleetListeners('apps', change(args()) as FleetListenersArgs))).toEqual(
      paths,
    );
  });

  test('of an NLB can not be evaluated by HTTP figures, those of an ALB can', async () => {
    const made = (protocol: 'TCP' | 'HTTP') =>
      new WeightedListener('edge', {
        loadBalancerArn: protocol === 'TCP' ? loadBalancerArn : applicationArn,
        port: 80,
        protocol,
        targetGroupArns: {
          blue: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/blue/0123456789abcdef',
          green: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/green/0123456789abcdef',
        },
        weights: { blue: 100 },
        shift: { checks: [httpCheck] },
      });
    expect(() => made('TCP')).toThrow(/an NLB counts no HTTP requests/);
    expect((await register(() => made('HTTP'))).one(types.listener).inputs).toMatchObject({
      protocol: 'HTTP',
    });
  });

  test('have a plan', async () => {
    const arn =
      'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/net/edge/50dc6c495c0c9188/f2f7dc8efc522ab2';
    let made!: FleetListeners;
    await register(() => (made = new FleetListeners('apps', args())), {
      answers: { [types.listener]: () => ({ arn }) },
    });
    expect(await value(made.plan)).toMatchObject({
      routes: { mqtt: { router: { nlbListener: { listenerArn: arn } } }, tls: {} },
      waves: [['mqtt', 'tls']],
      shift: { checks: [{ targetHealth: {} }, { capacity: {} }] },
    });
  });
});

describe('records of a fleet', () => {
  const alias = (slot: string) => ({ alias: { name: pulumi.output(`${slot}.example.com`), zoneId: 'Z2' } });
  const args = (): FleetRecordsArgs<'blue' | 'green'> => ({
    fleet: fleetOf('blue', 'green'),
    zoneId: 'Z1',
    names: ['www.example.com'],
    targets: { blue: alias('blue'), green: alias('green') },
    weights: { blue: 0, green: 100 },
  });

  test('are plain records, those with traffic first', async () => {
    let made!: FleetRecords;
    const seen = await register(() => (made = new FleetRecords('apps', args())));
    const [first, second] = seen.ofType(types.record);
    expect(first!.inputs).toEqual({
      zoneId: 'Z1',
      name: 'www.example.com',
      type: 'A',
      setIdentifier: 'apps-green',
      weightedRoutingPolicies: [{ weight: 100 }],
      aliases: [{ name: 'green.example.com', zoneId: 'Z2', evaluateTargetHealth: false }],
      allowOverwrite: true,
    });
    expect(second!.name).toBe('apps-blue');
    expect(second!.dependencies).toContain(first!.urn);
    expect(made.weights).toEqual({ blue: 0, green: 100 });
    expect(await value(made.plan)).toMatchObject({
      router: { route53: { hostedZoneId: 'Z1', recordName: 'www.example.com', recordType: ['A'] } },
      slots: { blue: { setIdentifier: 'apps-blue', clusterName: 'apps-blue' } },
      shift: { checks: [] },
    });
  });

  test('have values by type, health checks, and a TTL', async () => {
    const values = (host: number) => ({
      values: { A: [`192.0.2.${host}`], AAAA: [`2001:db8::${host}`] },
      healthCheckId: 'check',
    });
    const seen = await register(
      () =>
        new FleetRecords('names', {
          ...args(),
          fleet: undefined,
          names: ['www.example.com', 'api.example.com'],
          types: ['A', 'AAAA'],
          targets: { blue: values(1), green: values(2) },
          ttlSeconds: 30,
          shift: false,
        }),
    );
    expect(
      seen
        .ofType(types.record)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      ...['names-2-blue-A', 'names-2-blue-AAAA', 'names-2-green-A', 'names-2-green-AAAA'],
      ...['names-blue-A', 'names-blue-AAAA', 'names-green-A', 'names-green-AAAA'],
    ]);
    const { inputs } = seen.one(types.record, 'names-2-green-AAAA');
    expect(inputs).toEqual({
      zoneId: 'Z1',
      name: 'api.example.com',
      type: 'AAAA',
      setIdentifier: 'names-green',
      weightedRoutingPolicies: [{ weight: 100 }],
      records: ['2001:db8::2'],
      ttl: 30,
      healthCheckId: 'check',
    });
  });

  test.each(['Z1', '/hostedzone/Z1'])('that exist are imported by their zone, written as %s', (zone) => {
    expect(recordImport(zone, 'www.example.com', 'A', 'apps-green')).toBe('Z1_www.example.com_A_apps-green');
  });

  test.each<[string, Partial<FleetRecordsArgs>, string[]]>([
    ['no name', { names: [] }, ['names']],
    [
      'names, zone and types',
      { names: ['www', 'a.example.com', 'A.example.com.'], zoneId: 'z', types: ['A', 'A'] },
      ['zoneId', 'names[0]', 'types', 'names[2]'],
    ],
    [
      'a slot that the fleet does not have',
      { targets: { ...args().targets, red: alias('red') } },
      ['targets.red'],
    ],
    [
      'alias and values, or neither',
      { targets: { blue: { ...alias('blue'), values: {} }, green: {} } },
      ['targets.blue', 'targets.green'],
    ],
    [
      'values that lack a type',
      { types: ['A', 'AAAA'], targets: { blue: alias('blue'), green: { values: { A: ['192.0.2.1'] } } } },
      ['targets.green.values.AAAA'],
    ],
    [
      'values that are no lists',
      {
        targets: {
          blue: { values: { A: '192.0.2.1' as never } },
          green: { values: { A: pulumi.output(['192.0.2.2']) as never } },
        },
      },
      ['targets.blue.values.A', 'targets.green.values.A'],
    ],
    [
      'one set identifier twice',
      { targets: { blue: alias('blue'), green: { ...alias('green'), setIdentifier: 'apps-blue' } } },
      ['targets.green.setIdentifier'],
    ],
    ['TTL', { ttlSeconds: -1 }, ['ttlSeconds']],
    ['what is adopted', { adopt: ['red'], zoneId: pulumi.output('Z1') }, ['adopt[0]', 'zoneId']],
    ['weights of its own', { recordArgs: { weightedRoutingPolicies: [] } }, ['shift']],
    [
      'checks that a record can not answer',
      { shift: { checks: [checks.targetHealth(), httpCheck] } },
      ['shift.checks[1].cloudWatch.errorShare', 'shift.checks[0]'],
    ],
  ])('are refused: %s', async (_what, change, paths) => {
    expect(
      (await refused(() => new FleetRecords('apps', { ...args(), ...change } as FleetRecordsArgs))).sort(),
    ).toEqual(paths.sort());
  });
});
