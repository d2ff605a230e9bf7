import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './bench/pulumi-outcome';
import type { FleetBench, FleetCluster } from './bench/pulumi-fleet';
import { chartedFleetBench } from './bench/pulumi-fleet';
import { eventually } from './bench/eventually';
import { worldOf } from './bench/pulumi-world';
import { exampleCharts } from './tools/charts';

const ofApps = {
  'aws-load-balancer-controller': ['kube-system/aws-load-balancer-controller 2'],
  'cert-manager': [
    'cert-manager/cert-manager 2',
    'cert-manager/cert-manager-cainjector 2',
    'cert-manager/cert-manager-webhook 3',
  ],
};
const ofHub = {
  argocd: [
    'argocd/argocd-applicationset-controller 1',
    'argocd/argocd-notifications-controller 1',
    'argocd/argocd-redis 1',
    'argocd/argocd-repo-server 1',
    'argocd/argocd-server 1',
  ],
};

/** The Releases of each cluster, with the Deployments of their charts and the pods that are ready. */
const installed: Readonly<Record<FleetCluster, Readonly<Record<string, readonly string[]>>>> = {
  'apps-blue': ofApps,
  'apps-green': ofApps,
  'hub-blue': ofHub,
};
const clusters = Object.keys(installed) as FleetCluster[];
const apps = ['apps-blue', 'apps-green'] as const;

const releaseType = 'kubernetes:helm.sh/v3:Release';

/** The tests are the life of one stack, in this order. */
let bench: FleetBench;

beforeAll(async () => {
  bench = await chartedFleetBench(require);
});

const seen = ({ succeeded, errors, operations }: Outcome) => ({
  succeeded,
  errors,
  operations: operations.map(({ op, type, name }) => `${op} ${type} ${name}`),
});
const unchanged = { succeeded: true, errors: [], operations: [] };

/** Name of the Release that an object is of; Helm writes it on each that it keeps. */
const releaseOf = (object: any): string | undefined =>
  object.metadata.annotations?.['meta.helm.sh/release-name'];

/** Deployments by Release, with their ready pods. */
async function deployments(cluster: FleetCluster): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const object of await bench.planes[cluster].api.list('apps/v1', 'Deployment')) {
    const { namespace, name } = object.metadata;
    (found[releaseOf(object) ?? 'none'] ??= []).push(`${namespace}/${name} ${object.status.readyReplicas}`);
  }
  return found;
}

/** Helm's records, with the state of the release. */
async function records(cluster: FleetCluster): Promise<string[]> {
  const found = await bench.planes[cluster].api.list('v1', 'Secret', { labelSelector: 'owner=helm' });
  return found.map(({ metadata }) => `${metadata.labels!.name}: ${metadata.labels!.status}`).sort();
}

/** Everything that a Release made and Helm keeps, by kind. */
async function madeBy(cluster: FleetCluster, release: string): Promise<Record<string, number>> {
  const plane = bench.planes[cluster];
  const kinds = await plane.kubectl('api-resources', '--verbs=list', '--output=name');
  const found = await plane.kubectl(
    ...['get', kinds.trim().replaceAll('\n', ','), '--all-namespaces', '--output=json'],
    '--selector=app.kubernetes.io/managed-by=Helm',
  );
  const counts: Record<string, number> = {};
  for (const { kind } of (JSON.parse(found).items as any[]).filter((each) => releaseOf(each) === release)) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

const list = 'addons: [addons.certManager(), addons.awsLoadBalancerController()]';
const controllerGoes = {
  from: list,
  to: "addons: [addons.certManager(), addons.awsLoadBalancerController({ state: 'absent' })]",
};
/** Somebody else brings it from now on. */
const controllerGone = {
  from: list,
  to: "addons: [addons.certManager(), addons.existingAddon('aws-load-balancer-controller')]",
};
const example = readFileSync(resolve(__dirname, '../../examples/fleet/index.ts'), 'utf8');
const withoutHub = { from: /^new hubs\.ArgoCdHub\([^]*?^\}\);\n/m.exec(example)![0], to: '' };

