import type * as pulumi from '@pulumi/pulumi';
import { Problems } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import { programLog } from '../log';
import type { Addon, AddonSlot, HelmChart } from './addon';

/** `1.35` and `v1.35.4` give 35; anything else nothing. */
export function kubernetesMinor(version: string): number | undefined {
  const [, minor] = /^v?1\.(\d{1,3})(?:\.|-|$)/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** Kubernetes versions with which a version of a chart goes, as its project says. */
export interface ChartSupport {
  /** Name of the chart, without its repository. */
  readonly chart: string;
  /** Versions of the chart: one (`2.41.0`), or all that begin so (`1.21` for `1.21.2`). */
  readonly versions: string;
  /** What the chart installs. */
  readonly installs: string;
  /** Lowest Kubernetes version: below it, Helm refuses the chart or the project says that it does not work. @default - none said */
  readonly lowest?: string;
  /** Where that is said. @default - nowhere */
  readonly lowestSource?: string;
  /** Kubernetes versions that the project tests with, from and to. @default - none said */
  readonly tested?: readonly [from: string, to: string];
  /** Where that is said. @default - nowhere */
  readonly testedSource?: string;
}

const certManager = {
  chart: 'cert-manager',
  lowest: '1.22',
  testedSource: 'https://cert-manager.io/docs/releases/',
} as const;

const argoCd = {
  chart: 'argo-cd',
  lowest: '1.25',
} as const;

/**
 * What each project says of the charts that this library installs, and of those that come before and after. A version that
 * is not listed is not evaluated.
 *
 * Lowest versions are `kubeVersion` of the chart's Chart.yaml, but for the AWS Load Balancer Controller, whose chart has
 * none and whose documents say it. Tested versions are the project's own table, or else its end-to-end workflow.
 */
export const chartSupport: readonly ChartSupport[] = [
  {
    ...certManager,
    versions: '1.20',
    installs: 'cert-manager 1.20',
    lowestSource:
      'https://github.com/cert-manager/cert-manager/blob/v1.20.3/deploy/charts/cert-manager/Chart.template.yaml',
    tested: ['1.32', '1.35'],
  },
  {
    ...certManager,
    versions: '1.21',
    installs: 'cert-manager 1.21',
    lowestSource:
      'https://github.com/cert-manager/cert-manager/blob/v1.21.1/deploy/charts/cert-manager/Chart.yaml',
    tested: ['1.33', '1.36'],
  },
  {
    chart: 'aws-load-balancer-controller',
    versions: '3.5',
    installs: 'AWS Load Balancer Controller 3.5',
    lowest: '1.22',
    lowestSource:
      'https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/docs/deploy/installation.md',
  },
  {
    ...argoCd,
    versions: '10.1.1',
    installs: 'Argo CD 3.4.4',
    lowestSource: 'https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/charts/argo-cd/Chart.yaml',
    tested: ['1.32', '1.35'],
    testedSource:
      'https://github.com/argoproj/argo-cd/blob/v3.4.4/docs/operator-manual/tested-kubernetes-versions.md',
  },
  {
    chart: 'argo-rollouts',
    versions: '2.41.0',
    installs: 'Argo Rollouts 1.9.0',
    tested: ['1.31', '1.34'],
    testedSource: 'https://github.com/argoproj/argo-rollouts/blob/v1.9.0/.github/workflows/testing.yaml',
  },
  {
    chart: 'argo-workflows',
    versions: '1.0.18',
    installs: 'Argo Workflows 4.0.6',
    tested: ['1.31', '1.33'],
    testedSource: 'https://github.com/argoproj/argo-workflows/blob/v4.0.6/docs/tested-kubernetes-versions.md',
  },
  {
    chart: 'argo-events',
    versions: '2.4.22',
    installs: 'Argo Events 1.9.10',
  },
  {
    chart: 'flagger',
    versions: '1.44.0',
    installs: 'Flagger 1.44.0',
    lowest: '1.19',
    lowestSource: 'https://github.com/fluxcd/flagger/blob/v1.44.0/charts/flagger/Chart.yaml',
    tested: ['1.35', '1.35'],
    testedSource: 'https://github.com/fluxcd/flagger/blob/v1.44.0/.github/workflows/e2e.yaml',
  },
];

/** What a project says of a version of its chart on a Kubernetes version. */
export interface SupportVerdict {
  /** `refused`: it can't run there. `untested`: the project tests it with other versions. `tested`: with this one. */
  readonly is: 'refused' | 'untested' | 'tested';
  /** What is said. */
  readonly support: ChartSupport;
}

/**
 * What is known of a chart on a Kubernetes version.
 *
 * @param kubernetes `1.35`
 * @returns nothing where the chart or its version is not in the table, or the project says nothing
 */
export function supportOf(
  chart: HelmChart,
  kubernetes: string,
  table: readonly ChartSupport[] = chartSupport,
): SupportVerdict | undefined {
  const minor = kubernetesMinor(kubernetes);
  const support = table.find((row) => row.chart === nameOf(chart) && isOf(chart.version, row.versions));
  if (minor === undefined || !support) {
    return undefined;
  }
  const { lowest, tested } = support;
  if (lowest !== undefined && minor < kubernetesMinor(lowest)!) {
    return { is: 'refused', support };
  }
  if (tested === undefined) {
    return undefined;
  }
  const [from, to] = tested.map((version) => kubernetesMinor(version)!);
  return { is: minor >= from! && minor <= to! ? 'tested' : 'untested', support };
}

/** Add-ons whose chart does not work with the slot's Kubernetes version. */
export function supportProblems(addons: readonly Addon[], slot: AddonSlot): readonly Problem[] {
  const problems = new Problems('Kubernetes versions of add-ons');
  addons.forEach(({ chart, state }, position) => {
    const verdict = evaluated(chart, slot);
    if (verdict?.is === 'refused' && state !== 'absent') {
      const { installs, lowest, lowestSource } = verdict.support;
      problems.add(
        `addons[${position}].version`,
        chart!.version,
        `another version with Kubernetes ${slot.kubernetesVersion}: ${installs} wants ${lowest} or newer (${lowestSource})`,
      );
    }
  });
  return problems.all;
}

/** A sentence for each add-on that its project does not test with the slot's Kubernetes version. */
export function supportWarnings(addons: readonly Addon[], slot: AddonSlot): readonly string[] {
  return addons.flatMap(({ name, chart, state }) => {
    const verdict = evaluated(chart, slot);
    if (verdict?.is !== 'untested' || state === 'absent') {
      return [];
    }
    const { installs, tested, testedSource } = verdict.support;
    return [
      `Add-on "${name}": ${installs} is tested by its project with Kubernetes ${range(tested!)}, and not with ${slot.kubernetesVersion}: ${testedSource}`,
    ];
  });
}

/** Tells the warnings of a slot in previews and updates. */
export function warnUntested(addons: readonly Addon[], slot: AddonSlot, resource: pulumi.Resource): void {
  for (const warning of supportWarnings(addons, slot)) {
    programLog.warn(warning, resource);
  }
}

/** `1.32 to 1.35`, or `1.35`. */
export function range([from, to]: readonly [string, string]): string {
  return from === to ? from : `${from} to ${to}`;
}

function evaluated(
  chart: HelmChart | undefined,
  { kubernetesVersion }: AddonSlot,
): SupportVerdict | undefined {
  return chart && kubernetesVersion !== undefined ? supportOf(chart, kubernetesVersion) : undefined;
}

/** A chart is known by its name: a mirror has another repository. */
function nameOf({ chart }: HelmChart): string {
  return chart.slice(chart.lastIndexOf('/') + 1);
}

function isOf(version: string, versions: string): boolean {
  const plain = version.replace(/^v/, '');
  return plain === versions || plain.startsWith(`${versions}.`);
}

/**
 * Kubernetes versions in standard support on EKS, from the oldest to the newest that the tables here know of.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
 */
export const supportedKubernetes: readonly string[] = ['1.35', '1.36'];

/** The newest of them. */
export const newestKubernetes: string = supportedKubernetes.at(-1)!;

/** The oldest version that EKS runs at all, in extended support. */
const oldest = '1.31';

/** EKS offers a new version about every four months: what comes in a year is taken before it is known here. */
const coming = `1.${kubernetesMinor(newestKubernetes)! + 3}`;

/** A Kubernetes version of an EKS cluster. */
export const eksKubernetesVersion: Format = {
  allowed: `a Kubernetes minor version that EKS runs, "${oldest}" to "${newestKubernetes}" (newer ones, up to "${coming}", are taken as well)`,
  accepts: (value) => {
    const minor = typeof value === 'string' && /^1\.[1-9]\d*$/.test(value) ? kubernetesMinor(value)! : 0;
    return minor >= kubernetesMinor(oldest)! && minor <= kubernetesMinor(coming)!;
  },
};
