import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import * as fc from 'fast-check';
import { formatProblem as line } from '../../../lib/core/validation';
import type { ChartSupport, HelmAddon } from '../../../lib/pulumi/addons';
import {
  Addon,
  argoEvents,
  argoRollouts,
  argoWorkflows,
  awsLoadBalancerController,
  certManager,
  chartSupport,
  checkAddonsFit,
  flagger,
  installAddons,
  newestKubernetes,
  removedApi,
  removedApis,
  supportOf,
  supportWarnings,
} from '../../../lib/pulumi/addons';
import { range } from '../../../lib/pulumi/addons/kubernetes-support';
import { slotProblems } from '../../../lib/pulumi/fleet/slot-problems';
import { argoCdChartVersion } from '../../../lib/pulumi/hubs';
import { register } from '../../pulumi-mocks';
import { slot } from './slot';

const chart = (name: string, version: string) => ({ chart: name, version });
const minorOf = (version: string) => Number(version.split('.')[1]);

/** Charts that the library installs where nothing else is said. */
const installed: Addon[] = [
  certManager(),
  awsLoadBalancerController(),
  argoRollouts(),
  argoEvents(),
  argoWorkflows(),
  flagger(),
];

describe('what is known of a chart on a Kubernetes version', () => {
  test.each<[string, string, string, 'refused' | 'untested' | 'tested' | undefined]>([
    ['cert-manager', 'v1.21.2', '1.35', 'tested'],
    ['cert-manager', 'v1.21.2', '1.36', 'tested'],
    ['cert-manager', 'v1.21.2', '1.32', 'untested'],
    ['cert-manager', 'v1.21.2', '1.21', 'refused'],
    ['cert-manager', '1.20.0', '1.36', 'untested'],
    ['cert-manager', 'v1.2.0', '1.35', undefined],
    ['cert-manager', 'v1.210.0', '1.35', undefined],
    ['oci://quay.io/jetstack/charts/cert-manager', 'v1.21.2', '1.21', 'refused'],
    ['./vendor/argo-rollouts', '2.41.0', '1.35', 'untested'],
    ['argo-rollouts', '2.41.0', '1.34', 'tested'],
    ['argo-rollouts', '2.41.1', '1.35', undefined],
    ['argo-workflows', '1.0.18', '1.34', 'untested'],
    ['argo-events', '2.4.22', '1.35', undefined],
    ['aws-load-balancer-controller', '3.5.1', '1.21', 'refused'],
    ['aws-load-balancer-controller', '3.5.1', '1.35', undefined],
    ['flagger', '1.44.0', '1.18', 'refused'],
    ['flagger', '1.44.0', 'latest', undefined],
    ['unheard-of', '1.0.0', '1.35', undefined],
  ])('%s %s on %s', (name, version, kubernetes, expected) => {
    expect(supportOf(chart(name, version), kubernetes)?.is).toBe(expected);
  });

  const rows = fc.record({
    lowest: fc.option(fc.integer({ min: 10, max: 40 }), { nil: undefined }),
    from: fc.integer({ min: 10, max: 40 }),
    length: fc.integer({ min: 0, max: 5 }),
  });

  test('refused below the lowest, tested within the range, untested elsewhere', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 60 }), ({ lowest, from, length }, minor) => {
        const row: ChartSupport = {
          chart: 'c',
          versions: '1',
          installs: 'C 1',
          lowest: lowest === undefined ? undefined : `1.${lowest}`,
          tested: [`1.${from}`, `1.${from + length}`],
        };
        const expected =
          lowest !== undefined && minor < lowest
            ? 'refused'
            : minor >= from && minor <= from + length
              ? 'tested'
              : 'untested';
        expect(supportOf(chart('c', '1.9.9'), `1.${minor}`, [row])?.is).toBe(expected);
      }),
    );
  });
});

