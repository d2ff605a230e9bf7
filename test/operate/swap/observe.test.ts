import type { AwsClients } from '../../../lib/core/aws/clients';
import { fleetTraffic } from '../../../lib/operate/live-traffic';
import type { FleetConfiguration } from '../../../lib/operate/swap';
import { combinedTraffic, fleetObserver } from '../../../lib/operate/swap/observe';
import type { ObserverSettings } from '../../../lib/operate/swap/observe';
import { denied, sdkError } from '../../core/readiness/eks/fake-eks';
import { BalancingWorld, forward } from '../live-traffic/balancing-world';

const never = new AbortController().signal;
const host = (value: string) => [{ Field: 'host-header', HostHeaderConfig: { Values: [value] } }];

interface Cluster {
  readonly version?: string;
  readonly status?: string;
  readonly tags?: Record<string, string>;
}

/** EKS with clusters by name, and a load balancer. */
class Fleet {
  public clusters: Record<string, Cluster | Error> = { 'apps-blue': { version: '1.35' } };
  public configuration: FleetConfiguration = { slots: { blue: '1.35' }, weights: { blue: 100 } };
  public rules: Record<string, number>[] = [{ blue: 100, green: 0 }];
  public readonly described: string[] = [];
  public readonly said: string[] = [];
  public listed: () => string[] = () => Object.keys(this.clusters);

  public observer(more: Partial<ObserverSettings> = {}) {
    return fleetObserver({
      plan: { fleet: 'apps', names: ['blue', 'green'], moves: 'traffic' },
      program: { read: () => Promise.resolve(this.configuration) },
      clients: this.clients,
      say: (line) => this.said.push(line),
      ...more,
    });
  }

  public get clients(): AwsClients {
    const balancing = new BalancingWorld(
      this.rules.map((weights, index) => ({
        arn: String(index),
        priority: index + 1,
        conditions: host(`${index}.example.com`),
        weights,
      })),
    );
    const eks = {
      // Two pages.
      listClusters: ({ nextToken }: { nextToken?: string }) => {
        const names = this.listed();
        return Promise.resolve(
          nextToken === undefined
            ? { clusters: names.slice(0, 1), nextToken: 'more' }
            : { clusters: names.slice(1) },
        );
      },
      describeCluster: ({ name }: { name: string }) => {
        this.described.push(name);
        const cluster = this.clusters[name] ?? sdkError('ResourceNotFoundException', 'no such cluster', 404);
        return cluster instanceof Error
          ? Promise.reject(cluster)
          : Promise.resolve({ cluster: { name, status: 'ACTIVE', version: '1.36', ...cluster } });
      },
    };
    return Object.assign(balancing.clients, { region: 'eu-west-1', eks: () => Promise.resolve(eks) });
  }
}

test('what a program throws keeps its words and gets a name, unless it has one', async () => {
  const fails = (error: Error) =>
    new Fleet()
      .observer({ program: { read: () => Promise.reject(error) } })(never)
      .catch((each: Error) => each);
  expect(await fails(new Error('read ended with status 1'))).toMatchObject({
    ...{ name: 'FleetNotRead', message: 'read ended with status 1' },
  });
  const typed = new TypeError('a defect');
  expect(await fails(typed)).toBe(typed);
});

const tags = (fleet: string, slot: string) => ({
  tags: { 'cluster-canary/fleet': fleet, 'cluster-canary/slot': slot },
});

test('the configuration, the clusters by slot and the live traffic', async () => {
  const fleet = new Fleet();
  expect(await fleet.observer()(never)).toEqual({
    configuration: fleet.configuration,
    clusters: { blue: { version: '1.35', status: 'ACTIVE' } },
    live: { blue: 100, green: 0 },
  });
  expect(fleet.said).toEqual([]);
});

