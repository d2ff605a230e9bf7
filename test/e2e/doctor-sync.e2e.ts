import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesApi } from '../../lib/core/kubernetes/api';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import type { ExaminedSource, DoctorFinding } from '../../lib/operate/doctor';
import { doctorChecks, examinePlugin, runPlugin } from '../../lib/operate/doctor';
import type { ArgoCd } from './bench/argo-cd';
import { argoCd } from './bench/argo-cd';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { GitRepository } from './bench/git-repository';
import { BenchProcess } from './bench/process';
import { temporaryFolder } from './bench/temporary';
import { programPath } from './tools/go-tools';

const configMap = (name: string, data: object = {}, labels: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data });
const deployment = (name: string, app: string, over: object = {}) =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] },
      },
      ...over,
    },
  });
const certificate = JSON.stringify({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'web' },
  spec: { secretName: 'web', issuerRef: { name: 'ca' } },
});

/** Writes its environment to stderr, where the sidecar's log has it. */
const plugin = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ConfigManagementPlugin',
  metadata: { name: 'bench' },
  spec: {
    version: 'v1',
    generate: { command: ['sh', '-c'], args: ['env >&2; echo "$ARGOCD_ENV_NOTE"; cat *.json'] },
  },
};

let plane: ControlPlane;
let api: KubernetesApi;
let argo: ArgoCd;
let sidecar: BenchProcess;
let repository: GitRepository;

interface Wanted {
  readonly files: Readonly<Record<string, string>>;
  readonly source?: object;
  readonly destination?: object;
  readonly retry?: object;
  readonly syncOptions?: readonly string[];
}

const applications: Readonly<Record<string, Wanted>> = {
  'crd-missing': { files: { 'certificate.json': certificate } },
  immutable: { files: { 'deployment.json': deployment('immutable', 'one') } },
  forbidden: { files: { 'map.json': configMap('a') }, destination: { name: 'limited' } },
  webhook: {
    files: {
      'a.json': configMap('a', {}, { evaluated: 'yes' }),
      'b.json': configMap('b', {}, { evaluated: 'yes' }),
    },
    retry: { limit: 5, backoff: { duration: '1h', factor: 1, maxDuration: '1h' } },
  },
  invalid: {
    files: { 'deployment.json': deployment('invalid', 'one', { replicas: 'two' }) },
    retry: { limit: 0 },
  },
  // Client-side apply drops what the API does not know.
  'unknown-field': {
    files: { 'deployment.json': deployment('unknown-field', 'one', { replica: 2 }) },
    syncOptions: ['ServerSideApply=true'],
  },
  'no-namespace': { files: { 'map.json': configMap('a') }, destination: { namespace: 'nowhere' } },
  'no-path': { files: { 'map.json': configMap('a') }, source: { path: 'elsewhere' } },
  'no-revision': { files: { 'map.json': configMap('a') }, source: { targetRevision: 'release-7' } },
  broken: {
    files: { 'map.json': configMap('a') },
    source: {
      plugin: { name: 'bench-v1', env: [{ name: 'NOTE', value: 'Adding repo: done: $ARGOCD_APP_NAME' }] },
    },
  },
  working: {
    files: { 'map.json': configMap('plugin') },
    source: {
      plugin: {
        name: 'bench-v1',
        env: [{ name: 'NOTE', value: '# ${ARGOCD_APP_NAME} costs $$5 $NONE' }],
        parameters: [
          { name: 'image-tag', string: '6.14.1' },
          { name: 'db', map: { password: 'hunter2', host: 'db' } },
          { name: 'values', array: ['a.yaml', 'b.yaml'] },
        ],
      },
    },
  },
};

const applicationNamed = (name: string, { source, destination, retry, syncOptions }: Wanted) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: repository.url, path: name, targetRevision: 'main', ...source },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'apps', ...limited(destination) },
    syncPolicy: { automated: {}, syncOptions, retry: retry ?? { limit: 1, backoff: { duration: '1s' } } },
  },
});
/** A destination has a name or a URL. */
const limited = (destination: object = {}) =>
  'name' in destination ? { server: undefined, ...destination } : destination;

async function findings(): Promise<readonly DoctorFinding[]> {
  const [check] = doctorChecks(['sync']);
  const report = await check!.examine({
    ...{ api, namespace: 'argocd', concurrency: 4 },
    now: () => new Date(),
    progress: () => undefined,
    signal: new AbortController().signal,
  });
  expect(report.notChecked).toEqual([]);
  return report.findings;
}

