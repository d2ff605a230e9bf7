import { readFileSync } from 'node:fs';
import type { KubernetesApi, KubernetesObject } from '../../lib/core/kubernetes/api';
import { KubernetesError } from '../../lib/core/kubernetes/errors';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import type { CheckSettings } from '../../lib/shift/checks';
import * as checks from '../../lib/shift/checks';
import type { Check, CheckResult, CheckWindow, ShiftSubject } from '../../lib/shift/engine';
import { argoCd } from './bench/argo-cd';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { credentialProgram } from './bench/credential-program';
import { eventually } from './bench/eventually';
import { GitRepository } from './bench/git-repository';

const configMap = (
  name: string,
  data: object = {},
  labels: Record<string, string> = {},
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data,
});
const namespaceNamed = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});
const reason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof KubernetesError ? error.reason : error),
  );

let plane: ControlPlane;
let api: KubernetesApi;

beforeAll(async () => {
  plane = await controlPlane({ name: 'hub' });
  api = await openKubernetes({ kubeconfig: plane.kubeconfigFile });
  onCleanUp(() => api.close());
});

/** The API server as a user that may do what these rules say, and nothing else. */
async function kubeconfigWith(
  user: string,
  rules: readonly object[],
  namespaces: readonly string[],
): Promise<string> {
  for (const namespace of namespaces) {
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: user, namespace } };
    await api.apply({ ...rbac, kind: 'Role', rules });
    await api.apply({
      ...rbac,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
  return plane.kubeconfigFor(user, []);
}

describe('the client, on a real API server', () => {
  test('creates, reads, replaces, patches and removes; says what stands in the way', async () => {
    const made = await api.create(configMap('one', { a: '1' }));
    expect(made.metadata).toMatchObject({ name: 'one', uid: expect.any(String) });
    expect(await reason(api.create(configMap('one')))).toBe('alreadyExists');
    const replaced = await api.replace({ ...made, data: { a: '2' } });
    expect(await reason(api.replace({ ...made, data: { a: '3' } }))).toBe('conflict');
    const patched = await api.patch(replaced, { data: { a: null, b: 'x' } });
    expect(patched.data).toEqual({ b: 'x' });
    expect(await reason(api.patch(made, { data: { b: 7 } }))).toBe('invalid');
    expect(await reason(api.create({ ...configMap('two'), dta: {} }))).toBe('invalid');
    expect(await reason(api.create(configMap('two'), { dryRun: true }))).toBe('done');
    expect(await reason(api.get(configMap('two')))).toBe('notFound');
    expect(await reason(api.remove(made, { uid: 'another' }))).toBe('conflict');
    await api.remove(made, { uid: made.metadata.uid! });
    expect(await reason(api.get(made))).toBe('notFound');
    expect(await reason(api.list({ apiVersion: 'example.com/v1', kind: 'Thing' }))).toBe('unsupported');
  });

  test('applies, owns what it has applied, and takes over only by force', async () => {
    await api.apply(configMap('shared', { a: '1' }), { fieldManager: 'me' });
    expect(await reason(api.apply(configMap('shared', { a: '2' }), { fieldManager: 'you' }))).toBe(
      'conflict',
    );
    const taken = await api.apply(configMap('shared', { a: '2' }), { fieldManager: 'you', force: true });
    expect(taken.data).toEqual({ a: '2' });
    const managers = taken.metadata.managedFields as { manager: string; operation: string }[];
    expect(managers).toEqual([expect.objectContaining({ manager: 'you', operation: 'Apply' })]);
  });

  test('lists in pages to the end, by selectors', async () => {
    for (let number = 0; number < 25; number += 1) {
      await api.create(configMap(`page-${number}`, {}, { of: number % 2 ? 'odd' : 'even' }));
    }
    const list = (options: object) =>
      api.list({ apiVersion: 'v1', kind: 'ConfigMap' }, { namespace: 'default', ...options });
    const all = await list({ pageSize: 4, labelSelector: 'of in (odd, even)' });
    expect(new Set(all.map(({ metadata }) => metadata.name)).size).toBe(25);
    expect(all.every(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap')).toBe(true);
    expect(await list({ pageSize: 4, labelSelector: 'of=odd' })).toHaveLength(12);
    expect(await list({ fieldSelector: 'metadata.name=page-7' })).toHaveLength(1);
  });

  test('logs in by an exec plugin, and says which right is missing', async () => {
    const kubeconfig = JSON.parse(readFileSync(plane.kubeconfigFile, 'utf8'));
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: await credentialProgram(plane, 'by-plugin'),
      interactiveMode: 'Never',
    };
    const text = JSON.stringify({
      ...kubeconfig,
      users: [{ name: kubeconfig.users[0].name, user: { exec } }],
    });
    const client = await openKubernetes({ kubeconfigText: text });
    await client.create(configMap('by-plugin'));
    client.close();
    await eventually('the audit log tells who', () => plane.audit({ user: 'by-plugin' }).length > 0);

    const nobody = await openKubernetes({ kubeconfig: await plane.kubeconfigFor('nobody', []) });
    const refused = nobody.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace: 'default' });
    await expect(refused).rejects.toMatchObject({
      reason: 'denied',
      message: expect.stringMatching(
        /list secrets in namespace "default".*verb "list" on resource "secrets"/,
      ),
    });
    nobody.close();
  });

  test('a read outlives a restart of the API server', async () => {
    const patient = await openKubernetes({ kubeconfig: plane.kubeconfigFile }, { attempts: 30, pause: 200 });
    await patient.list({ apiVersion: 'v1', kind: 'Node' });
    await plane.kill('kube-apiserver');
    const [nodes] = await Promise.all([
      patient.list({ apiVersion: 'v1', kind: 'Node' }),
      plane.start('kube-apiserver'),
    ]);
    expect(nodes).toHaveLength(1);
    patient.close();
  });
});

