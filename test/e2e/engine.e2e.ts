import { DescribeVpcsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { LoadBalancing } from './bench/aws-load-balancing';
import type { AwsCall } from './bench/aws-proxy-call';
import type { AwsFault } from './bench/aws-proxy-faults';
import { onCleanUp } from './bench/clean-up';
import { eventually } from './bench/eventually';
import { refusal, seen, unchanged, withBlue, withWeights } from './bench/fleet-runs';
import type { KubernetesObject } from './bench/kubernetes-api';
import { descendants, runningProcesses } from './bench/listeners';
import type { FleetBench, FleetCluster } from './bench/pulumi-fleet';
import { fleetBench } from './bench/pulumi-fleet';
import { EksUpgrade } from './bench/eks-upgrade';
import { previewedResources, registeredResources } from './bench/pulumi-preview';
import { worldOf } from './bench/pulumi-world';

/** The tests are the life of one stack, in this order. */
let bench: FleetBench;
let balancing: LoadBalancing;

beforeAll(async () => {
  bench = await fleetBench(require);
  balancing = new LoadBalancing(bench.aws);
  onCleanUp(() => balancing.close());
});

async function weights(): Promise<Record<string, number>> {
  const listener = (await bench.stack.state()).find(({ urn }) => urn.endsWith('::edge-https'));
  return balancing.weights(listener!.id!);
}

const names = async (cluster: FleetCluster, apiVersion: string, kind: string, namespace?: string) =>
  (await bench.planes[cluster].api.list(apiVersion, kind, { namespace })).map(
    ({ metadata }: KubernetesObject) => metadata.name,
  );

/** The plugins of this file's engine that run, and the engines that started them; other test files have engines, too. */
function pluginProcesses(): { plugins: number[]; parents: number[] } {
  const plugins = descendants(process.pid, runningProcesses()).filter(
    ({ command }) => command.includes('/plugins-') && /\/providers\/[a-z-]+\.js /.test(command),
  );
  return {
    plugins: plugins.map(({ pid }) => pid),
    parents: [...new Set(plugins.map(({ parent }) => parent))],
  };
}

test.each<[AwsFault, object]>([
  ['throttling', { name: 'RequestLimitExceeded' }],
  ['accessDenied', { name: 'UnauthorizedOperation', $metadata: { httpStatusCode: 403 } }],
  [{ status: 500 }, { name: 'InternalFailure', $metadata: { httpStatusCode: 500 } }],
  ['timeout', { name: 'TimeoutError' }],
  ['answerLost', { message: expect.stringContaining('socket hang up') as string }],
])('the AWS SDK takes the fault %j for what it stands for', async (fault, expected) => {
  const { proxy, settings } = bench.aws;
  const requestHandler = { requestTimeout: 500, throwOnRequestTimeout: true };
  const client = new EC2Client({ ...settings, maxAttempts: 1, requestHandler });
  proxy.fail({ action: 'DescribeVpcs', fault });
  await expect(client.send(new DescribeVpcsCommand({}))).rejects.toMatchObject(expected);
  expect((await client.send(new DescribeVpcsCommand({}))).Vpcs).toHaveLength(1);
  client.destroy();
});

test('up puts the whole weight on the slot that serves', async () => {
  const up = await bench.stack.up();
  expect(seen(up)).toMatchObject({ succeeded: true, errors: [] });
  expect(await weights()).toEqual({ 'apps-blue-web': 100, 'apps-green-web': 0 });
  expect(Object.keys(up.outputs)).toEqual(expect.arrayContaining(['kubeconfigs', 'loadBalancer']));
});

test('the hub knows the project, the applications and both clusters', async () => {
  const { api } = bench.planes['hub-blue'];
  expect(await names('hub-blue', 'argoproj.io/v1alpha1', 'AppProject', 'argocd')).toEqual(['apps']);
  expect(await names('hub-blue', 'argoproj.io/v1alpha1', 'ApplicationSet', 'argocd')).toEqual(['podinfo']);
  const secrets = await api.list('v1', 'Secret', {
    namespace: 'argocd',
    labelSelector: 'argocd.argoproj.io/secret-type=cluster',
  });
  const decoded = (text: string) => Buffer.from(text, 'base64').toString();
  expect(
    secrets.map(({ metadata, data }) => [metadata.name, decoded(data.name), decoded(data.server)]).sort(),
  ).toEqual((['apps-blue', 'apps-green'] as const).map((name) => [name, name, bench.planes[name].server]));
});

test.each(['apps-blue', 'apps-green'] as const)('%s has its namespace and its binding', async (cluster) => {
  expect(await names(cluster, 'v1', 'Namespace')).toEqual(expect.arrayContaining(['platform', 'podinfo']));
  const bindings = await bench.planes[cluster].api.list('elbv2.k8s.aws/v1beta1', 'TargetGroupBinding');
  const state = await bench.stack.state();
  const group = state.find(({ urn }) => urn.endsWith(`TargetGroup::${cluster}-web`));
  expect(bindings.map(({ spec }) => spec)).toEqual([
    {
      serviceRef: { name: 'podinfo', port: 9898 },
      targetGroupARN: group!.id,
      targetType: 'ip',
    },
  ]);
});

test('a second up changes nothing', async () => {
  const before = await worldOf(bench);
  expect(seen(await bench.stack.up())).toEqual(unchanged);
  expect(await worldOf(bench)).toEqual(before);
});

test('other weights are one call', async () => {
  const before = bench.aws.proxy.changes().length;
  const up = await bench.stack.up({ program: bench.program(withWeights('{ blue: 90, green: 10 }')) });
  expect(seen(up)).toEqual({
    ...unchanged,
    operations: ['update aws:lb/listenerRule:ListenerRule apps-web'],
  });
  const calls = bench.aws.proxy.changes().slice(before);
  expect(calls.map(({ action }: AwsCall) => action)).toEqual(['ModifyRule']);
  expect(await weights()).toEqual({ 'apps-blue-web': 90, 'apps-green-web': 10 });
});

test('weights that AWS does not take at first are there in the end', async () => {
  bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'throttling', times: 2 });
  const up = await bench.stack.up({ program: bench.program(withWeights('{ blue: 100 }')) });
  expect(seen(up)).toMatchObject({ succeeded: true });
  expect(bench.aws.proxy.callsOf('ModifyRule').map(({ status }) => status)).toEqual([200, 400, 400, 200]);
  expect(await weights()).toEqual({ 'apps-blue-web': 100, 'apps-green-web': 0 });
});

