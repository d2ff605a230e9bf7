import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EKS } from '@aws-sdk/client-eks';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { App, Chart, Testing } from 'cdk8s';
import { stringify } from 'yaml';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import type { ClusterSet } from '../../lib/manifests/cluster-sync';
import { ClusterSetSync, withDefaults } from '../../lib/manifests/cluster-sync';
import { ShiftWorkflow } from '../../lib/manifests/workflows';
import type { SyncOutcome } from '../../lib/operate/cluster-sync';
import { eksSource, syncClusters } from '../../lib/operate/cluster-sync';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesApi, KubernetesObject } from './bench/kubernetes-api';
import type { Moto } from './bench/moto';
import { moto } from './bench/moto';
import { temporaryFolder } from './bench/temporary';
import { run as runProgram } from './tools/run-command';

/**
 * What moto does not show:
 * - Its clusters are always active, and all of a region have one endpoint.
 * - It takes every role for one that may be assumed, and checks no rights.
 */
let aws: Moto;
let plane: ControlPlane;
let namespaces = 0;
/** A namespace of each test's own. */
let namespace: string;

beforeAll(async () => {
  [aws, plane] = await Promise.all([moto(), controlPlane({ name: 'hub' })]);
});

beforeEach(async () => {
  namespaces += 1;
  namespace = `argocd-${namespaces}`;
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

afterEach(() => aws.proxy.heal());

const image = `registry.example.com/cluster-canary@sha256:${'a'.repeat(64)}`;
const applied = new Map<string, Promise<KubernetesObject[]>>();

/** Groups of a service account. */
const groups = (): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
  'system:authenticated',
];

/** Applies what stands around the pods of a construct, and answers their user. */
async function accountOf(name: string, build: (chart: Chart) => unknown): Promise<string> {
  const key = `${namespace} ${name}`;
  const around = /^(ServiceAccount|Role|RoleBinding|ValidatingAdmissionPolicy(Binding)?)$/;
  if (!applied.has(key)) {
    const chart = new Chart(new App(), 'pods');
    build(chart);
    applied.set(key, plane.apply(Testing.synth(chart).filter(({ kind }) => around.test(kind))));
  }
  await applied.get(key);
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The user that the pods of a set's ClusterSetSync are, with their rights and under their policy. */
function podsOf(set: ClusterSet): Promise<string> {
  const name = `${set.metadata.name}${set.spec.adopt ? '-adopting' : ''}`;
  return accountOf(name, (chart) => new ClusterSetSync(chart, 'sync', { name, image, set }));
}

const roleOf = (account: string): string => `arn:aws:iam::${account}:role/reader`;

/** EKS of an account and region, past the proxy. */
function eksOf(region: string, account?: string): EKS {
  const { endpoint, credentials } = aws.directSettings;
  const client = new EKS({
    ...{ region, endpoint },
    credentials: account
      ? fromTemporaryCredentials({
          params: { RoleArn: roleOf(account), RoleSessionName: 'test' },
          masterCredentials: credentials,
          clientConfig: { endpoint, region },
        })
      : credentials,
  });
  onCleanUp(() => client.destroy());
  return client;
}

async function createClusters(eks: EKS, names: readonly string[], set: string): Promise<void> {
  for (const name of names) {
    await eks.createCluster({
      ...{ name, version: '1.34', tags: { set, team: 'Web Shop' } },
      roleArn: 'arn:aws:iam::123456789012:role/cluster',
      resourcesVpcConfig: {},
    });
  }
}

async function deleteClusters(eks: EKS, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await eks.deleteCluster({ name });
  }
}

const numbered = (lead: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${lead}-${String(index).padStart(3, '0')}`);

/** A set of the clusters whose tag `set` says so. */
function setOf(name: string, spec: Partial<ClusterSet['spec']> = {}): ClusterSet {
  return {
    metadata: { name, namespace },
    spec: {
      selector: { eksTags: { set: name } },
      accounts: [{ regions: ['eu-west-1'] }],
      template: { metadata: { labels: { env: 'production', team: '{{tags.team | label}}' } } },
      ...spec,
    },
  };
}

interface Run extends SyncOutcome {
  /** Calls to EKS: `GET /clusters`. */
  readonly calls: readonly string[];
  /** Writes as the hub logged them: `patch blue`. */
  readonly writes: readonly string[];
}

async function run(
  set: ClusterSet,
  more: { readonly force?: boolean; readonly now?: () => number } = {},
): Promise<Run> {
  const [calls, since] = [aws.proxy.calls.length, new Date()];
  const source = eksSource({ ...aws.settings, region: 'eu-west-1' });
  const hub = await openKubernetes({ kubeconfig: await plane.kubeconfigFor(await podsOf(set), groups()) });
  try {
    const outcome = await syncClusters(withDefaults(set), { source, hub, ...more });
    return {
      ...outcome,
      calls: aws.proxy.calls.slice(calls).map(({ action }) => action),
      writes: plane
        .audit({ resource: 'secrets', namespace, since })
        .map(({ verb, name }) => `${verb} ${name}`),
    };
  } finally {
    hub.close();
    source.close();
  }
}

async function secretNames(): Promise<string[]> {
  const found = await plane.api.list('v1', 'Secret', { namespace });
  return found.map(({ metadata }) => metadata.name).sort();
}

const secretOf = async (name: string): Promise<any> =>
  plane.api.get({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });

test('one cluster: its Secret is what Argo CD reads, and the second run writes nothing', async () => {
  const eks = eksOf('eu-west-1');
  await createClusters(eks, ['one'], 'one');
  const first = await run(setOf('one'));
  expect(first).toMatchObject({ written: 1, failed: [], writes: ['patch one'] });
  const { cluster } = await eks.describeCluster({ name: 'one' });
  const { metadata, data, type } = await secretOf('one');
  expect(type).toBe('Opaque');
  expect(metadata.labels).toEqual({
    ...{ 'argocd.argoproj.io/secret-type': 'cluster', 'cluster-canary/cluster-set': 'one' },
    ...{ env: 'production', team: 'Web-Shop' },
  });
  expect(metadata.managedFields).toMatchObject([
    { manager: 'cluster-canary-clusterset', operation: 'Apply' },
  ]);
  const plain = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value as string, 'base64').toString()]),
  );
  expect(plain).toMatchObject({ name: 'one', server: cluster!.endpoint });
  expect(JSON.parse(plain.config!)).toEqual({
    awsAuthConfig: { clusterName: 'one' },
    tlsClientConfig: { insecure: false, caData: cluster!.certificateAuthority!.data },
  });
  expect(await run(setOf('one'))).toMatchObject({ written: 0, writes: [] });
});

test('a label of the template goes, and one that somebody else keeps stays', async () => {
  await createClusters(eksOf('eu-west-1'), ['labelled'], 'labels');
  await run(setOf('labels'));
  const label = { metadata: { labels: { 'cluster-canary/traffic': 'live' } } };
  const { metadata } = await secretOf('labelled');
  await plane.api.call(
    'PATCH',
    `/api/v1/namespaces/${namespace}/secrets/labelled`,
    label,
    'application/merge-patch+json',
  );
  await run(setOf('labels', { template: { metadata: { labels: { env: 'canary' } } } }));
  expect((await secretOf('labelled')).metadata.labels).toEqual({
    ...{ 'argocd.argoproj.io/secret-type': 'cluster', 'cluster-canary/cluster-set': 'labels' },
    ...{ env: 'canary', 'cluster-canary/traffic': 'live' },
  });
  expect((await secretOf('labelled')).metadata.uid).toBe(metadata.uid);
  expect(await run(setOf('labels', { template: { metadata: { labels: { env: 'canary' } } } }))).toMatchObject(
    { writes: [] },
  );
});

describe('150 clusters', () => {
  const names = numbered('many', 150);
  let eks: EKS;

  beforeAll(async () => {
    eks = eksOf('eu-west-1');
    await createClusters(eks, names, 'many');
  });

  test('all have Secrets after one run, past the first page, and the next run writes nothing', async () => {
    const first = await run(setOf('many'));
    expect(first).toMatchObject({ written: 150, failed: [] });
    expect(await secretNames()).toEqual(names);
    const lists = first.calls.filter((call) => call === 'GET /clusters');
    expect(lists.length).toBeGreaterThan(1);
    const second = await run(setOf('many'));
    expect([second.written, second.writes, second.plan.keep.length]).toEqual([0, [], 150]);
  });

  test('a page that fails in the middle: nothing is marked, nothing goes', async () => {
    await run(setOf('many'));
    aws.proxy.fail({ action: 'GET /clusters', fault: { status: 500 }, skip: 1, times: 10 });
    const spec = { deletion: { gracePeriod: '0s', maxShare: 100 } };
    const broken = await run(setOf('many', spec), { force: true });
    expect(broken).toMatchObject({ written: 0, writes: [], plan: { delete: [] } });
    expect(broken.plan.problems).toEqual([
      expect.stringMatching(/^eu-west-1: no answer to eks:ListClusters/),
    ]);
    expect(await secretNames()).toEqual(names);
  });

  test('throttled descriptions are repeated until all are there', async () => {
    // Each less often than one call is tried: of faults for all, one call may draw too many.
    for (const name of names.slice(20, 25)) {
      aws.proxy.fail({ action: `GET /clusters/${name}`, fault: 'throttling', times: 2 });
    }
    const throttled = await run(setOf('many'));
    expect(throttled.plan.problems).toEqual([]);
    expect(throttled.written).toBe(150);
  });

  test('one made by hand stays, and of 50 clusters that are gone no Secret goes without force', async () => {
    const byHand = {
      ...{ apiVersion: 'v1', kind: 'Secret' },
      metadata: {
        name: 'by-hand',
        namespace,
        labels: { 'argocd.argoproj.io/secret-type': 'cluster', env: 'production' },
      },
      stringData: { name: 'by-hand', server: 'https://hand.example.com' },
    };
    await plane.apply(byHand);
    await run(setOf('many'));
    const { metadata } = await secretOf('by-hand');
    await deleteClusters(eks, names.slice(0, 50));
    const marked = await run(setOf('many'));
    expect(marked.writes).toHaveLength(50);
    const later = () => Date.now() + 3_600_000;
    const held = await run(setOf('many'), { now: later });
    expect(held).toMatchObject({ written: 0, writes: [] });
    expect(held.plan.problems).toEqual([
      expect.stringMatching(/^50 of 150 Secrets would go, and at most 45/),
    ]);
    const forced = await run(setOf('many'), { now: later, force: true });
    expect(forced.plan.delete).toHaveLength(50);
    expect(await secretNames()).toEqual(['by-hand', ...names.slice(50)]);
    expect((await secretOf('by-hand')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });
});

describe('several accounts', () => {
  const [one, two] = ['111111111111', '222222222222'] as const;
  const accounts = [one, two].map((account) => ({
    roleArn: roleOf(account),
    regions: ['eu-west-1', 'us-east-1'],
  }));

  beforeAll(async () => {
    await createClusters(eksOf('eu-west-1', one), ['apps'], 'accounts');
    await createClusters(eksOf('us-east-1', one), ['apps'], 'accounts');
    await createClusters(eksOf('eu-west-1', two), ['apps', 'data'], 'accounts');
  });

  test('each is read by its role; clusters of one name are refused, or told apart by the template', async () => {
    const refused = await run(setOf('accounts', { accounts }));
    expect(await secretNames()).toEqual(['data']);
    expect(refused.plan.skipped.map(({ arn }) => arn)).toEqual([
      `arn:aws:eks:eu-west-1:${one}:cluster/apps`,
      `arn:aws:eks:eu-west-1:${two}:cluster/apps`,
      `arn:aws:eks:us-east-1:${one}:cluster/apps`,
    ]);
    const template = { metadata: { name: '{{name}}-{{region}}-{{account}}' } };
    await plane.api.delete({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'data', namespace } });
    await run(setOf('accounts', { accounts, template }));
    expect(await secretNames()).toEqual([
      `apps-eu-west-1-${one}`,
      `apps-eu-west-1-${two}`,
      `apps-us-east-1-${one}`,
      `data-eu-west-1-${two}`,
    ]);
  });

  test('one whose role is refused does not stop the others, and nothing goes meanwhile', async () => {
    aws.proxy.fail({ action: 'AssumeRole', fault: 'accessDenied', times: 2 });
    const broken = await run(
      setOf('accounts', { accounts, template: { metadata: { name: '{{name}}-{{region}}' } } }),
    );
    expect(broken.plan.problems).toHaveLength(2);
    expect(broken.plan.problems[0]).toMatch(/sts:AssumeRole|AssumeRole/);
    expect(broken.written).toBeGreaterThan(0);
  });
});

/** In each of ten accounts and regions; the part `clustersets` has more of them. */
const inEachPlace = Number(process.env.CLUSTER_CANARY_E2E_CLUSTERS ?? 20);
const everywhere = 10 * inEachPlace;

test(`${everywhere} clusters in ten accounts and regions: all are registered, and the second run writes nothing`, async () => {
  const accounts = ['3', '4', '5', '6', '7'].map((digit) => digit.repeat(12));
  const regions = ['eu-west-1', 'us-east-1'];
  const places = accounts.flatMap((account) => regions.map((region) => ({ account, region })));
  await Promise.all(
    places.map(({ account, region }) =>
      createClusters(eksOf(region, account), numbered('fleet', inEachPlace), 'everywhere'),
    ),
  );
  const set = setOf('everywhere', {
    accounts: accounts.map((account) => ({ roleArn: roleOf(account), regions })),
    template: { metadata: { name: '{{name}}-{{region}}-{{account}}' } },
  });
  const [first, second] = [await run(set), await run(set)];
  for (const { calls } of [first, second]) {
    expect(calls.filter((call) => call.startsWith('GET /clusters/'))).toHaveLength(everywhere);
    expect(calls.filter((call) => call === 'GET /clusters')).toHaveLength(10);
    expect(calls.filter((call) => call === 'AssumeRole')).toHaveLength(10);
  }
  expect([first.written, first.writes.length, first.plan.problems]).toEqual([everywhere, everywhere, []]);
  expect([second.written, second.writes, second.plan.keep.length]).toEqual([0, [], everywhere]);
});

test('two sets in one namespace leave each other alone, again and again', async () => {
  const eks = eksOf('eu-west-1');
  const [ours, theirs] = [numbered('ours', 10), numbered('theirs', 10)];
  await createClusters(eks, ours, 'ours');
  await createClusters(eks, theirs, 'theirs');
  const spec = { deletion: { gracePeriod: '0s', maxShare: 100 } };
  for (let round = 0; round < 3; round += 1) {
    for (const name of ['ours', 'theirs']) {
      const { writes } = await run(setOf(name, spec));
      expect(writes).toHaveLength(round === 0 ? 10 : 0);
    }
  }
  expect(await secretNames()).toEqual([...ours, ...theirs]);
});

test('the command, from a file, with the rights of its Role', async () => {
  const eks = eksOf('eu-west-1');
  await createClusters(eks, ['by-command'], 'command');
  const file = join(temporaryFolder('set'), 'clusterset.yaml');
  writeFileSync(file, stringify(setOf('command')));
  const kubeconfig = await plane.kubeconfigFor(await podsOf(setOf('command')), groups());
  const main = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');
  const command = async (verb: string): Promise<any> => {
    const args = [main, 'clusters', verb, '--config', file, '--kubeconfig', kubeconfig, '--json'];
    return JSON.parse(await runProgram(process.execPath, args, { env: aws.env }));
  };
  expect(await command('plan')).toMatchObject({ create: [{ secret: 'by-command' }], problems: [] });
  expect(await secretNames()).toEqual([]);
  expect(await command('sync')).toMatchObject({ written: 1, failed: [] });
  expect(await command('sync')).toMatchObject({ written: 0, keep: [{ secret: 'by-command' }] });
  expect(await secretNames()).toEqual(['by-command']);
});

describe('the policy beside a Role that reaches every Secret', () => {
  const type = 'argocd.argoproj.io/secret-type';
  const owner = 'cluster-canary/cluster-set';
  const secret = (name: string, labels: object, annotations: object = {}, more: object = {}): any => ({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
    metadata: { name, namespace, labels, annotations },
    stringData: { server: 'https://api.example.com' },
    ...more,
  });
  const of = (set: string, name: string): any =>
    secret(name, { [type]: 'cluster', [owner]: set }, { [owner]: set });
  /** What becomes of a request: `done`, or the policy's message. */
  const tried = (request: Promise<unknown>): Promise<string> =>
    request.then(
      () => 'done',
      (error: Error) => /denied request: (.*)/.exec(error.message)?.[1] ?? error.message,
    );
  const theft = { stringData: { server: 'https://stranger.example.com' } };

  /** Another account with the same Role, which no policy is for. */
  async function controlFor(role: string): Promise<KubernetesApi> {
    const rbac = 'rbac.authorization.k8s.io';
    await plane.apply({
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: 'control', namespace } },
      roleRef: { apiGroup: rbac, kind: 'Role', name: role },
      subjects: [{ kind: 'ServiceAccount', name: 'control', namespace }],
    });
    return plane.apiFor(`system:serviceaccount:${namespace}:control`, groups());
  }

  async function pods(user: string, probe: object): Promise<KubernetesApi> {
    const api = await plane.apiFor(user, groups());
    await eventually('the policy is in force', async () =>
      (await tried(api.patch(secret('repository', {}), probe))).includes(' alone'),
    );
    return api;
  }

  beforeEach(() =>
    plane.apply([
      secret('repository', { [type]: 'repository' }),
      secret('by-hand', { [type]: 'cluster' }),
      of('other', 'of-another-set'),
      secret('copied-label', { [type]: 'cluster', [owner]: 'guarded' }),
    ]),
  );

  test('a set makes, changes and removes cluster Secrets of its own, and no others', async () => {
    const user = await podsOf(setOf('guarded'));
    const api = await pods(user, theft);
    const token = {
      type: 'kubernetes.io/service-account-token',
      metadata: {
        ...of('guarded', 'token').metadata,
        annotations: { [owner]: 'guarded', 'kubernetes.io/service-account.name': 'default' },
      },
    };
    const wrong = /^guarded changes and removes Secrets of the set guarded alone$/;
    const unmarked = /^guarded writes cluster Secrets with label and annotation .*: guarded alone$/;
    expect(await tried(api.create(of('guarded', 'own')))).toBe('done');
    expect(await tried(api.patch(of('guarded', 'own'), { stringData: { server: 'https://new' } }))).toBe(
      'done',
    );
    for (const name of ['repository', 'by-hand', 'of-another-set', 'copied-label']) {
      expect([name, await tried(api.patch(secret(name, {}), theft))]).toEqual([
        name,
        expect.stringMatching(wrong),
      ]);
      // Nor by marking it first.
      const { metadata } = of('guarded', name);
      expect(await tried(api.patch(secret(name, {}), { metadata }))).toMatch(wrong);
      expect(await tried(api.delete(secret(name, {})))).toMatch(wrong);
    }
    expect(await tried(api.create(secret('plain', {})))).toMatch(unmarked);
    expect(await tried(api.create(of('other', 'in-their-name')))).toMatch(unmarked);
    expect(await tried(api.create(secret('half', { [type]: 'cluster', [owner]: 'guarded' })))).toMatch(
      unmarked,
    );
    const { stringData: _data, ...own } = of('guarded', 'token');
    expect(await tried(api.create({ ...own, ...token }))).toMatch(/of the type Opaque alone$/);
    expect(await tried(api.patch(of('guarded', 'own'), { metadata: { labels: { [owner]: null } } }))).toMatch(
      unmarked,
    );
    expect(await tried(api.delete(of('guarded', 'own')))).toBe('done');
    expect(await secretNames()).toEqual(['by-hand', 'copied-label', 'of-another-set', 'repository']);

    const control = await controlFor('guarded');
    expect(await tried(control.create({ ...own, ...token }))).toBe('done');
    expect(await tried(control.patch(secret('repository', {}), theft))).toBe('done');
    expect(await tried(control.delete(secret('of-another-set', {})))).toBe('done');
  });

  test('a set that adopts also takes over cluster Secrets that no set owns', async () => {
    const api = await pods(await podsOf(setOf('guarded', { adopt: true })), theft);
    const taken = (name: string): Promise<string> => {
      const { metadata } = of('guarded', name);
      return tried(api.patch(secret(name, {}), { metadata, ...theft }));
    };
    expect(await tried(api.delete(secret('by-hand', {})))).toMatch(/of the set guarded alone$/);
    expect(await taken('by-hand')).toBe('done');
    expect(await taken('copied-label')).toBe('done');
    expect(await taken('repository')).toMatch(/of the set guarded alone$/);
    expect(await taken('of-another-set')).toMatch(/of the set guarded alone$/);
  });

  test('a shift changes the traffic labels of cluster Secrets, and nothing else of any', async () => {
    const access = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'patch'], namespace }];
    const plan = { router: { simulated: {} }, slots: { blue: {}, green: {} }, weights: { green: 100 } };
    const user = await accountOf(
      'shift',
      (chart) => new ShiftWorkflow(chart, 'shift', { name: 'shift', namespace, image, plan, access }),
    );
    const labels = (given: object): object => ({ metadata: { labels: given } });
    const live = labels({ 'cluster-canary/traffic': 'live', 'cluster-canary/active': 'true' });
    const api = await pods(user, live);
    const patched = (name: string, patch: unknown): Promise<string> =>
      tried(api.patch(secret(name, {}), patch));
    expect(await patched('by-hand', live)).toBe('done');
    expect(await patched('by-hand', labels({ 'cluster-canary/active': null }))).toBe('done');
    expect(await patched('of-another-set', live)).toBe('done');
    expect(await patched('repository', live)).toMatch(/^shift changes cluster Secrets of Argo CD alone$/);
    expect(await patched('by-hand', theft)).toMatch(/^shift changes metadata of a Secret alone$/);
    expect(await patched('by-hand', { ...live, data: { server: null } })).toMatch(
      /metadata of a Secret alone$/,
    );
    expect(await patched('by-hand', { metadata: { annotations: { a: 'b' } } })).toMatch(/changes labels of/);
    expect(
      await patched('by-hand', { metadata: { ownerReferences: null, finalizers: ['a.example.com/b'] } }),
    ).toMatch(/changes labels of a Secret alone$/);
    expect(await patched('by-hand', labels({ [type]: 'repository' }))).toMatch(
      /changes the labels .* alone$/,
    );
    expect(await patched('of-another-set', labels({ [owner]: null }))).toMatch(
      /changes the labels .* alone$/,
    );

    // As the shift itself does: an apply that forces.
    const manager = await openKubernetes({ kubeconfig: await plane.kubeconfigFor(user, groups()) });
    const metadata = { name: 'by-hand', namespace, labels: { 'cluster-canary/traffic': 'canary' } };
    const asked = { fieldManager: 'cluster-canary-traffic', force: true };
    await manager.apply({ apiVersion: 'v1', kind: 'Secret', metadata }, asked);
    manager.close();
    expect((await secretOf('by-hand')).metadata.labels).toMatchObject(metadata.labels);

    const control = await controlFor('shift');
    expect(await tried(control.patch(secret('by-hand', {}), theft))).toBe('done');
  });
});
