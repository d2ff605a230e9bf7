import { balancingClient } from '../../core/aws/recording-clients';
import { formatProblem as inWords } from '../../../lib/core/validation';
import type { Leftover } from '../../../lib/operate/drain';
import { drainSettingsProblems, reportLines, targetOf, targetProblems } from '../../../lib/operate/drain';
import {
  claimOf,
  findLeftovers,
  goesByItself,
  orderedLeftovers,
  leftoverKinds,
} from '../../../lib/operate/drain/leftovers';
import { rulesNaming } from '../../../lib/operate/drain/sweep';
import { waitUntilIdle } from '../../../lib/operate/drain/wait-idle';

describe('whose a thing is', () => {
  test.each<[object, string | undefined]>([
    [{ 'elbv2.k8s.aws/cluster': 'apps-green' }, 'elbv2.k8s.aws/cluster=apps-green'],
    [{ 'elbv2.k8s.aws/cluster': 'apps-blue' }, undefined],
    [{ 'eks:eks-cluster-name': 'apps-green' }, 'eks:eks-cluster-name=apps-green'],
    [{ 'kubernetes.io/cluster/apps-green': 'owned' }, 'kubernetes.io/cluster/apps-green=owned'],
    [{ 'kubernetes.io/cluster/apps-green': 'shared' }, undefined],
    [{ 'kubernetes.io/cluster/apps-green-2': 'owned' }, undefined],
    [{ 'cluster.k8s.amazonaws.com/name': 'apps-green' }, 'cluster.k8s.amazonaws.com/name=apps-green'],
    [{ 'ebs.csi.aws.com/cluster-name': 'apps-green' }, 'ebs.csi.aws.com/cluster-name=apps-green'],
    [{ 'ebs.csi.aws.com/cluster': 'true' }, undefined],
    [{}, undefined],
  ])('%j', (tags, because) => {
    expect(claimOf(tags as Record<string, string>, 'apps-green')).toBe(because);
  });

  test.each<[Record<string, string>, boolean, boolean]>([
    [{ 'cluster-canary/fleet': 'apps' }, true, true],
    [{ 'cluster-canary/fleet': 'apps' }, false, true],
    [{ 'eks:nodegroup-name': 'nodes' }, true, true],
    [{ 'aws:autoscaling:groupName': 'self-managed' }, true, true],
    [{ 'aws:eks:cluster-name': 'apps-green' }, true, true],
    // Without the cluster nobody else removes its security group.
    [{ 'aws:eks:cluster-name': 'apps-green' }, false, false],
    [{ 'karpenter.sh/nodepool': 'default' }, true, false],
  ])('%j with the cluster there: %s, goes by itself: %s', (tags, isThere, goes) => {
    expect(goesByItself(tags, isThere)).toBe(goes);
  });

  test('each once, in the order in which it can be deleted', () => {
    const all = [...leftoverKinds]
      .reverse()
      .flatMap((kind) => ['b', 'a', 'b'].map((id): Leftover => ({ kind, id: `${kind}-${id}`, because: '' })));
    expect(orderedLeftovers(all).map(({ id }) => id)).toEqual(
      leftoverKinds.flatMap((kind) => [`${kind}-a`, `${kind}-b`]),
    );
  });
});

describe('an answer without its list', () => {
  const lists = {
    describeSecurityGroups: 'SecurityGroups',
    describeInstances: 'Reservations',
    describeVolumes: 'Volumes',
    describeNetworkInterfaces: 'NetworkInterfaces',
    describeLoadBalancers: 'LoadBalancers',
    describeTargetGroups: 'TargetGroups',
  };
  const query = { clusterName: 'apps-green', clusterIsThere: false, securityGroups: [] } as never;

  const find = (missing?: string) => {
    const client = Object.fromEntries(
      Object.entries(lists).map(([call, list]) => [
        call,
        () => Promise.resolve(list === missing ? {} : { [list]: [] }),
      ]),
    );
    const ask = (_action: string, call: (of: object) => Promise<unknown>) => call(client);
    const balancing = (_action: string, call: (of: object) => Promise<unknown>) =>
      call(balancingClient(client));
    return findLeftovers({ ec2: ask, balancing } as never, query);
  };

  test('with all of them, nothing is left', async () => {
    expect(await find()).toEqual([]);
  });

  test.each(Object.values(lists))('%s: that nothing is left is not known', async (missing) => {
    await expect(find(missing)).rejects.toThrow(`what came has no list "${missing}"`);
  });
});