describe('clusters', () => {
  test.each<[string, Record<string, Cluster>, readonly string[]]>([
    ['by its name', { 'apps-green': {} }, ['green']],
    ['by its tags, whatever its name', { other: tags('apps', 'teal') }, ['teal']],
    ['not where its tags say another fleet', { 'apps-green': tags('shop', 'green') }, []],
    ['not by a name that no one knows', { 'apps-eu-blue': {}, 'apps-teal': {} }, []],
    ['of a slot that the configuration has', { 'apps-red': {} }, ['red']],
  ])('%s', async (_, clusters, slots) => {
    const fleet = new Fleet();
    fleet.clusters = clusters;
    fleet.configuration = { slots: { blue: '1.35', red: '1.36' }, weights: { blue: 100, red: 0 } };
    expect(Object.keys((await fleet.observer()(never)).clusters)).toEqual(slots);
  });

  test('those of others are described once', async () => {
    const fleet = new Fleet();
    fleet.clusters = { 'apps-blue': {}, shop: {}, 'shop-blue': tags('shop', 'blue') };
    const observe = fleet.observer();
    await observe(never);
    await observe(never);
    expect(fleet.described.filter((name) => name.startsWith('shop'))).toEqual(['shop', 'shop-blue']);
    expect(fleet.described.filter((name) => name === 'apps-blue')).toHaveLength(2);
  });

  test('without the right to list, those of known names are seen, and that is said once', async () => {
    const fleet = new Fleet();
    fleet.listed = () => denied();
    const observe = fleet.observer();
    expect((await observe(never)).clusters).toEqual({ blue: { version: '1.35', status: 'ACTIVE' } });
    await observe(never);
    expect(fleet.said).toHaveLength(1);
    expect(fleet.said[0]).toContain('eks:ListClusters');
  });

  test('one of others that may not be described is none of the fleet; one of its own is no answer', async () => {
    const refusal = sdkError('AccessDeniedException', 'not authorized', 403);
    const fleet = new Fleet();
    fleet.clusters = { 'apps-blue': {}, secret: refusal };
    expect(Object.keys((await fleet.observer()(never)).clusters)).toEqual(['blue']);
    fleet.clusters = { 'apps-blue': {}, 'apps-green': refusal };
    await expect(fleet.observer()(never)).rejects.toThrow('eks:DescribeCluster');
  });

  test('two clusters of one slot are no answer', async () => {
    const fleet = new Fleet();
    fleet.clusters = { 'apps-blue': {}, other: tags('apps', 'blue') };
    await expect(fleet.observer()(never)).rejects.toThrow(
      'slot blue of fleet apps has two EKS clusters: apps-blue and other',
    );
  });

  test('one with another name is no answer: phases would look for FLEET-SLOT, and drain nothing', async () => {
    const fleet = new Fleet();
    fleet.clusters = { 'shop-2023': tags('apps', 'blue') };
    await expect(fleet.observer()(never)).rejects.toThrow(
      'slot blue of fleet apps has the EKS cluster shop-2023: a swap takes one called apps-blue alone',
    );
  });

  test('one that answers without a version is no answer', async () => {
    const fleet = new Fleet();
    fleet.clusters = { 'apps-blue': { version: '' } };
    await expect(fleet.observer()(never)).rejects.toThrow('apps-blue');
  });
});

