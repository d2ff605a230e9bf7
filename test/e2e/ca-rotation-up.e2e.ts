import * as k8s from '@pulumi/kubernetes';
import { readCertificates } from '../../lib/core/certificates/x509';
import { Manifests } from '../../lib/pulumi/bridge';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { jobKubelet } from './bench/job-kubelet';
import { moto } from './bench/moto';
import type { MountedWebhook } from './bench/mounted-webhook';
import { mountedWebhook } from './bench/mounted-webhook';
import { countText, PodStream } from './bench/pod-stream';
import type { PulumiStack } from './bench/pulumi-stack';
import { pulumiStack } from './bench/pulumi-stack';
import type { Commit } from './bench/ca-rotation-world';
import { chartOf, optIn, rotation, RekeyWorld, service } from './bench/ca-rotation-world';

const leaf = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: `${service.name}-webhook`, namespace: service.namespace },
};

/** The tests are the life of one stack, in this order. */
let plane: ControlPlane;
let stack: PulumiStack;
let world: RekeyWorld;
let webhook: MountedWebhook;
let stream: PodStream;

const program = (commit: Commit) => () => {
  const kubeconfig = JSON.stringify(plane.kubeconfig);
  const provider = new k8s.Provider('plane', { kubeconfig });
  new Manifests('gate', { chart: chartOf(commit), gates: { kubeconfig } }, { provider });
  return Promise.resolve();
};
const up = (commit: Commit) => stack.up({ program: program(commit) });
const signer = async () => (await plane.api.get(leaf)).spec.issuerRef.name as string;
const subjects = async () => [
  ...new Set(readCertificates(await world.bundle()).map(({ subject }) => subject)),
];
const result = () =>
  rotation(
    ['result', '--namespace', service.namespace, '--name', 'gates', '--generation', '2', '--json'],
    plane.kubeconfigFile,
  );

beforeAll(async () => {
  // Nobody but the test runs pods.
  plane = await controlPlane({ nodes: 0, certManager: true });
  world = new RekeyWorld(plane);
  stack = await pulumiStack(() => Promise.resolve(), { aws: await moto() });
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: service.namespace } });
  jobKubelet(plane.api, world, service.namespace);
});
afterAll(() => stream.stop());

test('up makes the first generation', async () => {
  expect(await up({ generation: 1 })).toMatchObject({ succeeded: true, errors: [] });
  await eventually('injected', async () => (await subjects()).length > 0);
  webhook = await mountedWebhook({
    api: plane.api,
    service,
    secretName: leaf.metadata.name,
    delays: [500, 1500],
  });
  await eventually('called', async () => {
    stream = new PodStream({ apis: [plane.api], name: `first-${Date.now()}`, labels: optIn });
    await new Promise((done) => setTimeout(done, 300));
    const { tries, created } = await stream.stop();
    return tries > 3 && tries === created;
  });
  stream = new PodStream({ apis: [plane.api], name: 'stream', labels: optIn });
});

test('publish: one up, which waits for the Job', async () => {
  expect(await up({ generation: 2, phase: 'publish' })).toMatchObject({ succeeded: true, errors: [] });
  await eventually('both', async () => (await subjects()).length === 2);
  expect(await result()).toMatchObject({
    status: 0,
    document: {
      passed: true,
      jobs: [{ state: 'succeeded', message: [expect.stringMatching(/holds both/)] }],
    },
  });
});

test('switch too soon: the up fails with what the gate said, and nothing of the phase is there', async () => {
  const early: Commit = { generation: 2, phase: 'switch', settle: '1h', wait: '0s' };
  expect(await stack.preview({ program: program(early) })).toMatchObject({ succeeded: true });
  const found = await up(early);
  expect(found.succeeded).toBe(false);
  expect(found.errors.join('\n')).toMatch(
    /the Job gates-g2-gate-[0-9a-f]{8}, which says whether this may change, has failed\n *The phase publish is not over:\n *MutatingWebhookConfiguration gate\.pods\.example\.com, .*3\d\d\d s are left to wait/,
  );
  expect(await signer()).toBe('gates-g1');
  expect(await result()).toMatchObject({ status: 1, document: { passed: false } });
});

test('switch, when it is time', async () => {
  expect(await up({ generation: 2, phase: 'switch' })).toMatchObject({ succeeded: true, errors: [] });
  expect(await signer()).toBe('gates-g2');
});

test('retire: one up, which waits for the pods', async () => {
  expect(await up({ generation: 2, phase: 'retire' })).toMatchObject({ succeeded: true, errors: [] });
  await eventually('the new one alone', async () => (await subjects()).join() === 'CN=gates-g2');
  expect(await result()).toMatchObject({ status: 0, document: { passed: true } });
  expect(new Set(webhook.pods.map(({ serving }) => serving)).size).toBe(1);
});

test('the CA rotation is left out, and what was only for it goes', async () => {
  expect(await up({ generation: 2 })).toMatchObject({ succeeded: true, errors: [] });
  expect((await plane.api.list('batch/v1', 'Job', { namespace: service.namespace })).length).toBe(0);
  const again = await up({ generation: 2 });
  expect(again).toMatchObject({ succeeded: true, operations: [] });
  const count = await stream.stop();
  process.stdout.write(`\n${countText('a CA rotation by pulumi up', count)}`);
  expect(count.refusals).toEqual(new Map());
  expect(count.tries).toBeGreaterThan(200);
});