/** What the doctor says of one Application; failures that several share are one finding. */
const of = (all: readonly DoctorFinding[], name: string) =>
  all.filter(({ evidence }) => evidence.some((line) => line.startsWith(`argocd/${name},`)));

beforeAll(async () => {
  const folder = temporaryFolder('plugin');
  ['sockets', 'config', 'work'].forEach((each) => mkdirSync(join(folder, each)));
  writeFileSync(join(folder, 'config', 'plugin.yaml'), JSON.stringify(plugin));
  process.env.ARGOCD_PLUGINSOCKFILEPATH = join(folder, 'sockets');
  // Otherwise what goes wrong with a repository is kept back for three minutes.
  process.env.ARGOCD_REPO_ERROR_GRACE_PERIOD_SECONDS = '1s';
  plane = await controlPlane({ name: 'hub' });
  api = await openKubernetes({ kubeconfig: plane.kubeconfigFile });
  onCleanUp(() => api.close());
  sidecar = new BenchProcess({
    name: 'cmp-server',
    folder,
    command: programPath('argocd'),
    args: ['--config-dir-path', join(folder, 'config'), '--loglevel', 'info', '--logformat', 'json'],
    env: { ARGOCD_BINARY_NAME: 'argocd-cmp-server', ARGOCD_CMP_WORKDIR: join(folder, 'work') },
  });
  await sidecar.start(() => Promise.resolve(readFileSync(sidecar.logFile, 'utf8').includes('serving')));
  argo = await argoCd(plane);
  repository = new GitRepository();
  repository.commit(
    Object.fromEntries(
      Object.entries(applications).flatMap(([name, { files }]) =>
        Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]),
      ),
    ),
  );
  await plane.api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } });
  await plane.api.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cmp-plugin', namespace: 'argocd' },
    data: { 'bench.yaml': JSON.stringify(plugin, undefined, 2) },
  });
  await mayOnlyRead('limited');
  await refuseLabelled();
  for (const [name, wanted] of Object.entries(applications)) {
    await plane.api.apply(applicationNamed(name, wanted));
  }
});

/** Registers the cluster once more, under a name, as a user who may read everything and write nothing. */
async function mayOnlyRead(user: string): Promise<void> {
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: user } };
  await plane.api.apply({
    ...rbac,
    kind: 'ClusterRole',
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
  });
  await plane.api.apply({
    ...rbac,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  const kubeconfig = JSON.parse(readFileSync(await plane.kubeconfigFor(user, []), 'utf8'));
  const credentials = kubeconfig.users[0].user;
  await plane.api.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'limited',
      namespace: 'argocd',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: {
      name: 'limited',
      server: plane.server,
      config: JSON.stringify({
        tlsClientConfig: {
          caData: Buffer.from(plane.certificateAuthority).toString('base64'),
          certData: credentials['client-certificate-data'],
          keyData: credentials['client-key-data'],
        },
      }),
    },
  });
}

/** A webhook with Fail whose Service has no endpoints, for labelled ConfigMaps. */
async function refuseLabelled(): Promise<void> {
  await plane.api.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'judge', namespace: 'apps' },
    spec: { ports: [{ port: 443 }], selector: { app: 'judge' } },
  });
  await plane.api.apply({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'judge' },
    webhooks: [
      {
        name: 'judge.example.com',
        clientConfig: { service: { name: 'judge', namespace: 'apps' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }],
        objectSelector: { matchLabels: { evaluated: 'yes' } },
        ...{ admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail', timeoutSeconds: 5 },
      },
    ],
  });
}