test('wrong weights change nothing', async () => {
  const before = await worldOf(bench);
  const program = bench.program(withWeights('{ blue: 90, green: 20 }'));
  for (const run of [await bench.stack.preview({ program }), await bench.stack.up({ program })]) {
    expect(run.succeeded).toBe(false);
    expect(run.errors.join('\n')).toMatch(/FleetTraffic "apps"[^]*add up to 100; these add up to 110/);
  }
  expect(await worldOf(bench)).toEqual(before);
});

test('another cluster name is refused in a preview, and nothing changes', async () => {
  const before = await worldOf(bench);
  const preview = await bench.stack.preview({ program: bench.program(withBlue("clusterName: 'other'")) });
  expect(preview.succeeded).toBe(false);
  expect(preview.errors.join('\n')).toMatch(refusal);
  expect(await worldOf(bench)).toEqual(before);
});

test('another version of a cluster that only the engine sees is refused by a hook', async () => {
  const raw = "blue: { version: '1.35', nodes, clusterArgs: { version: pulumi.output('1.36') } }";
  const program = bench.program({ from: "blue: { version: '1.35', nodes }", to: raw });
  for (const run of [await bench.stack.preview({ program }), await bench.stack.up({ program })]) {
    expect(run.succeeded).toBe(false);
    expect(run.errors.join('\n')).toMatch(/before hook[^]*apps-blue-eksCluster.version[^]*carries 100 %/);
  }
  // An account that does not know the cluster can't say what traffic it has.
  bench.aws.proxy.fail({ action: 'GET /clusters/apps-blue', fault: 'notFound', times: 100 });
  const unseen = await bench.stack.preview({ program });
  bench.aws.proxy.heal();
  expect(unseen.succeeded).toBe(false);
  expect(unseen.errors.join('\n')).toMatch(/before hook[^]*find no cluster "apps-blue" in eu-west-1/);
});