describe('the table', () => {
  test('knows every chart that is installed by default, and says where it read that', () => {
    for (const { name, chart: of } of [
      ...installed,
      { name: 'argocd', chart: chart('argo-cd', argoCdChartVersion) },
    ]) {
      const known = chartSupport.some(
        (row) => of!.chart.endsWith(row.chart) && of!.version.replace('v', '').startsWith(row.versions),
      );
      expect([name, known]).toEqual([name, true]);
    }
    for (const { lowest, lowestSource, tested, testedSource } of chartSupport) {
      expect([lowest === undefined, tested === undefined]).toEqual([
        lowestSource === undefined,
        testedSource === undefined,
      ]);
      for (const link of [lowestSource, testedSource]) {
        expect(link ?? 'https://').toMatch(/^https:\/\//);
      }
      if (tested) {
        expect(minorOf(tested[0])).toBeLessThanOrEqual(minorOf(tested[1]));
        expect(minorOf(tested[1])).toBeLessThanOrEqual(minorOf(newestKubernetes));
      }
    }
  });

  test('has no two rows for one version', () => {
    for (const row of chartSupport) {
      const others = chartSupport.filter(
        (other) => other !== row && other.chart === row.chart && other.versions.startsWith(row.versions),
      );
      expect(others).toEqual([]);
    }
  });

  test('is the one of the documents', () => {
    const link = (text: string, url?: string) => (url === undefined ? text : `[${text}](${url})`);
    const lines = [
      '| chart | version | installs | lowest Kubernetes | tested with |',
      '|---|---|---|---|---|',
      ...chartSupport.map(
        (row) =>
          `| \`${row.chart}\` | ${row.versions} | ${row.installs} | ${row.lowest ? link(row.lowest, row.lowestSource) : 'not said'} | ${row.tested ? link(range(row.tested), row.testedSource) : 'not said'} |`,
      ),
    ];
    const page = readFileSync(join(__dirname, '../../../docs/addons.md'), 'utf8').split('\n');
    const written = page.slice(page.indexOf(lines[0]!));
    expect(written.slice(0, written.indexOf(''))).toEqual(lines);
  });
});

describe('a slot', () => {
  const problemsOn = (kubernetesVersion: string | undefined, list = installed) =>
    checkAddonsFit(list, { autoMode: false, kubernetesVersion }).map(line);

  test('takes all add-ons with every version that EKS has', () => {
    for (const version of ['1.30', '1.33', newestKubernetes, undefined]) {
      expect(problemsOn(version)).toEqual([]);
    }
  });

  test('refuses those that do not work with its version, in the problems of the fleet', () => {
    expect(problemsOn('1.21')).toEqual([
      expect.stringMatching(
        /addons\[0\]\.version: "v1\.21\.2": must be another version with Kubernetes 1\.21: cert-manager 1\.21 wants 1\.22 or newer \(https:/,
      ),
      expect.stringMatching(/addons\[1\]\.version: "3\.5\.0"/),
    ]);
    expect(problemsOn('1.21', [certManager({ state: 'absent' })])).toEqual([]);
    const problems = slotProblems('apps-blue', 'apps-blue', {
      version: '1.21',
      addons: [certManager()],
      network: { vpcId: 'vpc-1', privateSubnetIds: [] },
      endpoint: { private: { reachedFrom: 'vpc' } },
      autoMode: true,
    });
    expect(problems.map(({ path }) => path)).toEqual(['addons[0].version']);
  });

  test('brings some of EKS itself, unless it was made elsewhere', () => {
    const list = ['coredns', 'vpc-cni', 'metrics-server'].map((addonName) => Addon.eks({ addonName }));
    const common = {
      addons: list,
      network: { vpcId: 'vpc-1', privateSubnetIds: [] },
      endpoint: { private: { reachedFrom: 'vpc' } },
    } as const;
    const nodes = { instanceTypes: ['m7i.large'], min: 1, max: 2 };
    const found = (args: any) => slotProblems('apps-blue', 'apps-blue', { ...common, ...args }).map(line);
    expect(found({ version: '1.35', nodes })).toEqual([
      expect.stringContaining('addons[0]: "coredns": must be left out: a slot with nodes brings it'),
      expect.stringContaining('addons[1]: "vpc-cni": must be left out'),
    ]);
    expect(found({ version: '1.35', autoMode: true })).toEqual([]);
    expect(found({ adopt: { clusterName: 'legacy' } })).toEqual([]);
  });

  test('warns of those that are not tested with its version', async () => {
    const list: HelmAddon[] = [certManager(), argoRollouts(), argoWorkflows({ state: 'absent' })];
    expect(supportWarnings(list, { autoMode: false, kubernetesVersion: '1.35' })).toEqual([
      'Add-on "argo-rollouts": Argo Rollouts 1.9.0 is tested by its project with Kubernetes 1.31 to 1.34, and not with 1.35: https://github.com/argoproj/argo-rollouts/blob/v1.9.0/.github/workflows/testing.yaml',
    ]);
    expect(supportWarnings(list, { autoMode: false, kubernetesVersion: '1.34' })).toEqual([]);
    expect(supportWarnings(list, { autoMode: false })).toEqual([]);
    const warn = jest.spyOn(pulumi.log, 'warn').mockResolvedValue(undefined);
    try {
      await register(() => {
        installAddons(list, slot({ kubernetesVersion: '1.35' }));
      });
      expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('"argo-rollouts"')]);
    } finally {
      warn.mockRestore();
    }
  });
});