const subject: ShiftSubject = {
  layer: 'http',
  slots: { blue: { clusterName: 'apps-blue' }, green: { clusterName: 'apps-green' } },
};
const window = (): CheckWindow => ({
  stage: 'before',
  from: Date.now(),
  to: Date.now(),
  startedAt: Date.now(),
  origin: { blue: 100, green: 0 },
  live: { blue: 100, green: 0 },
  wanted: { blue: 0, green: 100 },
  next: { blue: 99, green: 1 },
  writes: [],
});

/** The check, as somebody who has exactly the rights that it says it needs. */
async function checkOf(user: string, settings: (kubeconfig: string) => CheckSettings): Promise<Check> {
  const rights = checks.checkAccess([settings('')], subject);
  const namespaces = [...new Set(rights.map(({ rule }) => rule.namespace!))];
  const rules = rights.map(({ rule: { namespace: _namespace, ...rule } }) => rule);
  const kubeconfig = await kubeconfigWith(user, rules, namespaces);
  const [check] = checks.createChecks([settings(kubeconfig)], checks.checkContext(subject));
  return check!;
}
const becomes = (
  check: Check,
  status: CheckResult['status'],
  words: RegExp,
  at = window,
): Promise<CheckResult> =>
  eventually(`${check.name}: ${status}`, async () => {
    const result = await check.evaluate(at());
    if (result.status !== status || !words.test(result.reason)) {
      throw new Error(`${result.status}: ${result.reason}`);
    }
    return result;
  });

describe('pods, as kwok plays them', () => {
  const pod = (name: string, labels: Record<string, string> = {}): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'pods', labels: { app: 'web', ...labels } },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
  });

  test('none, ready ones, and one that does not get ready in time', async () => {
    await api.create(namespaceNamed('pods'));
    const check = await checkOf('pod-reader', (kubeconfig) =>
      checks.kubernetesPods({
        namespace: 'pods',
        labels: { app: 'web' },
        kubeconfig,
        timeout: '1h',
        contexts: { blue: 'hub', green: 'hub' },
      }),
    );
    await becomes(check, 'inconclusive', /no pod/);
    await api.create(pod('one'));
    await becomes(check, 'pass', /1 of 1 pods ready/);
    await api.create(pod('two', { sick: 'true' }));
    await becomes(check, 'inconclusive', /1 of 2 pods ready, waiting for two/);
    await becomes(check, 'fail', /waiting for two/, () => ({ ...window(), to: Date.now() + 3_600_000 }));
    await api.remove(pod('two'));
    await becomes(check, 'pass', /1 of 1/);
  });

  test('without the right to list them, the source fails', async () => {
    const green = readFileSync(await plane.kubeconfigFor('nobody', []), 'utf8');
    const [check] = checks.createChecks(
      [
        checks.kubernetesPods({
          namespace: 'pods',
          labels: { app: 'web' },
          kubeconfigTexts: { green },
        }),
      ],
      checks.checkContext(subject),
    );
    await expect(check!.evaluate(window())).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringMatching(/verb "list" on resource "pods"/),
    });
  });
});