test('what really failed is sorted, by Application', async () => {
  await argo.synced('immutable');
  repository.commit({ 'immutable/deployment.json': deployment('immutable', 'two') });
  await argo.synced('working');
  const expected = {
    'crd-missing': 'crd-missing',
    immutable: 'field-immutable',
    forbidden: 'right-missing',
    webhook: 'webhook-without-endpoints',
    invalid: 'invalid-object',
    'unknown-field': 'unknown-field',
    'no-namespace': 'namespace-missing',
    'no-path': 'path-missing',
    'no-revision': 'revision-missing',
    broken: 'plugin-text-is-no-manifest',
  };
  const causes = (all: readonly DoctorFinding[]) =>
    Object.fromEntries(
      Object.keys(expected).map((name) => [
        name,
        of(all, name)
          .map(({ cause }) => cause)
          .join(' '),
      ]),
    );
  await eventually(
    'every Application has failed as it was to',
    async () => {
      expect(causes(await findings())).toEqual(expected);
      return true;
    },
    { every: 500 },
  );
  const all = await findings();
  expect(of(all, 'working')).toEqual([]);
  const [categories] = [all.map(({ cause, message }) => [cause, message.split(',')[0]] as const)];
  expect(Object.fromEntries(categories)).toMatchObject({
    'crd-missing': 'Transient',
    'webhook-without-endpoints': 'Transient',
    'field-immutable': 'User error',
    'right-missing': 'User error',
    'plugin-text-is-no-manifest': 'Environment',
  });
});

test('two objects that one webhook refuses are one finding, with the time of the next try', async () => {
  const [finding] = of(await findings(), 'webhook');
  expect(finding).toMatchObject({ severity: 'warning', subject: 'Application argocd/webhook' });
  const evidence = finding!.evidence.join('\n');
  expect(evidence).toContain('ConfigMap apps/a');
  expect(evidence).toContain('ConfigMap apps/b');
  expect(evidence).toMatch(/1 of 5 retries used; the next try is at \S+ \(in (5\dm|1h)/);
});

test('where no retry is set it says so, and what is used up is told as well', async () => {
  const all = await findings();
  expect(of(all, 'invalid')[0]!.evidence.join('\n')).toContain('argocd/invalid: It failed since');
  expect(of(all, 'invalid')[0]!.evidence.join('\n')).toContain('no retry is set');
  expect(of(all, 'forbidden')[0]!.evidence.join('\n')).toContain('1 of 1 retries used');
});

/** Variables that the plugin has really had, out of the sidecar's log. */
function realEnvironment(name: string): Map<string, string> {
  const lines = readFileSync(sidecar.logFile, 'utf8').split('\n').filter(Boolean);
  const outputs = lines.map((line) => JSON.parse(line).stderr as string | undefined);
  const output = outputs.reverse().find((each) => each?.includes(`ARGOCD_APP_NAME=${name}\n`)) ?? '';
  return new Map(
    output.split('\n').map((line): [string, string] => {
      const [variable = '', ...rest] = line.split('=');
      return [variable, rest.join('=')];
    }),
  );
}

const examined = async (name: string): Promise<ExaminedSource> => {
  const found = await examinePlugin(api, { application: name, namespace: 'argocd' });
  return found.sources[0]!;
};

test('the environment that doctor plugin prints is the one that the plugin has had', async () => {
  const revision = async () => (await argo.application('working')).status?.sync?.revision as string;
  const real = await eventually('the newest revision', async () => {
    const found = realEnvironment('working');
    return found.get('ARGOCD_APP_REVISION') === (await revision()) && found;
  });
  const printed = (await examined('working')).environment;
  expect(printed.length).toBeGreaterThan(16);
  for (const { name, value } of printed) {
    expect({ name, value: value ?? real.get(name) }).toEqual({ name, value: real.get(name) });
  }
  const own = [...real.keys()].filter((name) => /^(ARGOCD_APP|ARGOCD_ENV|KUBE_|PARAM_)/.test(name));
  expect(own.sort()).toEqual(printed.map(({ name }) => name).sort());
});

test('doctor plugin runs the same command on a checkout, and names the line that Argo CD stumbles over', async () => {
  const checkout = temporaryFolder('checkout');
  ['broken', 'working'].forEach((name) => {
    mkdirSync(join(checkout, name));
    writeFileSync(join(checkout, name, 'map.json'), applications[name]!.files['map.json']!);
  });
  const run = async (name: string) => {
    const source = await examined(name);
    return runPlugin({
      config: source.config!,
      environment: source.environment,
      ...{ checkout, path: name, surroundings: process.env, pass: [], timeout: 10_000 },
      signal: new AbortController().signal,
    });
  };
  expect(await run('working')).toMatchObject({ output: { objects: 1, problems: [] } });
  expect(await run('broken')).toMatchObject({
    output: { objects: 0, problems: [{ line: 1, text: 'Adding repo: done: broken' }] },
  });
});
