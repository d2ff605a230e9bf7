import { KubernetesError } from '../../../../lib/core/kubernetes/errors';
import type { AwsClients } from '../../../../lib/core/aws/clients';
import type { ClusterVitalsArgs } from '../../../../lib/shift/checks';
import { settingsProblems } from '../../../../lib/shift/checks';
import { clusterVitals } from '../../../../lib/shift/checks/cluster-vitals/cluster-vitals';
import { SourceError } from '../../../../lib/shift/engine';
import { subject } from '../health-samples';
import type { ClusterSample } from './cluster-samples';
import { evaluate, withoutEks } from './evaluate-vitals';
import { ago, dnsPods, event, node, pod, podsOf } from './cluster-samples';

/** AWS's own words, as a kubelet passes them on. */
const noAddress =
  'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox ' +
  '"40d7bc158517c6954d0e8f1ba2bbc04e376e3123ab38227d6a601b7b1bb48ccf": plugin type="aws-cni" name="aws-cni" failed (add): ' +
  'add cmd: failed to assign an IP address to container';

const stuck = (count: number, age: number) =>
  podsOf(count, { phase: 'Pending', age, waits: 'ContainerCreating', message: '' }, 'stuck');
const stuckEvents = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    event('FailedCreatePodSandBox', { kind: 'Pod', name: `stuck-${index}` }, noAddress),
  );
const refused = (name: string, message: string, times = {}) =>
  event('FailedCreate', { kind: 'ReplicaSet', name }, message, times);
const webhook =
  'Error creating: Internal error occurred: failed calling webhook "pods.example.com": failed to call webhook: ' +
  'Post "https://hook.shop.svc:443/?timeout=10s": no endpoints available for service "hook"';
const owned = (name: string, age: number) =>
  pod(`${name}-x`, { age, owner: { kind: 'ReplicaSet', name: `${name}-6d5` } });
const refusals = (...names: string[]) => names.map((name) => refused(`${name}-7f9`, webhook));

