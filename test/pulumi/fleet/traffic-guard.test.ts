import { balancingClient } from '../../core/aws/recording-clients';
import type { AwsClients } from '../../../lib/core/aws/clients';
import { liveShare } from '../../../lib/operate/live-traffic';
import { trafficShare } from '../../../lib/operate/live-traffic/live-traffic';
import type { LiveCluster, WantedCluster } from '../../../lib/pulumi/fleet/in-place-changes';
import { guardProblems, inPlaceChanges, liveCluster } from '../../../lib/pulumi/fleet/in-place-changes';
import { madeAnew } from '../../../lib/pulumi/fleet/traffic-guard';
import { wantedCluster } from '../../../lib/pulumi/fleet/wanted-cluster';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const group = (name: string, more: object = {}) => ({
  name,
  version: '1.35',
  instanceTypes: ['m7i.large'],
  amiType: 'AL2023_x86_64_STANDARD',
  capacityType: 'ON_DEMAND',
  ofSlot: true,
  ...more,
});
const slotTags = [
  { Key: 'cluster-canary/fleet', Value: 'apps' },
  { Key: 'cluster-canary/slot', Value: 'blue' },
];
const live: LiveCluster = { version: '1.35', nodeGroups: [group('apps-blue-nodes-0123abc')] };

describe('what would change in a cluster that runs', () => {
  test.each<[string, Parameters<typeof wantedCluster>[1], LiveCluster, string[]]>([
    ['nothing', { version: '1.35', nodes }, live, []],
    ['its version, and that of its nodes', { version: '1.36', nodes }, live, ['version', 'nodes.version']],
    [
      'the size of a node group, which takes no node away',
      { version: '1.35', nodes: { ...nodes, max: 9 } },
      live,
      [],
    ],
    [
      'what nodes are made of',
      { version: '1.35', nodes: { ...nodes, instanceTypes: ['m7g.large'], capacityType: 'SPOT' } },
      live,
      ['nodes.instanceTypes', 'nodes.amiType', 'nodes.capacityType'],
    ],
    ['one more node group', { version: '1.35', nodes, moreNodes: { gpu: nodes } }, live, []],
    [
      'a node group that goes',
      { version: '1.35', nodes },
      { ...live, nodeGroups: [...live.nodeGroups, group('apps-blue-gpu-nodes-0123abc')] },
      ['node group apps-blue-gpu-nodes-0123abc'],
    ],
    [
      'not one that somebody else made',
      { version: '1.35', nodes },
      { ...live, nodeGroups: [...live.nodeGroups, group('other', { ofSlot: false })] },
      [],
    ],
    ['a version that is not known', { nodes, clusterArgs: { version: Promise.resolve('1.36') } }, live, []],
    [
      'the version in raw arguments',
      { version: '1.35', clusterArgs: { version: '1.36' } },
      { version: '1.35', nodeGroups: [] },
      ['version'],
    ],
    [
      'a node group with a name of its own',
      { version: '1.36', nodes: { ...nodes, nodeGroupArgs: { nodeGroupName: 'own' } } },
      { version: '1.36', nodeGroups: [group('own')] },
      ['nodes.version'],
    ],
  ])('%s', (_what, args, running, changed) => {
    const wanted: WantedCluster = wantedCluster('apps-blue', args);
    expect(inPlaceChanges(running, wanted).map(({ path }) => path)).toEqual(changed);
  });

  test('the order of instance types does not count', () => {
    const two = { ...nodes, instanceTypes: ['m7i.large', 'm6i.large'] };
    const running = {
      version: '1.35',
      nodeGroups: [group('apps-blue-nodes-0123abc', { instanceTypes: ['m6i.large', 'm7i.large'] })],
    };
    expect(inPlaceChanges(running, wantedCluster('apps-blue', { version: '1.35', nodes: two }))).toEqual([]);
  });

  test('is refused with what to do first', () => {
    const [problem] = guardProblems(
      [{ path: 'version', live: '1.35', wanted: '1.36' }],
      'blue',
      { percent: 90, where: 'rule' },
      10,
    );
    expect(problem).toMatchObject({ path: 'version', value: '1.36' });
    expect(problem!.allowed).toMatch(
      /^"1.35" as it is, while slot "blue" carries 90 %.*Set its weight to 10 or less/,
    );
  });
});

