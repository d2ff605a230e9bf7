import { Chart, Testing } from 'cdk8s';
import type { KubernetesApi as Reader } from '../../lib/core/kubernetes/api';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import { clockTaint } from '../../lib/core/names';
import { ClockSkewGuard } from '../../lib/manifests/clock-guard';
import type { DoctorCheck, DoctorFinding } from '../../lib/operate/doctor';
import { doctorChecks, runDoctor } from '../../lib/operate/doctor';
import { onCleanUp } from './bench/clean-up';
import { startCommand } from './bench/command';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesApi, KubernetesObject } from './bench/kubernetes-api';
import { ShiftedKubelets } from './bench/shifted-kubelets';
import { freePort } from './bench/temporary';

/** Skews in seconds, by node. */
const skews: Readonly<Record<string, number>> = {
  'slow-600': -600,
  'slow-91': -91,
  'slow-5': -5,
  right: 0,
  'fast-31': 31,
  'fast-120': 120,
};

const rbac = 'rbac.authorization.k8s.io/v1';
const guardNamespace = 'clock-guard';
const guardUser = `system:serviceaccount:${guardNamespace}:clock-guard`;

let plane: ControlPlane;
let kubelets: ShiftedKubelets;

const namespace = (name: string): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: { name },
});

beforeAll(async () => {
  // The nodes' heartbeats come from the test.
  plane = await controlPlane({ name: 'hub', nodes: 0 });
  kubelets = new ShiftedKubelets(plane.api, 1_000);
  await plane.apply([namespace('argocd'), namespace(guardNamespace)]);
});

async function opened(kubeconfig: string): Promise<Reader> {
  const api = await openKubernetes({ kubeconfig });
  onCleanUp(() => api.close());
  return api;
}

async function clock(kubeconfig: string) {
  const checks: readonly DoctorCheck[] = doctorChecks(['clock'], {
    clock: { samples: 5, interval: 500, deadline: 20_000 },
  });
  const { checks: results } = await runDoctor(checks, {
    ...{ api: await opened(kubeconfig), namespace: 'argocd', concurrency: 8 },
    now: () => new Date(),
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  return results[0]!;
}

/** The skew that a finding tells, in seconds. */
const skewOf = ({ evidence }: DoctorFinding): number => Number(/^skew ([-+][\d.]+) s/.exec(evidence[0]!)![1]);
const bearers = ({ evidence }: DoctorFinding): string[] =>
  evidence.slice(1).map((line) => /^beyond ([a-z-]+)/.exec(line)![1]!);

describe('doctor clock', () => {
  beforeAll(async () => {
    await Promise.all(Object.entries(skews).map(([node, skew]) => kubelets.start(node, skew)));
    await plane.apply({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'argocd-repo-server-0', namespace: 'argocd' } },
      spec: { nodeName: 'slow-91', containers: [{ name: 'main', image: 'registry.example.com/argocd:1' }] },
    });
  });

  test('estimates are within a second of the truth, and verdicts are right', async () => {
    const { status, findings, looked, notChecked: unseen } = await clock(plane.kubeconfigFile);
    expect(status).toBe('failed');
    expect(looked).toMatch(/^6 nodes, up to [5-9] heartbeats each$/);
    expect(unseen).toEqual([]);
    const byNode = new Map(findings.map((finding) => [finding.subject.replace('Node ', ''), finding]));
    expect([...byNode.keys()]).toEqual(['slow-600', 'fast-120', 'slow-91', 'fast-31']);
    for (const [node, finding] of byNode) {
      expect(Math.abs(skewOf(finding) - skews[node]!)).toBeLessThan(1);
      expect(finding).toMatchObject({ severity: 'error', likelihood: 'certain' });
    }
    expect(Object.fromEntries([...byNode].map(([node, finding]) => [node, bearers(finding)]))).toEqual({
      'slow-600': ['github', 'eks-token', 'aws-request', 'new-certificate', 'cluster-certificate'],
      'fast-120': ['github'],
      'slow-91': ['github', 'eks-token', 'new-certificate'],
      'fast-31': ['github'],
    });
    expect(byNode.get('slow-91')!.message).toMatch(/and argocd-repo-server-0 of Argo CD runs there$/);
  });

  test('the command says the same, with exit status 1', async () => {
    const { status, stdout } = await startCommand(
      {},
      ...['doctor', 'clock', '--json', '--kubeconfig', plane.kubeconfigFile],
    ).result;
    expect(status).toBe(1);
    const document = JSON.parse(stdout) as { checks: any[]; causes: any[] };
    expect(document.checks).toMatchObject([{ id: 'clock', status: 'failed' }]);
    expect(document.causes.map(({ subject }) => subject)).toHaveLength(4);
  });

  test('without the right to read pods, nodes are named all the same; without that for Leases, none is', async () => {
    const user = 'lease-reader';
    const metadata = { name: user, namespace: 'kube-node-lease' };
    await plane.apply([
      {
        ...{ apiVersion: rbac, kind: 'Role', metadata },
        rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] }],
      },
      {
        ...{ apiVersion: rbac, kind: 'RoleBinding', metadata },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
    ]);
    const some = await clock(await plane.kubeconfigFor(user, ['system:authenticated']));
    expect(some.findings).toHaveLength(4);
    expect(some.notChecked).toEqual([
      expect.stringMatching(/^which pods of Argo CD run on them: .*verb "list" on resource "pods"/),
    ]);
    const none = await clock(await plane.kubeconfigFor('nobody', ['system:authenticated']));
    expect(none).toMatchObject({ status: 'unknown', findings: [] });
    expect(none.notChecked[0]).toMatch(/verb "list" on resource "leases" of API group "coordination.k8s.io"/);
  });
});