test.each<[string, ClusterSample, 'pass' | 'fail' | 'inconclusive', RegExp]>([
  ['all is well', {}, 'pass', /^green beside blue: nothing worse in 9 vitals of 42 pods and 3 nodes$/],
  [
    'the VPC CNI has no addresses',
    { pods: [...podsOf(26), ...stuck(14, 400)], events: stuckEvents(14) },
    'fail',
    /^green: 14 of 42 pods have no network \(FailedCreatePodSandBox: aws-cni: failed to assign an IP address to container\); blue: 0 of 42$/,
  ],
  [
    'the same for a minute only',
    { pods: [...podsOf(26), ...stuck(14, 60)], events: stuckEvents(14) },
    'inconclusive',
    /^green: 14 of 42 pods have no network, for a short time so far \(/,
  ],
  [
    'no room on the nodes',
    {
      pods: [
        ...podsOf(20),
        ...podsOf(
          20,
          {
            ...{ phase: 'Pending', scheduled: false, age: 900 },
            message: '0/3 nodes are available: 3 Insufficient cpu.',
          },
          'new',
        ),
      ],
    },
    'fail',
    /^green: 20 of 42 pods do not start \(0\/3 nodes are available: 3 Insufficient cpu\.\); blue: 0 of 42$/,
  ],
  [
    'containers that are not there, and nobody says why',
    { pods: [...podsOf(20), ...stuck(20, 900)] },
    'fail',
    /20 of 42 pods do not start \(scheduled, and its containers are not there\)/,
  ],
  [
    'an image that is not there',
    {
      pods: [
        ...podsOf(24),
        ...podsOf(
          16,
          {
            ...{ phase: 'Pending', age: 400, waits: 'ImagePullBackOff', address: '10.0.0.2' },
            message: 'Back-off pulling image "registry.example.com/web:none"',
          },
          'new',
        ),
      ],
    },
    'fail',
    /^green: 16 of 42 pods have no image \(ImagePullBackOff: Back-off pulling image "registry.example.com\/web:none"\)/,
  ],
  [
    'crash loops',
    { pods: [...podsOf(26), ...podsOf(14, { ended: 120 }, 'api')] },
    'fail',
    /^green: 14 of 42 pods have restarted \(shop\/api-0, shop\/api-1, shop\/api-2, …\); blue: 0 of 42$/,
  ],
  ['crashes of an hour ago', { pods: podsOf(40, { ended: 3_500 }) }, 'pass', /nothing worse/],
  ['crashes while the pods started', { pods: podsOf(40, { ended: 500, age: 560 }) }, 'pass', /nothing worse/],
  [
    'pods that have started just now, and crash',
    { pods: podsOf(40, { ended: 20, age: 60 }) },
    'inconclusive',
    /40 of 42 pods have restarted, for a short time so far/,
  ],
  [
    'kills for memory',
    { pods: [...podsOf(26), ...podsOf(14, { ended: 120, reason: 'OOMKilled' }, 'api')] },
    'fail',
    /14 of 42 pods ran out of memory \(OOMKilled\) \(shop\/api-0/,
  ],
  [
    'two nodes that are not ready',
    { nodes: [node('a', 300), node('b', 300), node('c')] },
    'fail',
    /^green: 2 of 3 nodes are not ready \(NodeStatusUnknown: Kubelet stopped posting node status\.\); blue: 0 of 3$/,
  ],
  [
    'the same for seconds',
    { nodes: [node('a', 20), node('b', 20), node('c')] },
    'inconclusive',
    /short time/,
  ],
  [
    'new nodes on their way',
    { nodes: [node('a', 200, { age: 200 }), node('b', 200, { age: 200 }), node('c')] },
    'inconclusive',
    /short time/,
  ],
  [
    'nodes on their way out',
    {
      nodes: [
        node('a', 300, { spec: { unschedulable: true } }),
        node('b', 300, { spec: { taints: [{ key: 'karpenter.sh/disrupted' }] } }),
        node('c'),
      ],
    },
    'pass',
    /nothing worse/,
  ],
  [
    'one of many nodes',
    { nodes: [node('a', 300), ...'bcdefghij'.split('').map((name) => node(name))] },
    'pass',
    /10 nodes/,
  ],
  ['CoreDNS', { dns: dnsPods(3, 3) }, 'fail', /^green: 3 of 3 CoreDNS pods are not ready; blue: 0 of 2$/],
  ['one CoreDNS of two', { dns: dnsPods(2, 1) }, 'pass', /nothing worse/],
  ['no CoreDNS', { dns: [] }, 'fail', /^green: no pod of CoreDNS; blue: 2$/],
  [
    'no CoreDNS in EKS Auto Mode',
    { dns: [], nodes: [node('a', undefined, { labels: { 'eks.amazonaws.com/compute-type': 'auto' } })] },
    'pass',
    /nothing worse .*; its nodes have DNS, which nobody looked at$/,
  ],
  [
    'SERVFAIL',
    {
      answers: [
        [60, 40],
        [60, 40],
      ],
    },
    'fail',
    /^green: 120 of 200 DNS answers are SERVFAIL; blue: 0 of 200$/,
  ],
  [
    'a burst of SERVFAIL',
    {
      answers: [
        [90, 10],
        [0, 100],
      ],
    },
    'pass',
    /nothing worse/,
  ],
  [
    'few SERVFAIL',
    {
      answers: [
        [10, 90],
        [10, 90],
      ],
    },
    'pass',
    /nothing worse/,
  ],
  [
    'a webhook without a server',
    { events: refusals('one', 'two', 'three') },
    'fail',
    /^green: 3 of 3 workloads are refused pods \(FailedCreate: Internal error occurred: failed calling webhook "pods\.example\.com".*no endpoints available for service "hook"\); blue: 0 of 0$/,
  ],
  [
    'a refusal that is over',
    { pods: ['one', 'two', 'three'].map((name) => owned(name, 10)), events: refusals('one', 'two', 'three') },
    'pass',
    /nothing worse/,
  ],
  [
    'a refusal that is 17 minutes old',
    {
      events: ['one', 'two', 'three'].map((name) =>
        refused(`${name}-7f9`, webhook, { first: 2_000, last: 1_020 }),
      ),
    },
    'pass',
    /nothing worse/,
  ],
  [
    'a refusal of this moment',
    {
      events: ['one', 'two', 'three'].map((name) => refused(`${name}-7f9`, webhook, { first: 10, last: 1 })),
    },
    'inconclusive',
    /3 of 3 workloads are refused pods, for a short time so far/,
  ],
  [
    'pods that leave or have ended',
    {
      pods: [
        ...podsOf(20),
        ...podsOf(9, { deleted: true, ended: 5 }, 'a'),
        ...podsOf(9, { phase: 'Succeeded', ended: 5 }, 'b'),
      ],
    },
    'pass',
    /nothing worse/,
  ],
  [
    'gates that somebody opens',
    {
      pods: [
        ...podsOf(9),
        ...podsOf(20, { phase: 'Pending', scheduled: false }, 'a').map((each) => ({
          ...each,
          status: {
            phase: 'Pending',
            conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
          },
        })),
      ],
    },
    'pass',
    /nothing worse/,
  ],
  [
    'objects without anything in them',
    {
      pods: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }],
      nodes: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'x' }, status: { conditions: 'none' } }],
      events: [{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'x' }, reason: 'FailedCreate' }],
    },
    'pass',
    /nothing worse/,
  ],
])('%s', async (_name, green, status, reason) => {
  const result = await evaluate({ green });
  expect(result.reason).toMatch(reason);
  expect(result.status).toBe(status);
  // Before the first percent it is the same.
  expect((await evaluate({ green }, withoutEks, { before: true })).status).toBe(status);
  // What the old cluster has as well is none of the new one's faults, but for a DNS that is down. One that is in neither is unknown.
  const both = await evaluate({ green, blue: green });
  const other = green.dns?.length === 3 ? 'fail' : _name === 'no CoreDNS' ? 'inconclusive' : 'pass';
  expect(both.status).toBe(other);
});

