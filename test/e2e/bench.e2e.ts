import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { failedFiles, summary } from './repeat';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { programs } from './bench/control-plane-programs';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import { descendants, listenAddresses, runningProcesses } from './bench/listeners';
import { CertificateAuthority } from './bench/pki';
import type { WebhookServer } from './bench/webhook-server';
import { serviceAddress, webhookServer } from './bench/webhook-server';

const deployment = (
  name: string,
  replicas: number,
  labels: Record<string, string> = {},
): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name, ...labels } },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
    },
  },
});

const pod = (name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }], ...more },
});

const readyCondition = async (plane: ControlPlane, ref: KubernetesObject): Promise<string | undefined> =>
  (await plane.api.get(ref)).status?.conditions?.find(({ type }: { type: string }) => type === 'Ready')
    ?.status;

let blue: ControlPlane;
let green: ControlPlane;

beforeAll(async () => {
  [blue, green] = await Promise.all([
    controlPlane({ name: 'blue', nodes: 2 }),
    controlPlane({ name: 'green', nodes: 1 }),
  ]);
});

test('nodes carry the labels that a kubelet sets, by which charts select', async () => {
  const [node] = await blue.api.list('v1', 'Node');
  expect(node!.metadata.labels).toMatchObject({ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' });
});

test('two control planes start side by side, each with nodes of its own', async () => {
  const nodes = async (plane: ControlPlane) =>
    (await plane.api.list('v1', 'Node')).map(({ metadata }) => metadata.name);
  expect(await nodes(blue)).toEqual(['blue-1', 'blue-2']);
  expect(await nodes(green)).toEqual(['green-1']);
});

test('a Deployment becomes ready, and the audit log tells who wrote what', async () => {
  const since = new Date();
  await blue.api.apply(deployment('web', 5), { fieldManager: 'someone' });
  await eventually(
    'web ready',
    async () => (await blue.api.get(deployment('web', 5))).status?.readyReplicas === 5,
  );

  const [written, ...others] = blue.audit({ since, resource: 'deployments', subresource: undefined });
  expect(others).toEqual([]);
  expect(written).toMatchObject({
    user: 'admin',
    verb: 'patch',
    group: 'apps',
    namespace: 'default',
    name: 'web',
    status: 201,
    body: { spec: { replicas: 5 } },
  });
  expect(written!.uri).toContain('fieldManager=someone');
  expect(written!.at.getTime()).toBeGreaterThanOrEqual(since.getTime());
  const writers = (resource: string, verb: string) =>
    new Set(blue.audit({ since, resource, verb, namespace: 'default' }).map(({ user }) => user));
  expect(writers('pods', 'create')).toEqual(
    new Set(['system:kube-controller-manager', 'system:kube-scheduler']),
  );
  expect(writers('pods', 'patch')).toEqual(new Set(['kwok']));
  expect(green.audit({ resource: 'deployments' })).toEqual([]);
});

test('pods and nodes are sick on demand, readiness waits for gates, and Jobs end', async () => {
  const [sick, gated] = [
    pod('sick'),
    pod('gated', { readinessGates: [{ conditionType: 'example.com/in' }] }),
  ];
  await blue.apply([
    sick,
    gated,
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once', namespace: 'default' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: pod('x').spec.containers } } },
    },
  ]);
  const state = (ref: KubernetesObject, status: string) =>
    eventually(`${ref.metadata.name} ${status}`, async () => (await readyCondition(blue, ref)) === status);
  await state(sick, 'True');
  await blue.api.patch(sick, { metadata: { labels: { sick: 'true' } } });
  await state(sick, 'False');
  await blue.api.patch(sick, { metadata: { labels: { sick: null } } });
  await state(sick, 'True');

  await state(gated, 'False');
  const condition = { type: 'example.com/in', status: 'True' };
  await blue.api.patch(
    gated,
    { status: { conditions: [condition] } },
    {
      type: 'strategic-merge',
      subresource: 'status',
    },
  );
  await state(gated, 'True');

  await eventually('job complete', async () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once' } };
    return (await blue.api.get(job)).status?.succeeded === 1;
  });

  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'blue-2' } };
  await blue.api.patch(node, { metadata: { labels: { sick: 'true' } } });
  await state(node, 'False');
  await blue.api.patch(node, { metadata: { labels: { sick: null } } });
  await state(node, 'True');
});

test('kubectl works, and a field that does not exist is refused', async () => {
  expect(await green.kubectl('get', 'nodes', '--output=name')).toBe('node/green-1\n');
  await expect(green.kubectl('get', 'pod', 'missing')).rejects.toThrow('NotFound');
  await expect(green.api.create(pod('typo', { nodeNmae: 'x' }), { dryRun: true })).rejects.toThrow(
    'unknown field "spec.nodeNmae"',
  );
  await green.api.create(pod('dry'), { dryRun: true });
  expect(await green.api.find(pod('dry'))).toBeUndefined();
});

test('rights are those of the user', async () => {
  const reader = await green.apiFor('someone', ['readers']);
  await expect(reader.list('v1', 'Pod')).rejects.toMatchObject({ status: 403, reason: 'Forbidden' });
});

