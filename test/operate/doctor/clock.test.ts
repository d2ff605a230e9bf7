import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { doctorChecks, runDoctor } from '../../../lib/operate/doctor';
import { clockFindings, offClocks } from '../../../lib/operate/doctor/clock/clock-check';
import type { Kubelet } from '../clocks/kubelets';
import { Kubelets } from '../clocks/kubelets';
import { contextOf } from './checks-for-tests';

const denied = new KubernetesError('denied', 'list pods in namespace "argocd": not allowed (403)', 403);

async function clock(kubelets: readonly Kubelet[], prepare: (world: Kubelets) => void = () => undefined) {
  const world = new Kubelets(kubelets, 0.3);
  prepare(world);
  const told: string[] = [];
  const checks = doctorChecks(['clock'], { clock: { wait: world.wait, elapsed: world.elapsed } });
  const { checks: results } = await runDoctor(
    checks,
    contextOf(world, { progress: (text) => told.push(text) }),
  );
  return { ...results[0]!, told };
}

const nodes = (...skews: number[]): Kubelet[] =>
  skews.map((skew, index) => ({ name: `node-${index}`, skew, phase: -index }));

const pod = (name: string, nodeName?: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
  spec: nodeName === undefined ? {} : { nodeName },
});

test('nodes that are off are named, the worst first, with what does not bear it and the pods there', async () => {
  const {
    status,
    findings,
    looked,
    notChecked: unseen,
  } = await clock(nodes(-600, -91, -5, 0, 31, 120, -12), (world) => {
    world.pods = [pod('argocd-repo-server-1', 'node-1'), pod('argocd-server-1', 'node-3'), pod('pending')];
  });
  expect([status, looked, unseen]).toEqual(['failed', '7 nodes, up to 5 heartbeats each', []]);
  expect(findings.map(({ subject, cause, severity }) => [subject, cause, severity])).toEqual([
    ['Node node-0', 'clock-slow', 'error'],
    ['Node node-5', 'clock-fast', 'error'],
    ['Node node-1', 'clock-slow', 'error'],
    ['Node node-4', 'clock-fast', 'error'],
    ['Node node-6', 'clock-slow', 'warning'],
  ]);
  const slow = findings[2]!;
  expect(slow.message).toMatch(
    /^its clock is 1 min 3[01] s slow against the API server, and argocd-repo-server-1 of Argo CD runs there$/,
  );
  expect(slow).toMatchObject({ names: ['node-1', 'argocd-repo-server-1'], likelihood: 'certain' });
  expect(slow.evidence[0]).toMatch(/^skew -9[01]\.?\d? s ± 0\.\d s, from [45] heartbeats/);
  expect(slow.evidence.slice(1).map((line) => line.split(' (')[0])).toEqual([
    'beyond github',
    'beyond eks-token',
    'beyond new-certificate',
  ]);
  expect(slow.evidence[1]).toContain('(over 90 s slow): GitHub refuses');
  expect(slow.evidence[3]).toContain('(slow at all): TLS');
});

test('all is well, though a node is down', async () => {
  const {
    status,
    findings,
    notChecked: unseen,
  } = await clock([...nodes(0.2, -1), { name: 'gone', skew: 500, phase: -900, until: -800 }]);
  expect([status, findings]).toEqual(['passed', []]);
  expect(unseen).toEqual([
    expect.stringMatching(/^Node gone: it has not renewed its Lease for 8\d\d s: down/),
  ]);
});

test('where nearly all nodes agree, the API server is off, and who is right with it is not', async () => {
  const { findings } = await clock(nodes(60, 60.3, 59.8, 60, 60.1, 0));
  expect(findings).toMatchObject([
    {
      ...{ cause: 'server-clock-slow', subject: 'API server', severity: 'error', likelihood: 'likely' },
      message: '5 of 6 nodes agree that its clock is 1 min 0 s slow',
    },
    {
      cause: 'clock-slow',
      subject: 'Node node-5',
      message: expect.stringMatching(/against the other nodes$/),
    },
  ]);
});

test('two nodes that agree are no majority', async () => {
  const { findings } = await clock(nodes(60, 60));
  expect(findings.map(({ subject }) => subject)).toEqual(['Node node-0', 'Node node-1']);
});

test.each<[string, readonly Kubelet[], RegExp]>([
  ['no Leases', [], /^there are no Leases in the namespace kube-node-lease/],
  [
    'Leases that do not tell',
    nodes(...Array<number>(7).fill(0)).map((each) => ({ ...each, managedFields: [] })),
    /^Nodes node-0, .* and 2 more: its Lease does not show/,
  ],
])('%s: unknown', async (_, kubelets, text) => {
  const { status, notChecked: unseen } = await clock(kubelets);
  expect(status).toBe('unknown');
  expect(unseen).toEqual([expect.stringMatching(text)]);
});

test('without the right to read pods, the nodes are named all the same; without that to read Leases, nothing is', async () => {
  const some = await clock(nodes(-91), (world) => (world.failures = { Pod: denied }));
  expect(some).toMatchObject({ status: 'failed', notChecked: [expect.stringContaining(denied.message)] });
  const none = await clock(nodes(-91), (world) => (world.failures = { Lease: denied }));
  expect(none).toMatchObject({ status: 'unknown', notChecked: [denied.message] });
});

test('it says how far it is, and lists Leases once a look', async () => {
  const { told } = await clock(nodes(...Array<number>(1200).fill(0)));
  expect(told[0]).toBe('clock: 0 of 1,200 nodes');
  expect(told.at(-1)).toBe('clock: 1,200 of 1,200 nodes');
});

test.each([
  [59.4, '59.4 s'],
  [59.97, '1 min 0 s'],
  [119.7, '2 min 0 s'],
  [-150.2, '2 min 30 s'],
])('a clock that is off by %d s is told as %s', (seconds, words) => {
  const clock = {
    node: 'one',
    lease: '1',
    seconds,
    uncertainty: 0.1,
    median: seconds,
    spread: 0,
    samples: 4,
  };
  const [finding] = clockFindings(offClocks([clock]), 1, new Map());
  expect(finding!.message).toContain(`its clock is ${words} ${seconds < 0 ? 'slow' : 'fast'}`);
});