test('up installs the charts', async () => {
  expect(seen(await bench.stack.up())).toMatchObject({ succeeded: true, errors: [] });
  const releases = (await bench.stack.state()).filter(({ type }) => type === releaseType);
  expect(releases.map(({ outputs }) => outputs.status.status)).toEqual(Array(5).fill('deployed'));
  const charts = releases.map(({ outputs: { status } }) => `${status.chart} ${status.version}`);
  const planned = (await exampleCharts()).map(({ chart, version }) => `${basename(chart)} ${version}`);
  expect([...new Set(charts)].sort()).toEqual(planned.sort());
});

test.each(clusters)('%s has its releases, and their pods are ready', async (cluster) => {
  expect(await records(cluster)).toEqual(Object.keys(installed[cluster]).map((name) => `${name}: deployed`));
  expect(await deployments(cluster)).toEqual(installed[cluster]);
});

test.each(apps)('the post-renderer has hardened the webhooks of the controller on %s', async (cluster) => {
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const { metadata, webhooks } = await bench.planes[cluster].api.get({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: 'aws-load-balancer-webhook' },
    });
    // The chart's own are kube-system/aws-load-balancer-serving-cert and 10 s.
    expect(metadata.annotations).toMatchObject({
      'cert-manager.io/inject-ca-from': 'kube-system/aws-load-balancer-webhook-ca-g1',
    });
    expect(new Set((webhooks as any[]).map(({ timeoutSeconds }) => timeoutSeconds))).toEqual(new Set([5]));
  }
});

test('a second up and a refresh change nothing', async () => {
  const before = await worldOf(bench);
  expect(seen(await bench.stack.up())).toEqual(unchanged);
  expect(await worldOf(bench)).toEqual(before);
  const refresh = await bench.stack.refresh();
  expect(seen(refresh)).toEqual(unchanged);
  const summary = refresh.events.find(({ summaryEvent }) => summaryEvent)?.summaryEvent;
  expect(Object.keys(summary!.resourceChanges)).toEqual(['same']);
  expect(await worldOf(bench)).toEqual(before);
});

test('an add-on that is to go is uninstalled when it has left the list', async () => {
  for (const cluster of apps) {
    expect(Object.keys(await madeBy(cluster, 'aws-load-balancer-controller'))).toEqual(
      expect.arrayContaining(['Deployment', 'MutatingWebhookConfiguration', 'Service']),
    );
  }
  expect(seen(await bench.stack.up({ program: bench.program(controllerGoes) }))).toEqual(unchanged);
  const up = await bench.stack.up({ program: bench.program(controllerGone) });
  expect(seen(up)).toMatchObject({ succeeded: true, errors: [] });
  for (const cluster of apps) {
    await eventually('the end of its objects', async () =>
      isDeepStrictEqual(await madeBy(cluster, 'aws-load-balancer-controller'), {}),
    );
    expect(await records(cluster)).toEqual(['cert-manager: deployed']);
  }
});

test('a hub that leaves the program is uninstalled, and its definitions stay', async () => {
  expect(Object.keys(await madeBy('hub-blue', 'argocd'))).toEqual(
    expect.arrayContaining(['Deployment', 'StatefulSet', 'Service']),
  );
  const up = await bench.stack.up({ program: bench.program(controllerGone, withoutHub) });
  expect(seen(up)).toMatchObject({ succeeded: true, errors: [] });
  await eventually('the end of its objects', async () =>
    isDeepStrictEqual(await madeBy('hub-blue', 'argocd'), { CustomResourceDefinition: 3 }),
  );
  expect(await records('hub-blue')).toEqual([]);
});

test('destroy leaves to the clusters what goes with them', async () => {
  const since = new Date();
  expect(seen(await bench.stack.destroy())).toMatchObject({ succeeded: true, errors: [] });
  expect(await bench.stack.state()).toEqual([]);
  expect(clusters.flatMap((each) => bench.planes[each].audit({ user: 'admin', since }))).toEqual([]);
});
