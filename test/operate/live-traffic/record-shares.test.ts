import { balancingClient } from '../../core/aws/recording-clients';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { AwsClients } from '../../../lib/core/aws/clients';
import { liveShare } from '../../../lib/operate/live-traffic';
import { recordsOfSlot, slotRecords } from '../../../lib/operate/live-traffic/live-traffic';

const green = { fleet: 'apps', slot: 'green' };
const alias = (name: string) => ({
  AliasTarget: { HostedZoneId: 'Z2', DNSName: name, EvaluateTargetHealth: false },
});
const record = (slot: string, Weight: number, more: Partial<ResourceRecordSet> = {}): ResourceRecordSet => ({
  Name: 'www.example.com.',
  Type: 'A',
  SetIdentifier: `apps-${slot}`,
  Weight,
  ...alias(`dualstack.${slot}-lb.example.com.`),
  ...more,
});

describe('the share that a slot has of the answers for a name', () => {
  test.each<[string, ResourceRecordSet[][], number[]]>([
    ['is that of its weight', [[record('blue', 90), record('green', 10)]], [10]],
    ['is an equal one where all weights are 0', [[record('blue', 0), record('green', 0)]], [50]],
    [
      'is told for each name and type',
      [[record('green', 1), record('green', 3, { Type: 'AAAA' }), record('blue', 1, { Type: 'AAAA' })]],
      [100, 75],
    ],
    ['is told for each zone', [[record('blue', 1), record('green', 1)], [record('green', 1)]], [50, 100]],
    ['is none where it has no record', [[record('blue', 1), { Name: 'x.', Type: 'A' }]], []],
    ['is not known of a record without a weight', [[record('green', 1, { Weight: undefined })]], []],
  ])('%s', (_what, zones, percents) => {
    expect(recordsOfSlot(zones, green).own.map(({ percent }) => percent)).toEqual(percents);
  });
});

const clock = { now: () => 0, sleep: () => Promise.resolve() };

/** A load balancer that has nothing but green's target group, and records. */
function clients(...sets: ResourceRecordSet[]): AwsClients {
  const tags = Object.entries({ 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'green' });
  const balancing = {
    describeTargetGroups: () =>
      Promise.resolve({ TargetGroups: [{ TargetGroupArn: 'tg', LoadBalancerArns: ['lb'] }] }),
    describeTags: () =>
      Promise.resolve({
        TagDescriptions: [{ ResourceArn: 'tg', Tags: tags.map(([Key, Value]) => ({ Key, Value })) }],
      }),
    describeListeners: () =>
      Promise.resolve({
        Listeners: [
          { ListenerArn: 'a:listener/net/x', DefaultActions: [{ Type: 'forward', TargetGroupArn: 'tg' }] },
        ],
      }),
    describeRules: () => Promise.resolve({ Rules: [] }),
    describeLoadBalancers: () => Promise.resolve({ LoadBalancers: [{ DNSName: 'green-lb.example.com' }] }),
  };
  const dns = {
    listHostedZones: ({ Marker }: { Marker?: string }) =>
      Promise.resolve(
        Marker === undefined
          ? { HostedZones: [], IsTruncated: true, NextMarker: 'more' }
          : { HostedZones: [{ Id: 'Z1' }], IsTruncated: false },
      ),
    listResourceRecordSets: ({ StartRecordName }: { StartRecordName?: string }) =>
      Promise.resolve(
        StartRecordName === undefined
          ? { ResourceRecordSets: sets.slice(0, 1), IsTruncated: true, NextRecordName: 'next' }
          : { ResourceRecordSets: sets.slice(1) },
      ),
  };
  return {
    elasticLoadBalancing: () => Promise.resolve(balancingClient(balancing)),
    route53: () => Promise.resolve(dns),
  } as unknown as AwsClients;
}

describe('the live traffic of a slot with a load balancer of its own', () => {
  test.each<[string, ResourceRecordSet[], number]>([
    ['is what its record gets', [record('blue', 95), record('green', 5)], 5],
    [
      'is all of it where other records lead there, too',
      [record('green', 5), record('blue', 95, alias('green-lb.example.com.'))],
      100,
    ],
    [
      'is all of it where a CNAME of others leads there, too',
      [
        record('green', 5),
        record('blue', 95),
        { Name: 'shop.', Type: 'CNAME', ResourceRecords: [{ Value: 'Green-LB.example.com.' }] },
      ],
      100,
    ],
    ['is some, however little', [record('green', 1, { Weight: 1 }), record('blue', 9999)], 0.1],
    [
      'is all of it where no record of its own leads there',
      [record('green', 5, alias('x.')), record('blue', 95)],
      100,
    ],
    ['is all of it without records', [{ Name: 'x.', Type: 'A' }], 100],
  ])('%s', async (_what, sets, percent) => {
    expect((await liveShare(clients(...sets), green, { clock })).percent).toBe(percent);
  });

  test('names the record', async () => {
    const sets = [record('blue', 60), record('green', 40, { AliasTarget: undefined })];
    const { where } = await liveShare(clients(...sets), { fleet: 'apps', slot: 'blue' }, { clock });
    expect(where).toBe('Route 53 record www.example.com A');
  });
});