describe('traffic', () => {
  test('of hubs is where the configuration says, and no load balancer is asked', async () => {
    const fleet = new Fleet();
    const plan = { fleet: 'hubs', names: ['blue', 'green'], moves: 'hub' } as const;
    fleet.configuration = { slots: { blue: '1.35' }, active: 'blue' };
    const elasticLoadBalancing = () => Promise.reject(new Error('it was asked'));
    const clients = { ...fleet.clients, elasticLoadBalancing } as AwsClients;
    expect((await fleet.observer({ plan, clients })(never)).live).toEqual({ blue: 100 });
    fleet.configuration = { slots: { blue: '1.35' } };
    expect((await fleet.observer({ plan, clients })(never)).live).toEqual({});
  });

  test('routes that differ are the mean of all, and that is said once', async () => {
    const fleet = new Fleet();
    fleet.rules = [
      { blue: 100, green: 0 },
      { blue: 0, green: 100 },
    ];
    const observe = fleet.observer();
    expect((await observe(never)).live).toEqual({ blue: 50, green: 50 });
    await observe(never);
    expect(fleet.said).toHaveLength(1);
    expect(fleet.said[0]).toMatch(/^The fleet's routes differ: \S+\/0 has blue 100 %, green 0 %; \S+\/1 has/);
  });

  test('a rule that forwards to one slot alone counts, one without weight does not', async () => {
    const fleet = new Fleet();
    fleet.rules = [{ blue: 0 }, { blue: 0, green: 0 }];
    expect((await fleet.observer()(never)).live).toEqual({ blue: 100 });
  });

  test('of a given route is what its router reads', async () => {
    const fleet = new Fleet();
    const route = {
      router: { simulated: { live: { blue: 70, green: 30 } } },
      slots: { blue: {}, green: {} },
    };
    expect((await fleet.observer({ route })(never)).live).toEqual({ blue: 70, green: 30 });
  });

  test.each<[string, readonly Record<string, number>[], Record<string, number>]>([
    ['nothing', [], {}],
    ['one request in a million', [{ blue: 99.9999, green: 0.0001 }], { blue: 99.9, green: 0.1 }],
    ['one place of three', [{ blue: 100 }, { blue: 100 }, { green: 100 }], { blue: 66.7, green: 33.3 }],
    ['all', [{ blue: 100, green: 0 }, { blue: 100 }], { blue: 100, green: 0 }],
  ])('%s', (_, splits, live) => {
    const found = combinedTraffic(splits.map((percents, at) => ({ where: String(at), percents })));
    expect(found.live).toEqual(live);
  });
});

describe('slots with a load balancer each', () => {
  /** A load balancer for each slot, and weighted records. */
  function clients(weights: Record<string, number>): AwsClients {
    const arn = (what: string, slot: string) => `arn:aws:elasticloadbalancing:eu-west-1:1:${what}/${slot}/1`;
    const world = new BalancingWorld([]);
    const answers: Record<string, (input: any) => object> = {
      DescribeTargetGroups: () => ({
        TargetGroups: ['blue', 'green'].map((slot) => ({
          TargetGroupArn: `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/${slot}/1`,
          LoadBalancerArns: [arn('loadbalancer/app', slot)],
        })),
      }),
      DescribeTags: ({ ResourceArns }) => ({
        TagDescriptions: ResourceArns.map((ResourceArn: string) => ({
          ResourceArn,
          Tags: [
            { Key: 'cluster-canary/fleet', Value: 'apps' },
            { Key: 'cluster-canary/slot', Value: ResourceArn.split('/')[1] },
          ],
        })),
      }),
      DescribeListeners: ({ LoadBalancerArn }) => {
        const slot = LoadBalancerArn.split('/')[2];
        const DefaultActions = [forward({ weights: { [slot]: 1 } })];
        return { Listeners: [{ ListenerArn: arn('listener/app', slot), DefaultActions }] };
      },
      DescribeRules: () => ({ Rules: [] }),
    };
    const send = ({ constructor, input }: { constructor: { name: string }; input: object }) =>
      Promise.resolve(answers[constructor.name.replace(/Command$/, '')]!(input));
    const route53 = {
      listHostedZones: () => Promise.resolve({ HostedZones: [{ Id: 'Z1' }] }),
      listResourceRecordSets: () =>
        Promise.resolve({
          ResourceRecordSets: Object.entries(weights).map(([slot, Weight]) => ({
            ...{ Name: 'www.example.com.', Type: 'A', SetIdentifier: `apps-${slot}`, Weight },
          })),
        }),
    };
    return {
      elasticLoadBalancing: async () => {
        const client = await world.clients.elasticLoadBalancing();
        return Object.assign(client, {
          send,
          describeTags: (input: object) => Promise.resolve(answers.DescribeTags!(input)),
        });
      },
      route53: () => Promise.resolve(route53),
    } as unknown as AwsClients;
  }

  const clock = { now: () => 0, sleep: () => Promise.resolve() };

  test('records decide', async () => {
    expect(await fleetTraffic(clients({ blue: 3, green: 1 }), 'apps', { clock })).toEqual([
      { where: 'Route 53 record www.example.com A', percents: { blue: 75, green: 25 } },
    ]);
    expect(await fleetTraffic(clients({ blue: 100, green: 0 }), 'apps', { clock })).toMatchObject([
      { percents: { blue: 100, green: 0 } },
    ]);
  });

  test('without records each has what its load balancer gets', async () => {
    const splits = await fleetTraffic(clients({}), 'apps', { clock });
    expect(splits.map(({ percents }) => percents)).toEqual([{ blue: 100 }, { green: 100 }]);
  });
});