test('what is written is there after the API server and etcd were killed', async () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept', namespace: 'default' },
    data: { key: 'value' },
  };
  await green.apply(object);
  await green.kill('kube-apiserver');
  await expect(green.api.get(object)).rejects.toThrow();
  await green.restart('etcd');
  await green.start('kube-apiserver');
  expect(await green.api.get(object)).toMatchObject({ data: { key: 'value' } });
  for (const program of ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const) {
    await green.restart(program);
  }
  await green.apply(deployment('after', 2));
  await eventually(
    'ready',
    async () => (await green.api.get(deployment('after', 2))).status?.readyReplicas === 2,
  );
});

test('nothing listens outside of the loopback range', () => {
  for (const plane of [blue, green]) {
    for (const program of programs) {
      expect({
        program,
        addresses: listenAddresses(plane.process(program).pid!).filter((each) => each !== '127.0.0.1'),
      }).toEqual({ program, addresses: [] });
    }
    expect(listenAddresses(plane.process('kube-apiserver').pid!)).toEqual(['127.0.0.1']);
  }
});

describe('webhooks', () => {
  const configuration = (
    name: string,
    clientConfig: object,
    authority: CertificateAuthority,
  ): KubernetesObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 3,
        objectSelector: { matchLabels: { hook: name } },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        clientConfig: { ...clientConfig, caBundle: Buffer.from(authority.certificate).toString('base64') },
      },
    ],
  });
  const asked = (hook: string, name: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { hook } },
  });
  const firstCall = (hook: string, server: WebhookServer) =>
    eventually(`${hook} called`, async () => {
      await blue.api.create(asked(hook, `first-${Math.random().toString(36).slice(2)}`));
      return server.calls.length > 0;
    });

  test.each(['by-url', 'by-service'])(
    'are called %s; a certificate is seen on new connections',
    async (hook) => {
      const authority = await CertificateAuthority.create('webhook-ca');
      const stranger = await CertificateAuthority.create('stranger-ca');
      const leaf = { name: 'hook', hosts: ['hook.default.svc'], addresses: ['127.0.0.1'] };
      const byUrl = hook === 'by-url';
      const server = await webhookServer({
        keyPair: await authority.issue(leaf),
        address: byUrl ? '127.0.0.1' : serviceAddress,
      });
      await blue.apply([
        ...(byUrl ? [] : server.service('hook', 'default')),
        configuration(
          hook,
          byUrl
            ? { url: `${server.url}/validate` }
            : { service: { name: 'hook', namespace: 'default', path: '/validate' } },
          authority,
        ),
      ]);
      await firstCall(hook, server);
      expect(server.calls[0]).toMatchObject({
        path: '/validate',
        request: { operation: 'CREATE', namespace: 'default', object: { kind: 'ConfigMap' } },
      });

      server.answer = () => ({ allowed: false, message: 'not today' });
      await expect(blue.api.create(asked(hook, `${hook}-denied`))).rejects.toThrow('not today');
      server.answer = () => ({ allowed: true });

      server.present(await stranger.issue(leaf));
      await expect(blue.api.create(asked(hook, `${hook}-unverified`))).rejects.toThrow(
        /failed to verify certificate/,
      );
      server.present(await authority.issue(leaf));
      await blue.api.create(asked(hook, `${hook}-verified`));
      await server.stop();
      await expect(blue.api.create(asked(hook, `${hook}-down`))).rejects.toThrow(/failed calling webhook/);
      await server.start();
      await blue.api.create(asked(hook, `${hook}-up`));
    },
  );
});

test('a suite that is killed leaves no process', async () => {
  const root = resolve(__dirname, '../..');
  const child = spawn(
    process.execPath,
    ['-r', 'ts-node/register/transpile-only', join(root, 'test/e2e/run.ts'), 'endless'],
    {
      cwd: root,
      env: { ...process.env, TS_NODE_PROJECT: 'tsconfig.dev.json' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const ended = new Promise((done) => child.on('exit', done));
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  try {
    await eventually('the inner suite runs', () => output.includes('running'));
    const below = descendants(child.pid!, runningProcesses());
    expect(below.map(({ command }) => command).join('\n')).toContain('kube-apiserver');
    child.kill('SIGKILL');
    await ended;
    const all = new Set(below.map(({ pid }) => pid));
    await eventually('all ended', () => !runningProcesses().some(({ pid }) => all.has(pid)));
  } finally {
    child.kill('SIGKILL');
    // Whatever survived would keep it open.
    child.stdout.destroy();
  }
});

test('a file that fails is named, and what the repeated run says of it counts', () => {
  const fileOf = (name: string) => `/suite/test/e2e/${name}.e2e.ts`;
  const report = (files: Readonly<Record<string, string[]>>) => ({
    testResults: Object.entries(files).map(([name, statuses]) => ({
      name: fileOf(name),
      status: statuses.includes('failed') ? ('failed' as const) : ('passed' as const),
      assertionResults: statuses.map((status) => ({ status })),
    })),
  });
  const first = report({ shift: ['passed', 'failed'], drain: ['passed', 'passed', 'passed'] });
  expect(failedFiles(first)).toEqual([fileOf('shift')]);
  expect(summary(first)).toBe('Tests:       1 failed, 4 passed, 5 total');
  expect(summary(first, report({ shift: ['passed', 'passed'] })).split('\n')).toEqual([
    'Failed at first, and run once more: shift',
    'Tests:       5 passed, 5 total',
  ]);
  expect(summary(first, report({ shift: ['passed', 'failed'] }))).toContain(
    'Tests:       1 failed, 4 passed, 5 total',
  );
});