test('the old cluster does not answer: absolute limits alone, and it says so', async () => {
  const blue = new KubernetesError('unreachable', 'https://blue: list pods: connect ETIMEDOUT');
  const well = await evaluate({ blue });
  expect(well).toMatchObject({ status: 'pass' });
  expect(well.reason).toMatch(
    /^green: nothing worse .*; blue was not read, absolute limits alone count \(https:\/\/blue: list pods: connect ETIMEDOUT\)$/,
  );
  const green = { pods: [...podsOf(10), ...podsOf(30, { ended: 100 }, 'api')] };
  expect((await evaluate({ blue, green })).status).toBe('fail');
  expect((await evaluate({ blue, green: { nodes: [node('a', 300), node('b', 300)] } })).status).toBe('fail');
});

test('the new cluster does not answer: its source has failed', async () => {
  const green = new KubernetesError('unreachable', 'https://green: list pods: connect ETIMEDOUT');
  await expect(evaluate({ green })).rejects.toThrow(SourceError);
});

test.each<[string, RegExp, readonly string[]]>([
  [
    'Node',
    /^green: nodes not read: https:\/\/k: list Node: not allowed \(403\); grant it, or leave nodes out of vitals$/,
    ['nodes'],
  ],
  ['Event', /podNetworks not read.*refusedPods not read/, ['podNetworks', 'refusedPods']],
  ['pods/proxy', /dnsAnswers not read/, ['dnsAnswers']],
])('without the right to read %s', async (denied, reason, without) => {
  const result = await evaluate({ green: { denied: [denied] } });
  expect(result.status).toBe('inconclusive');
  expect(result.reason).toMatch(reason);
  // Of the old cluster likewise: there a right is granted as easily.
  expect((await evaluate({ blue: { denied: [denied] } })).status).toBe('inconclusive');
  const vitals = withoutEks.vitals!.filter((each) => !without.includes(each));
  expect((await evaluate({ green: { denied: [denied] } }, { vitals })).status).toBe('pass');
  // A fault counts all the same.
  expect((await evaluate({ green: { denied: [denied], dns: dnsPods(2, 2) } })).status).toBe('fail');
});

test('a cluster without CoreDNS has not passed where nobody may ask whether its nodes have DNS', async () => {
  const vitals = withoutEks.vitals!.filter((each) => each !== 'nodes');
  const result = await evaluate({ green: { denied: ['Node'], dns: [] } }, { vitals });
  expect(result.status).toBe('inconclusive');
  expect(result.reason).toMatch(
    /^green: dns not read: no pod of CoreDNS, .*; grant it, or leave dns out of vitals$/,
  );
});

test('namespaces that count', async () => {
  const bad = podsOf(30, { namespace: 'ci-7', ended: 100 }, 'job');
  const green = { pods: [...podsOf(40), ...bad] };
  expect((await evaluate({ green })).status).toBe('fail');
  expect((await evaluate({ green }, { ...withoutEks, ignore: ['ci-*'] })).status).toBe('pass');
  expect((await evaluate({ green }, { ...withoutEks, namespaces: ['shop'] })).status).toBe('pass');
  expect((await evaluate({ green }, { ...withoutEks, namespaces: ['shop', 'ci-7'] })).status).toBe('fail');
});

test('times and bounds are settings', async () => {
  const pods = [...podsOf(26), ...podsOf(14, { ended: 1_200 }, 'api')];
  expect((await evaluate({ green: { pods } })).status).toBe('pass');
  expect((await evaluate({ green: { pods } }, { ...withoutEks, over: '30m' })).status).toBe('fail');
  expect((await evaluate({ green: { pods } }, { ...withoutEks, over: '30m', tolerance: 0.5 })).status).toBe(
    'pass',
  );
  const starting = { pods: [...podsOf(26), ...stuck(14, 60)] };
  expect((await evaluate({ green: starting }, { ...withoutEks, grace: '30s' })).status).toBe('fail');
  const few = { pods: [...podsOf(36), ...podsOf(4, { ended: 100 }, 'api')] };
  expect((await evaluate({ green: few })).status).toBe('pass');
  expect(
    (await evaluate({ green: few }, { ...withoutEks, alpha: 0.49, tolerance: 0.01, vitals: ['restarts'] }))
      .status,
  ).toBe('pass');
});

