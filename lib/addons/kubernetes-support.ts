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
 * is not listed is not judged.
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
