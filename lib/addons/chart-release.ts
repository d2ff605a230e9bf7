import type { OptionsOf } from '../problems';
import type { HelmValues } from './helm-values';

/** A Helm chart in a repository. */
export interface HelmChart {
  /**
   * Name of the chart in its repository, its OCI reference (`oci://quay.io/jetstack/charts/cert-manager`), or a
   * path (`./charts/own`).
   */
  readonly chart: string;
  /**
   * URL of the repository.
   * @default - none: `chart` is an OCI reference or a path
   */
  readonly repository?: string;
  /** Exact version of the chart, `1.2.3`. */
  readonly version: string;
}

export const helmChartKeys: OptionsOf<HelmChart> = { chart: 'plain', repository: 'plain', version: 'plain' };

/** One release of a chart, whoever delivers it: what Helm, Argo CD and helmfile call by the same names. */
export interface ChartRelease {
  /** The chart. */
  readonly chart: HelmChart;
  /** Name of the release in the cluster: what a chart names its objects by, so all couriers have to use the same. */
  readonly releaseName: string;
  /** Namespace of the release. */
  readonly namespace: string;
  /** Whether the namespace is made if it is not there. */
  readonly createNamespace: boolean;
  /** Values of the chart, with Pulumi outputs as leaves. */
  readonly values: HelmValues;
}