describe('Applications, as Argo CD evaluates them', () => {
  /** Deployments that have given up after a second. */
  const deployment = (name: string, labels: Record<string, string> = {}): string =>
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas: 1,
        progressDeadlineSeconds: 2,
        minReadySeconds: 0,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name, ...labels } },
          spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
        },
      },
    });
  let repository: GitRepository;

  /** One API server is two clusters to Argo CD, because it has two names. */
  const cluster = async (slot: string, host: string): Promise<KubernetesObject> => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `cluster-${slot}`,
      namespace: 'argocd',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', env: 'production' },
    },
    stringData: {
      name: `apps-${slot}`,
      server: plane.server.replace('127.0.0.1', host),
      config: JSON.stringify({
        execProviderConfig: {
          command: await credentialProgram(plane, 'argocd-hub'),
          apiVersion: 'client.authentication.k8s.io/v1beta1',
        },
        tlsClientConfig: { caData: Buffer.from(plane.certificateAuthority).toString('base64') },
      }),
    },
  });
  const applicationSet = (destination: object): KubernetesObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'apps', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      generators: [
        {
          matrix: {
            generators: [
              { clusters: { selector: { matchLabels: { env: 'production' } } } },
              { git: { repoURL: repository.url, revision: 'main', directories: [{ path: '*' }] } },
            ],
          },
        },
      ],
      template: {
        metadata: { name: '{{.nameNormalized}}-{{.path.basename}}' },
        spec: {
          project: 'default',
          source: { repoURL: repository.url, path: '{{.path.path}}', targetRevision: 'main' },
          destination: { ...destination, namespace: '{{.nameNormalized}}-{{.path.basename}}' },
          syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
        },
      },
    },
  });

  test('a new cluster has none, gets its counterparts, is well, falls ill, and gets well again', async () => {
    await argoCd(plane);
    repository = new GitRepository();
    repository.commit({
      'web/deployment.yaml': deployment('web'),
      'shop/deployment.yaml': deployment('shop'),
    });
    await api.apply(await cluster('blue', '127.0.0.1'));
    await api.apply({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default', namespace: 'argocd' },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    });
    await api.apply(applicationSet({ name: '{{.name}}' }));
    const check = await checkOf('application-reader', (kubeconfig) =>
      checks.argoApplications({ kubeconfig }),
    );

    await becomes(check, 'inconclusive', /green: no Application, no counterpart of .*apps-blue-web/);
    await api.apply(await cluster('green', 'localhost'));
    const well = await becomes(check, 'pass', /^green: 2 of 2 Applications Synced and Healthy$/);
    expect(well.figures).toEqual([
      {
        name: 'healthy Applications',
        ...{ slot: 'green', value: 2, unit: 'count', min: 2 },
        counts: { counted: 2, of: 2, what: 'Applications are Synced and Healthy' },
      },
      { name: 'missing Applications', slot: 'green', value: 0, unit: 'count', max: 0 },
    ]);

    repository.commit({ 'web/deployment.yaml': deployment('web', { sick: 'true' }) });
    await becomes(check, 'fail', /apps-green-web is \w+ and Degraded/);
    repository.commit({ 'web/deployment.yaml': deployment('web', { version: '2' }) });
    await becomes(check, 'pass', /2 of 2/);
  });

  test('Applications that name their cluster by its URL are found by its Secret', async () => {
    await api.apply(applicationSet({ server: '{{.server}}' }), { force: true });
    await eventually('destinations by URL', async () => {
      const applications = await api.list({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' });
      return (
        applications.length === 4 &&
        applications.every(({ spec }: any) => spec.destination.server !== undefined)
      );
    });
    // By the kubeconfig itself, as a program has it.
    const check = await checkOf('url-reader', (file) =>
      checks.argoApplications({ kubeconfigText: file === '' ? 'clusters:' : readFileSync(file, 'utf8') }),
    );
    await becomes(check, 'pass', /^green: 2 of 2 Applications Synced and Healthy$/);
  });

  test('an object of an API that the cluster has no longer is named', async () => {
    const check = await checkOf('removal-reader', (kubeconfig) => checks.argoApplications({ kubeconfig }));
    const budget = {
      apiVersion: 'policy/v1beta1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    };
    repository.commit({ 'web/budget.yaml': JSON.stringify(budget) });
    await api.patch(
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { name: 'apps-green-web', namespace: 'argocd' },
      },
      { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } },
    );
    await becomes(
      check,
      'inconclusive',
      /apps-green-web is OutOfSync.* \(its (last )?sync failed: PodDisruptionBudget web of policy\/v1beta1: .*v1beta1/,
    );
  });
});
