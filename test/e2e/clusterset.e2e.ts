import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EKS } from '@aws-sdk/client-eks';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { stringify } from 'yaml';
import type { ClusterSet, SyncOutcome } from '../../lib/clusterset';
import { clusterSetAccess, eksSource, settingsOf, syncClusters } from '../../lib/clusterset';
import type { KubernetesApi } from '../../lib/kubernetes';
import { openKubernetes } from '../../lib/kubernetes';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
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
let hub: KubernetesApi;
let namespaces = 0;
/** A namespace of each test's own. */
let namespace: string;

beforeAll(async () => {
  [aws, plane] = await Promise.all([moto(), controlPlane({ name: 'hub' })]);
}, 120_000);

beforeEach(async () => {
  namespaces += 1;
  namespace = `argocd-${namespaces}`;
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  // As the pods of a ClusterSetSync: no more rights than those of its Role.
  const user = `sync-${namespaces}`;
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: user, namespace } };
  const rules = clusterSetAccess(namespace).map(({ namespace: _of, ...rule }) => rule);
  await plane.apply([
    { ...rbac, kind: 'Role', rules },
    {
      ...rbac,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    },
  ]);
  const opened = await openKubernetes({ kubeconfig: await plane.kubeconfigFor(user, []) });
  onCleanUp(() => opened.close());
  hub = opened;
});

afterEach(() => aws.proxy.heal());

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
  try {
    const outcome = await syncClusters(settingsOf(set), { source, hub, ...more });
    return {
      ...outcome,
      calls: aws.proxy.calls.slice(calls).map(({ action }) => action),
      writes: plane
        .audit({ resource: 'secrets', namespace, since })
        .map(({ verb, name }) => `${verb} ${name}`),
    };
  } finally {
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
  }, 60_000);

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
  }, 60_000);

  test('throttled descriptions are repeated until all are there', async () => {
    // Each less often than one call is tried: of faults for all, one call may draw too many.
    for (const name of names.slice(20, 25)) {
      aws.proxy.fail({ action: `GET /clusters/${name}`, fault: 'throttling', times: 2 });
    }
    const throttled = await run(setOf('many'));
    expect(throttled.plan.problems).toEqual([]);
    expect(throttled.written).toBe(150);
  }, 120_000);

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
  }, 60_000);
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
    await hub.remove({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'data', namespace } });
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
}, 600_000);

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
  const kubeconfig = await plane.kubeconfigFor(`sync-${namespaces}`, []);
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