test('a preview hears what EKS says of the older slot; an update asks nothing', async () => {
  const upgrade = new EksUpgrade(bench.aws);
  upgrade.insights = [{ id: 'i-1', name: 'Deprecated APIs', status: 'ERROR', reason: 'called today' }];
  const preview = await bench.stack.preview({ program: bench.program() });
  bench.aws.proxy.standIn = undefined;
  const warnings = preview.events.flatMap(({ diagnosticEvent }) =>
    diagnosticEvent?.severity === 'warning' ? diagnosticEvent.message : [],
  );
  expect([preview.succeeded, preview.errors]).toEqual([true, []]);
  expect(warnings.join('\n')).toMatch(
    /Kubernetes 1\.36, beside EKS cluster apps-blue: error EKS01: insight "Deprecated APIs" .*called today/,
  );
  const since = bench.aws.proxy.calls.length;
  expect(seen(await bench.stack.up({ program: bench.program() }))).toEqual(unchanged);
  const asked = bench.aws.proxy.calls.slice(since).map(({ action }) => action);
  expect(asked.filter((action) => /insights|versions/.test(action))).toEqual([]);
});

test('plain pulumi up refuses another cluster name, and ends', async () => {
  const before = await worldOf(bench);
  const up = await bench.stack.previewAndUp({ program: bench.file(withBlue("clusterName: 'other'")) });
  expect(up.succeeded).toBe(false);
  expect(up.log).toMatch(refusal);
  expect(await worldOf(bench)).toEqual(before);
});

test('plain pulumi up finds nothing to do for the example as it is', async () => {
  const before = await worldOf(bench);
  expect(seen(await bench.stack.previewAndUp({ program: bench.file() }))).toEqual(unchanged);
  expect(await worldOf(bench)).toEqual(before);
});

test('preview shows what the engine registers, but for what remote components make', async () => {
  expect(await previewedResources('fleet', 'dev')).toEqual(await registeredResources(bench.stack));
});

describe('an engine that is killed in the middle of a call', () => {
  const program = () => bench.program(withWeights('{ blue: 50, green: 50 }'));

  test('leaves none of its plugins behind', async () => {
    bench.aws.proxy.fail({ action: 'ModifyRule', fault: 'timeout' });
    const calls = () => bench.aws.proxy.callsOf('ModifyRule').length;
    const before = calls();
    const up = bench.stack.up({ program: program() });
    await eventually('the call', () => calls() > before);
    const { parents, plugins } = pluginProcesses();
    expect(plugins.length).toBeGreaterThan(3);
    parents.forEach((pid) => process.kill(pid, 'SIGKILL'));
    expect((await up).succeeded).toBe(false);
    const left = () => runningProcesses().filter(({ pid }) => plugins.includes(pid));
    await eventually('no plugins', () => left().length === 0);
  });

  test('does not keep the next one from finishing the work', async () => {
    await bench.stack.stack.cancel();
    expect(seen(await bench.stack.up({ program: program() }))).toMatchObject({ succeeded: true });
    expect(await weights()).toEqual({ 'apps-blue-web': 50, 'apps-green-web': 50 });
  });
});

test('destroy ends although an API server is dead', async () => {
  await bench.planes['apps-blue'].kill('kube-apiserver');
  const deletions = () => bench.planes['apps-green'].audit({ user: 'admin', verb: 'delete' });
  expect(seen(await bench.stack.destroy())).toMatchObject({ succeeded: true, errors: [] });
  expect(await bench.stack.state()).toEqual([]);
  expect(await balancing.left()).toEqual({ loadBalancers: [], targetGroups: [] });
  expect(deletions()).toEqual([]);
});
