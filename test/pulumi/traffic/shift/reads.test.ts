import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { EventEmitter } from 'node:events';
import { ruleTag } from '../../../../lib/core/names';
import { shiftDependencies } from '../../../../lib/pulumi/traffic/shift/dependencies';
import { listenerRuleSplits, listeners, weightedRecords } from '../../../../lib/pulumi/traffic/shift/kinds';
import type { SplitKind } from '../../../../lib/pulumi/traffic/shift/split-kind';
import { TrafficShift } from '../../../../lib/pulumi/traffic/shift/traffic-shift';
import { runShift } from '../../../../lib/shift/engine';
import { memoryLease } from '../../../../lib/shift/leases';
import { RecordingClients } from '../../../core/aws/recording-clients';
import { fakeClock } from './fake-load-balancer';

const elb = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012';
const groups = { blue: `${elb}:targetgroup/b/1a`, green: `${elb}:targetgroup/g/2b` };

interface World {
  readonly kind: SplitKind;
  readonly id: string;
  readonly tag: string;
  readonly priority: number;
  readonly targets: Readonly<Record<string, string>>;
  readonly clients: () => RecordingClients;
  /** Calls that read weights, and those that write them. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

function holder(read: string, write: string, own: object): RecordingClients {
  let actions: Action[] = [
    {
      Type: 'forward',
      ForwardConfig: {
        TargetGroups: [
          { TargetGroupArn: groups.blue, Weight: 100 },
          { TargetGroupArn: groups.green, Weight: 0 },
        ],
      },
    },
  ];
  const answer = () => ({
    Rules: [{ ...own, Actions: actions }],
    Listeners: [{ ...own, DefaultActions: actions }],
  });
  return new RecordingClients({
    [read]: answer,
    [write]: ({ Actions, DefaultActions }) => {
      actions = (Actions ?? DefaultActions) as Action[];
      return answer();
    },
    DescribeTags: ({ ResourceArns }) => ({
      TagDescriptions: ResourceArns.map((ResourceArn: string) => ({
        ResourceArn,
        Tags: [{ Key: ruleTag, Value: 'p/dev/web' }],
      })),
    }),
    DescribeTargetGroupAttributes: () => ({ Attributes: [] }),
  });
}

function zone(): RecordingClients {
  const each = (SetIdentifier: string, Weight: number): ResourceRecordSet => ({
    ...{ Name: 'www.example.com.', Type: 'A', SetIdentifier, Weight, TTL: 0 },
    ResourceRecords: [{ Value: '192.0.2.1' }],
  });
  let sets = [each('apps-blue', 100), each('apps-green', 0)];
  return new RecordingClients({
    ListResourceRecordSets: () => ({ ResourceRecordSets: sets, IsTruncated: false }),
    ChangeResourceRecordSets: ({ ChangeBatch }) => {
      sets = ChangeBatch.Changes.map(({ ResourceRecordSet }: any) => ResourceRecordSet);
      return { ChangeInfo: { Id: '/change/C1', Status: 'INSYNC' } };
    },
  });
}

const ruleArn = `${elb}:listener-rule/app/edge/1a/2b/3c`;
const listenerArn = `${elb}:listener/net/edge/1a/2b`;

const worlds: readonly [string, World][] = [
  [
    'a rule',
    {
      ...{ kind: listenerRuleSplits, id: ruleArn, tag: 'p/dev/web', priority: 10, targets: groups },
      clients: () => holder('DescribeRules', 'ModifyRule', { RuleArn: ruleArn, Priority: '10' }),
      reads: ['DescribeRules'],
      writes: ['ModifyRule'],
    },
  ],
  [
    'a listener',
    {
      ...{ kind: listeners, id: listenerArn, tag: 'p/dev/web', priority: 443, targets: groups },
      clients: () => holder('DescribeListeners', 'ModifyListener', { ListenerArn: listenerArn, Port: 443 }),
      reads: ['DescribeListeners'],
      writes: ['ModifyListener'],
    },
  ],
  [
    'records',
    {
      kind: weightedRecords(['www.example.com'], ['A']),
      ...{ id: 'Z1/www.example.com', tag: 'www.example.com', priority: 0 },
      targets: { blue: 'apps-blue', green: 'apps-green' },
      clients: zone,
      reads: ['ListResourceRecordSets'],
      writes: ['ChangeResourceRecordSets'],
    },
  ],
];

test.each(worlds)(
  'to plan a shift of %s costs two reads, each write two, and the end one',
  async (_what, { kind, id, tag, priority, targets, clients, reads, writes }) => {
    const made = clients();
    const clock = fakeClock();
    const traffic = new TrafficShift({
      shift: () =>
        Promise.resolve({
          ...{ what: 'FleetTraffic "apps"', kind, rules: [{ tag, priority, targets }] },
          wanted: { blue: 0, green: 100 },
          clusterNames: {},
          settings: { step: [10, 50], every: '1m', bake: '1m' },
          checks: [],
          ...{ lease: undefined, holder: 'test', resumedTo: undefined, roleArn: undefined },
        }),
      kind,
      roleArn: undefined,
      parts: {
        ...shiftDependencies(),
        clients: () => made,
        lease: () => Promise.resolve({ lease: memoryLease(), close: () => undefined }),
        run: (run) => runShift({ ...run, clock, random: () => 0.5 }),
      },
      log: { info: () => undefined, warn: () => undefined, progress: () => undefined },
      interrupts: new EventEmitter(),
    });
    await traffic.beforeUpdate({ tag, id, place: kind.placeOf(id) });
    const counts: number[] = [0];
    for (const name of made.names) {
      if (writes.includes(name)) {
        counts.push(0);
      } else if (reads.includes(name)) {
        counts[counts.length - 1]! += 1;
      }
    }
    expect(counts).toEqual([4, 2, 2, 1]);
  },
);
