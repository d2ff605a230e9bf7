import * as k8s from '@pulumi/kubernetes';
import type { AddonTarget } from './addon';
import type { ChartRelease } from './chart-release';

/** Arguments of a Helm release laid over ours; values have an option of their own, which merges them. */
export type HelmReleaseArgs = Partial<Omit<k8s.helm.v3.ReleaseArgs, 'values'>>;

/** One release of a chart by Pulumi. */
export interface HelmReleaseSettings extends ChartRelease {
  /** Longest wait for one operation of Helm, in seconds. */
  readonly timeoutSeconds: number;
  /** Program that rewrites what the chart renders. @default - none */
  readonly postRenderer?: string;
  /** Whether the release stays when the program has it no more. */
  readonly stays: boolean;
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
      retainOnDelete: settings.stays,
    },
  );
}