describe('a node group that is created is one that is made anew', () => {
  const made = (name: string, given: unknown, nodeGroups = live.nodeGroups) =>
    madeAnew({ version: '1.35', nodeGroups }, name, given).map((change) => change.live);

  test('where one of its name runs', () => {
    expect(made('apps-blue-nodes', 'apps-blue-nodes-89abcde')).toEqual(['apps-blue-nodes-0123abc']);
    expect(made('apps-blue-nodes', 'own', [group('own')])).toEqual(['own']);
  });

  test('and is a new one anywhere else', () => {
    expect(made('apps-blue-gpu-nodes', 'apps-blue-gpu-nodes-89abcde')).toEqual([]);
    expect(made('apps-blue', 'apps-blue-89abcde')).toEqual([]);
    const others = [group('apps-blue-nodes-0123abc', { ofSlot: false }), group('apps-blue-nodes-of-others')];
    expect(made('apps-blue-nodes', 'apps-blue-nodes-89abcde', others)).toEqual([]);
    expect(madeAnew(undefined, 'apps-blue-nodes', 'x')).toEqual([]);
  });
});

describe('the share of a slot', () => {
  const forward = (weights: Record<string, number>) => [
    {
      Type: 'forward' as const,
      ForwardConfig: {
        TargetGroups: Object.entries(weights).map(([TargetGroupArn, Weight]) => ({ TargetGroupArn, Weight })),
      },
    },
  ];
  test.each<[string, Parameters<typeof trafficShare>[0], number]>([
    ['of several', forward({ mine: 900, other: 100 }), 90],
    ['of several of its own', forward({ mine: 10, mineToo: 10, other: 80 }), 20],
    ['alone, whatever its weight', forward({ mine: 0 }), 100],
    ['alone, written short', [{ Type: 'forward', TargetGroupArn: 'mine' }], 100],
    ['at 0', forward({ mine: 0, other: 100 }), 0],
    ['where all are at 0', forward({ mine: 0, other: 0 }), 0],
    ['of a redirect', [{ Type: 'redirect' }], 0],
    ['in part', forward({ mine: 1, other: 2 }), 33.3],
  ])('%s', (_what, actions, share) => {
    expect(trafficShare(actions, new Set(['mine', 'mineToo']))).toBe(share);
  });

  test('is the largest on any rule of any load balancer', async () => {
    const asked: string[] = [];
    const answer = (name: string, reply: (input: any) => object) => (input: any) => {
      asked.push(name);
      return Promise.resolve(reply(input));
    };
    const pages = (input: any, key: string, first: object[], second: object[]) =>
      input.Marker === undefined ? { [key]: first, NextMarker: 'more' } : { [key]: second };
    const client = {
      describeTargetGroups: answer('groups', (input) =>
        pages(
          input,
          'TargetGroups',
          [{ TargetGroupArn: 'mine', LoadBalancerArns: ['alb'] }],
          [{ TargetGroupArn: 'other', LoadBalancerArns: ['nlb'] }, { TargetGroupArn: 'unused' }],
        ),
      ),
      describeTags: answer('tags', ({ ResourceArns }) => ({
        TagDescriptions: ResourceArns.map((ResourceArn: string) => ({
          ResourceArn,
          Tags: ResourceArn === 'mine' ? slotTags : [],
        })),
      })),
      describeListeners: answer('listeners', () => ({
        Listeners: [{ ListenerArn: 'a:listener/app/x', DefaultActions: forward({ mine: 30, other: 70 }) }],
      })),
      describeRules: answer('rules', (input) =>
        pages(
          input,
          'Rules',
          [{ RuleArn: 'one', Actions: forward({ mine: 10, other: 90 }) }],
          [{ RuleArn: 'two', Actions: forward({ mine: 60, other: 40 }) }],
        ),
      ),
    };
    const dns = { listHostedZones: () => Promise.resolve({ HostedZones: [] }) };
    const clients = {
      elasticLoadBalancing: () => Promise.resolve(balancingClient(client)),
      route53: () => Promise.resolve(dns),
    } as unknown as AwsClients;
    expect(await liveShare(clients, { fleet: 'apps', slot: 'blue' })).toEqual({ percent: 60, where: 'two' });
    expect(asked.filter((each) => each === 'listeners')).toHaveLength(1);
    expect(await liveShare(clients, { fleet: 'apps', slot: 'green' })).toMatchObject({ percent: 0 });
  });

  test.each(['TargetGroups', 'TagDescriptions', 'Listeners', 'Rules', 'HostedZones', 'ResourceRecordSets'])(
    'is not known where an answer has no list "%s": it is not 0',
    async (missing) => {
      const whole = (answer: object) => () =>
        Promise.resolve(Object.fromEntries(Object.entries(answer).filter(([key]) => key !== missing)));
      const client = {
        describeTargetGroups: whole({
          TargetGroups: [{ TargetGroupArn: 'mine', LoadBalancerArns: ['alb'] }],
        }),
        describeTags: whole({ TagDescriptions: [{ ResourceArn: 'mine', Tags: [...slotTags] }] }),
        describeListeners: whole({ Listeners: [{ ListenerArn: 'a:listener/app/x' }] }),
        describeRules: whole({ Rules: [] }),
      };
      const dns = {
        listHostedZones: whole({ HostedZones: [{ Id: 'zone' }] }),
        listResourceRecordSets: whole({ ResourceRecordSets: [], IsTruncated: false }),
      };
      const clients = {
        elasticLoadBalancing: () => Promise.resolve(balancingClient(client)),
        route53: () => Promise.resolve(dns),
      } as unknown as AwsClients;
      await expect(liveShare(clients, { fleet: 'apps', slot: 'blue' })).rejects.toThrow(
        `what came has no list "${missing}"`,
      );
    },
  );
});