describe('APIs that were removed', () => {
  test.each<[string, string, string, string | undefined]>([
    ['policy/v1beta1', 'PodDisruptionBudget', '1.24', undefined],
    ['policy/v1beta1', 'PodDisruptionBudget', '1.25', 'policy/v1'],
    ['autoscaling/v2beta2', 'HorizontalPodAutoscaler', '1.36', 'autoscaling/v2'],
    ['flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', '1.31', undefined],
    ['flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', '1.32', 'flowcontrol.apiserver.k8s.io/v1'],
    ['storage.k8s.io/v1beta1', 'CSIStorageCapacity', '1.26', undefined],
    ['storage.k8s.io/v1beta1', 'StorageClass', '1.26', 'storage.k8s.io/v1'],
    ['apps/v1', 'Deployment', '1.36', undefined],
    ['policy/v1beta1', 'PodDisruptionBudget', 'soon', undefined],
  ])('%s %s on %s', (apiVersion, kind, kubernetes, instead) => {
    expect(removedApi(apiVersion, kind, kubernetes)?.instead).toBe(instead);
  });

  test('nothing of the library is one of them with the newest Kubernetes', () => {
    const lib = join(__dirname, '../../../lib');
    const sources = readdirSync(lib, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('removed-apis.ts'))
      .map((path) => readFileSync(join(lib, path), 'utf8'))
      .join('\n');
    const written = new Set(
      [...sources.matchAll(/'([a-z0-9.]+\/v\d+(?:(?:alpha|beta)\d+)?)'/g)].map(([, found]) => found!),
    );
    expect([...written]).toEqual(expect.arrayContaining(['apps/v1', 'policy/v1', 'batch/v1']));
    const removed = removedApis.filter(({ removedIn }) => minorOf(removedIn) <= minorOf(newestKubernetes));
    expect(removed).toHaveLength(removedApis.length);
    expect(removed.filter(({ apiVersion }) => written.has(apiVersion))).toEqual([]);
    // Classes of Pulumi's SDK: only versions that last.
    const classes = [...sources.matchAll(/\bk8s\.([a-z]+)\.(v\w+)\./g)].map(
      ([, group, version]) => `${group}/${version}`,
    );
    expect(classes.length).toBeGreaterThan(5);
    expect(classes.filter((each) => !/\/v\d+$/.test(each))).toEqual([]);
  });
});