test('of rules only what names the group is taken away', () => {
  const rule = { IpProtocol: 'tcp', FromPort: 1, ToPort: 2 };
  const rules = [
    {
      ...rule,
      IpRanges: [{ CidrIp: '10.0.0.0/8' }],
      UserIdGroupPairs: [{ GroupId: 'sg-1', UserId: '1', Description: 'x' }, { GroupId: 'sg-2' }],
    },
    { ...rule, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
  ];
  expect(rulesNaming(rules, 'sg-1')).toEqual([
    { ...rule, UserIdGroupPairs: [{ GroupId: 'sg-1', UserId: '1' }] },
  ]);
  expect(rulesNaming(undefined, 'sg-1')).toEqual([]);
});

describe('traffic', () => {
  const target = { clusterName: 'apps-green', fleet: 'apps', slot: 'green' };

  /** Shares of traffic, one for each look; the last one stays. */
  function quiet(shares: number[], quietMs: number, patienceMs = 0) {
    let now = 0;
    let looks = 0;
    const done = waitUntilIdle({
      ...{ target, quietMs, patienceMs, say: () => undefined },
      liveShare: () => {
        const percent = shares[Math.min(looks, shares.length - 1)]!;
        looks += 1;
        return Promise.resolve({ percent, where: 'arn:rule' });
      },
      clock: { now: () => now, sleep: (milliseconds) => Promise.resolve(void (now += milliseconds)) },
    });
    return done.then(() => now);
  }

  test.each<[string, number[], number, number, number]>([
    ['none for long enough', [0], 60_000, 0, 60_000],
    ['none, and no wait', [0], 0, 0, 0],
    ['a short wait ends in time', [0], 2_500, 0, 2_500],
    ['on its way out', [100, 50, 0], 10_000, 60_000, 20_000],
  ])('%s', async (_what, shares, quietMs, patienceMs, ends) => {
    expect(await quiet(shares, quietMs, patienceMs)).toBe(ends);
  });

  test.each<[string, number[], number]>([
    ['at once', [1], 0],
    ['when it comes back', [0, 0, 1], 600_000],
    ['when it does not leave', [1], 30_000],
  ])('is refused %s', async (_what, shares, patienceMs) => {
    await expect(quiet(shares, 60_000, patienceMs)).rejects.toThrow(
      /traffic: 1: must be 0 % before the slot is emptied[^]*arn:rule/,
    );
  });
});

test.each<[string, object, object, object | undefined]>([
  ['apps-green', {}, {}, { fleet: 'apps', slot: 'green' }],
  ['my-apps-green', {}, {}, { fleet: 'my-apps', slot: 'green' }],
  [
    'shop-2023',
    { 'cluster-canary/fleet': 'shop', 'cluster-canary/slot': 'blue' },
    {},
    { fleet: 'shop', slot: 'blue' },
  ],
  ['shop-2023', {}, { fleet: 'shop', slot: 'blue' }, { fleet: 'shop', slot: 'blue' }],
  ['green', {}, {}, undefined],
  ['green', {}, { fleet: 'apps', slot: 'green' }, { fleet: 'apps', slot: 'green' }],
])('the slot of %s with the tags %j, given %j', (name, tags, given, expected) => {
  const found = targetOf(name, tags as Record<string, string>, given);
  expect(found).toEqual(expected && { clusterName: name, ...expected });
});

test('all that is wrong at once', () => {
  const words = [
    ...targetProblems({ clusterName: 'a b', fleet: 'A', slot: '' }),
    ...drainSettingsProblems({ volumes: 'burn' as any, within: 'soon', idleFor: '1m' }),
  ].map((each) => inWords(each).split(':')[0]);
  expect(words).toEqual(['fleet', 'slot', 'clusterName', 'volumes', 'within']);
});

test('the report as lines', () => {
  const leftover: Leftover = { kind: 'securityGroup', id: 'sg-1', name: 'k8s', because: 'a=b' };
  const lines = reportLines({
    ...{ schemaVersion: 1, clusterName: 'apps-green', fleet: 'apps', slot: 'green', verdict: 'left' },
    ...{ dryRun: false, clusterStatus: 'GONE', traffic: null, swept: [] },
    hubs: [
      { hub: 'one', secrets: ['apps-green'] },
      { hub: 'two', secrets: [], problem: 'no answer' },
    ],
    objects: { verdict: 'late', acted: ['Ingress a/b'], left: ['Ingress a/b: it is still there'] },
    leftovers: [leftover],
    refusals: { 'sg-1': 'in use' },
  });
  expect(lines).toEqual([
    'EKS cluster apps-green: there is none any more',
    'Hub one: paused by Secret apps-green',
    'Hub two: not paused: no answer',
    'Gone, or going: Ingress a/b',
    'Left in the cluster: Ingress a/b: it is still there',
    'Left in AWS: security group sg-1 k8s (a=b): in use',
  ]);
});