test('a cluster is looked at with all its node groups; one that is not there has nothing to lose', async () => {
  const notFound = Object.assign(new Error('there is none'), {
    name: 'ResourceNotFoundException',
    $metadata: { httpStatusCode: 404 },
  });
  const eks = {
    describeCluster: ({ name }: { name: string }) =>
      name === 'apps-blue' ? Promise.resolve({ cluster: { version: '1.35' } }) : Promise.reject(notFound),
    listNodegroups: ({ nextToken }: { nextToken?: string }) =>
      Promise.resolve(nextToken ? { nodegroups: ['b', 'goes'] } : { nodegroups: ['a'], nextToken: 'more' }),
    describeNodegroup: ({ nodegroupName }: { nodegroupName: string }) =>
      nodegroupName === 'goes'
        ? Promise.reject(notFound)
        : Promise.resolve({
            nodegroup: {
              version: '1.35',
              tags:
                nodegroupName === 'a'
                  ? { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'blue' }
                  : {},
            },
          }),
  };
  const clients = { eks: () => Promise.resolve(eks) } as unknown as AwsClients;
  const slot = { fleet: 'apps', slot: 'blue' };
  // A node group that goes while they are looked at does not make the cluster one that is not there.
  expect(await liveCluster(clients, 'apps-blue', slot)).toMatchObject({
    version: '1.35',
    nodeGroups: [
      { name: 'a', ofSlot: true },
      { name: 'b', ofSlot: false },
    ],
  });
  expect(await liveCluster(clients, 'apps-green', slot)).toBeUndefined();
});

test('a list of node groups that names the same next page again ends as an error', async () => {
  const eks = {
    describeCluster: () => Promise.resolve({ cluster: { version: '1.35' } }),
    listNodegroups: () => Promise.resolve({ nodegroups: ['a'], nextToken: 'more' }),
  };
  const clients = { eks: () => Promise.resolve(eks) } as unknown as AwsClients;
  await expect(liveCluster(clients, 'apps-blue', { fleet: 'apps', slot: 'blue' })).rejects.toThrow(
    'the list does not end: it names the same next page again',
  );
});
