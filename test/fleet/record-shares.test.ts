import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { AwsClients } from '../../lib/aws';
import { liveShare } from '../../lib/fleet/live-share';
import { recordsOfSlot } from '../../lib/fleet/record-shares';

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
    elasticLoadBalancing: () => Promise.resolve(balancing),
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
      'is all of it where no record of its own leads there',
      [record('green', 5, alias('x.')), record('blue', 95)],
      100,
    ],
    ['is all of it without records', [{ Name: 'x.', Type: 'A' }], 100],
  ])('%s', async (_what, sets, percent) => {
    expect((await liveShare(clients(...sets), green)).percent).toBe(percent);
  });

  test('names the record', async () => {
    const sets = [record('blue', 60), record('green', 40, { AliasTarget: undefined })];
    const { where } = await liveShare(clients(...sets), { fleet: 'apps', slot: 'blue' });
    expect(where).toBe('Route 53 record www.example.com A');
  });
});