/** An account with a hundred hosted zones, of which three may have records of the fleet, and a quota of five calls a second. */
class ZonesWorld {
  public now = 0;
  public readonly read: string[] = [];
  public readonly calls: number[] = [];

  public readonly zones: readonly { readonly Id: string; readonly ResourceRecordSetCount?: number }[] = [
    ...Array.from({ length: 60 }, (_, index) => ({ Id: `Z-EMPTY${index}`, ResourceRecordSetCount: 2 })),
    ...Array.from({ length: 37 }, (_, index) => ({
      Id: `Z-MAP${index}`,
      ResourceRecordSetCount: 400,
      LinkedService: { ServicePrincipal: 'servicediscovery.amazonaws.com' },
    })),
    { Id: 'Z-WEB', ResourceRecordSetCount: 4 },
    { Id: 'Z-MANY', ResourceRecordSetCount: 700 },
    // Not every answer has it.
    { Id: 'Z-NOCOUNT' },
  ];

  public get clients(): AwsClients {
    const call = <Answer>(answer: Answer): Promise<Answer> => {
      this.calls.push(this.now);
      const second = this.calls.filter((at) => at > this.now - 1_000);
      return second.length > 5 ? Promise.reject(new Error('Rate exceeded')) : Promise.resolve(answer);
    };
    const dns = {
      listHostedZones: () => call({ HostedZones: this.zones, IsTruncated: false }),
      listResourceRecordSets: (input: {
        HostedZoneId: string;
        MaxItems?: number;
        StartRecordName?: string;
      }) => {
        this.read.push(input.HostedZoneId);
        const total = this.zones.find(({ Id }) => Id === input.HostedZoneId)?.ResourceRecordSetCount ?? 3;
        const start = Number(input.StartRecordName ?? 0);
        const end = start + Math.min(input.MaxItems ?? 100, 300);
        const sets = input.HostedZoneId === 'Z-WEB' ? [record('blue', 3), record('green', 1)] : [];
        return call({
          ResourceRecordSets: start === 0 ? sets : [],
          ...(end < total && { IsTruncated: true, NextRecordName: String(end) }),
        });
      },
    };
    return { route53: () => Promise.resolve(dns) } as unknown as AwsClients;
  }

  public sleep = (milliseconds: number) => Promise.resolve(void (this.now += milliseconds));
}

describe('Route 53 is asked', () => {
  test('for zones that may have such records, no more than half as often as an account may', async () => {
    const world = new ZonesWorld();
    const { own } = await slotRecords(world.clients, green, { sleep: world.sleep });
    expect(own).toMatchObject([{ percent: 25 }]);
    expect(world.read).toEqual(['Z-WEB', 'Z-MANY', 'Z-MANY', 'Z-MANY', 'Z-NOCOUNT']);
    const pauses = world.calls.slice(1).map((at, index) => at - world.calls[index]!);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(400);
  });

  test('for the zones that are named, and nothing else', async () => {
    const world = new ZonesWorld();
    const search = { sleep: world.sleep, hostedZoneIds: ['Z-WEB'] };
    expect((await slotRecords(world.clients, green, search)).own).toHaveLength(1);
    expect([world.read, world.calls.length]).toEqual([['Z-WEB'], 1]);
  });

  test.each([
    ['zones', { listHostedZones: { HostedZones: [], IsTruncated: true, NextMarker: 'more' } }],
    ['records', { listResourceRecordSets: { ResourceRecordSets: [], IsTruncated: true } }],
  ])('for a list of %s that does not end, which is said', async (_what, answers) => {
    const dns = Object.fromEntries(
      Object.entries({ listHostedZones: { HostedZones: [{ Id: 'Z1' }] }, ...answers }).map(
        ([name, answer]) => [name, () => Promise.resolve(answer)],
      ),
    );
    const clients = { route53: () => Promise.resolve(dns) } as unknown as AwsClients;
    const world = new ZonesWorld();
    await expect(slotRecords(clients, green, { sleep: world.sleep })).rejects.toThrow(/does not end/);
    expect(world.now).toBeLessThan(5_000);
  });

  test('nothing where a fleet has no records', async () => {
    const world = new ZonesWorld();
    const search = { sleep: world.sleep, hostedZoneIds: [] };
    expect((await slotRecords(world.clients, green, search)).own).toEqual([]);
    expect(world.calls).toEqual([]);
  });
});
