import * as k8s from '@pulumi/kubernetes';
import type { AddonTarget } from './addon';
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

/** Arguments of a Helm release laid over ours; values have an option of their own, which merges them. */
export type HelmReleaseArgs = Partial<Omit<k8s.helm.v3.ReleaseArgs, 'values'>>;

/** One release of a chart. */
export interface HelmReleaseSettings {
  readonly chart: HelmChart;
  /** Name of the release in the cluster. */
  readonly releaseName: string;
  readonly namespace: string;
  readonly createNamespace: boolean;
  readonly values: HelmValues;
  /** Longest wait for one operation of Helm, in seconds. */
  readonly timeoutSeconds: number;
  /** Program that rewrites what the chart renders. @default - none */
  readonly postRenderer?: string;
  readonly releaseArgs?: HelmReleaseArgs;
}

/**
 * Registers a chart as one Helm release, with its hooks. It is ready when the chart's workloads are, and an
 * installation that fails is rolled back, so that the next one starts clean. The objects of the chart are
 * Helm's: the program knows chart, version and values, not them.
 */
export function helmRelease(
  name: string,
  settings: HelmReleaseSettings,
  target: AddonTarget,
): k8s.helm.v3.Release {
  const { chart, repository, version } = settings.chart;
  return new k8s.helm.v3.Release(
    name,
    {
      name: settings.releaseName,
      chart,
      version,
      ...(repository === undefined ? {} : { repositoryOpts: { repo: repository } }),
      namespace: settings.namespace,
      createNamespace: settings.createNamespace,
      timeout: settings.timeoutSeconds,
      atomic: true,
      ...(settings.postRenderer === undefined ? {} : { postrender: settings.postRenderer }),
      ...settings.releaseArgs,
      values: { ...settings.values },
    },
    {
      parent: target.parent,
      provider: target.kubernetes,
      dependsOn: [...target.dependsOn],
      deletedWith: target.cluster,
    },
  );
}