describe('the gate', () => {
  const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const own = { key: 'example.com/own', effect: 'NoSchedule' };
  const taintsOf = async (name: string): Promise<string[]> =>
    ((await plane.api.get(node(name)))['spec'].taints ?? []).map(({ key }: { key: string }) => key);
  const isGated = async (name: string): Promise<boolean> => (await taintsOf(name)).includes(clockTaint.key);
  let port = 0;
  let asGuard: KubernetesApi;

  beforeAll(async () => {
    const chart = new Chart(Testing.app(), 'guard');
    const image = `registry.example.com/cluster-canary@sha256:${'0a'.repeat(32)}`;
    new ClockSkewGuard(chart, 'guard', { namespace: guardNamespace, image, gate: true, monitoring: false });
    await plane.apply(Testing.synth(chart) as KubernetesObject[]);
    for (const [name, skew] of Object.entries({ 'new-right': 0.5, 'new-fast': 91 })) {
      // kwok leaves nodes alone whose Lease somebody else holds. To it, one of a slow clock has run out.
      await kubelets.start(name, skew);
      await plane.api.create({ ...node(name), spec: { taints: [clockTaint, own] } });
    }
    const groups = [
      'system:serviceaccounts',
      `system:serviceaccounts:${guardNamespace}`,
      'system:authenticated',
    ];
    asGuard = await plane.apiFor(guardUser, groups);
    port = await freePort();
    startCommand(
      {},
      ...['guard-clocks', '--gate', '--interval', '1', '--port', String(port), '--host', '127.0.0.1'],
      ...['--kubeconfig', await plane.kubeconfigFor(guardUser, groups)],
    );
  });

  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

  test('a node takes pods as soon as its clock is known to be right, and keeps the taints of others', async () => {
    await eventually('the right node opened', async () => !(await isGated('new-right')));
    expect(await taintsOf('new-right')).toContain(own.key);
    expect(await isGated('new-fast')).toBe(true);
  });

  test('one whose clock is off takes none, is told of, and opens when its clock is set', async () => {
    await eventually('told of', async () =>
      (await metrics()).includes('cluster_canary_clock_gate_waiting{node="new-fast"} 1'),
    );
    const skew = /cluster_canary_node_clock_skew_seconds\{node="new-fast"\} (\S+)/.exec(await metrics())![1];
    expect(Math.abs(Number(skew) - 91)).toBeLessThan(1);
    expect(await isGated('new-fast')).toBe(true);
    kubelets.set('new-fast', 0);
    await eventually('the fast node opened', async () => !(await isGated('new-fast')));
    expect(await metrics()).toMatch(/cluster_canary_clock_gate_opened_total 2/);
  });

  test('a Lease that another program renews is measured as well', async () => {
    await plane.addNode('by-kwok');
    const skew = /cluster_canary_node_clock_skew_seconds\{node="by-kwok"\} (\S+)/;
    await eventually('measured', async () => skew.test(await metrics()));
    expect(Math.abs(Number(skew.exec(await metrics())![1]))).toBeLessThan(1);
  });

  test.each<[string, (taints: readonly object[]) => object]>([
    ['cordon a node', () => ({ spec: { unschedulable: true } })],
    ['label a node', () => ({ metadata: { labels: { 'example.com/role': 'ingress' } } })],
    ['take a taint of others away', (taints) => ({ spec: { taints: taints.slice(1) } })],
    ['taint a node', (taints) => ({ spec: { taints: [...taints, clockTaint] } })],
  ])('the guard can not %s, though it may patch nodes', async (_, patchOf) => {
    const { taints } = (await plane.api.get(node('new-right')))['spec'];
    await expect(asGuard.patch(node('new-right'), patchOf(taints))).rejects.toMatchObject({
      status: 403,
      message: expect.stringMatching(/ValidatingAdmissionPolicy 'nodes\.clock-guard\.clock-guard/) as string,
    });
    // Others are not evaluated.
    await plane.api.patch(node('new-right'), patchOf(taints), { dryRun: true });
  });

  test('nor does it write anything else', async () => {
    const verbs = plane.audit({ user: guardUser }).filter(({ verb }) => !['get', 'list'].includes(verb));
    expect([...new Set(verbs.map(({ verb, resource }) => `${verb} ${resource}`))]).toEqual(['patch nodes']);
    await expect(asGuard.list('v1', 'Secret', { namespace: guardNamespace })).rejects.toMatchObject({
      status: 403,
    });
  });
});