test('what others say stays on one line', async () => {
  const message =
    'Error creating: admission webhook "x" denied the request: \u001b[31mno\n##[error]::error::'.padEnd(
      5_000,
      'x',
    );
  const green = { events: ['a', 'b', 'c'].map((name) => refused(`${name}-1`, message)) };
  const { reason } = await evaluate({ green });
  expect(reason).not.toMatch(/[\n\u001b]|##\[/);
  expect(reason.length).toBeLessThan(500);
});

describe('EKS', () => {
  const clients = (byCluster: Record<string, object>) => (): AwsClients =>
    ({
      region: 'eu-west-1',
      eks: () =>
        Promise.resolve({
          describeCluster: ({ name }: { name: string }) =>
            Promise.resolve({ cluster: { name, ...byCluster[name] } }),
          listNodegroups: () => Promise.resolve({ nodegroups: [] }),
          listAddons: () => Promise.resolve({ addons: [] }),
        }),
    }) as unknown as AwsClients;
  const ill = {
    status: 'ACTIVE',
    health: { issues: [{ code: 'Ec2SubnetNotFound', message: 'no such subnet', resourceIds: ['subnet-1'] }] },
  };
  const eks: ClusterVitalsArgs = { vitals: ['eks'] };

  test('a fault that the old cluster has not', async () => {
    const aws = clients({ 'apps-green': ill, 'apps-blue': { status: 'ACTIVE' } });
    expect(await evaluate({}, eks, { aws })).toMatchObject({
      status: 'fail',
      reason: 'green: EKS: cluster apps-green has the issue Ec2SubnetNotFound: no such subnet (subnet-1)',
    });
    expect((await evaluate({}, eks, { aws: clients({ 'apps-green': ill, 'apps-blue': ill }) })).status).toBe(
      'pass',
    );
    const changing = clients({ 'apps-green': { status: 'UPDATING' }, 'apps-blue': { status: 'ACTIVE' } });
    expect((await evaluate({}, eks, { aws: changing })).status).toBe('pass');
  });

  test('what may not be read is untried', async () => {
    const denied = Object.assign(new Error('User is not authorized'), {
      name: 'AccessDeniedException',
      $fault: 'client',
    });
    const aws = () =>
      ({
        region: 'eu-west-1',
        eks: () =>
          Promise.resolve({
            describeCluster: () => Promise.reject(denied),
            listNodegroups: () => Promise.reject(denied),
            listAddons: () => Promise.reject(denied),
          }),
      }) as unknown as AwsClients;
    const { status, reason } = await evaluate({}, eks, { aws });
    expect(status).toBe('inconclusive');
    expect(reason).toMatch(
      /green: eks not read: EKS cluster apps-green in eu-west-1: not allowed to call eks:DescribeCluster; grant it/,
    );
  });
});

test('what it takes', () => {
  const paths = (args: object) =>
    settingsProblems(clusterVitals.kind, args as never, subject).map(({ path }) => path);
  expect(paths({})).toEqual([]);
  expect(
    paths({
      ...{ vitals: ['nods'], namespaces: [], ignore: [''], over: '0s', grace: 5, tolerance: 0, alpha: 0.5 },
      ...{ contexts: { red: 'x' }, wait: '5m' },
    }),
  ).toEqual([
    'wait',
    'vitals[0]',
    'namespaces',
    'ignore[0]',
    'over',
    'grace',
    'tolerance',
    'alpha',
    'contexts.red',
  ]);
});

test('the rights of what is looked at, and no others', () => {
  const rights = (settings: ClusterVitalsArgs) =>
    clusterVitals.kind.access!(settings, subject).map(
      ({ rule: { verbs, resources, namespace = 'all' } }) =>
        `${verbs.join()} ${resources.join()} ${namespace}`,
    );
  expect(rights({})).toEqual([
    'list pods all',
    'list events all',
    'list nodes all',
    'get pods/proxy kube-system',
  ]);
  expect(rights({ namespaces: ['shop'], vitals: ['restarts', 'dns'] })).toEqual([
    'list pods shop',
    'list nodes all',
    'list pods kube-system',
  ]);
  expect(clusterVitals.kind.permissions!({ vitals: ['nodes'] }, subject)).toEqual([]);
  expect(clusterVitals.kind.permissions!({}, { ...subject, region: 'eu-west-1' })[0]).toEqual({
    actions: ['eks:DescribeCluster', 'eks:ListNodegroups', 'eks:ListAddons'],
    resources: ['arn:*:eks:eu-west-1:*:cluster/apps-blue', 'arn:*:eks:eu-west-1:*:cluster/apps-green'],
  });
});

test('the sample has the times of Kubernetes', () => expect(ago(60)).toBe('2026-11-23T11:59:00Z'));
