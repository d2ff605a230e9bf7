import { listOf } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';

/** To the first measurement that passes or fails, or to the end of the update. */
export type AnalysisEnd = 'answered' | 'end';

/** An analysis of a Rollout: templates, and what their queries are given. */
export interface Analysis {
  /** The templates whose metrics are measured. */
  readonly templates: readonly {
    /** Name of the AnalysisTemplate or ClusterAnalysisTemplate. */
    readonly templateName: string;
    /** Whether it is a ClusterAnalysisTemplate. @default false */
    readonly clusterScope?: boolean;
  }[];
  /** In Argo's own words. */
  readonly args: readonly object[];
  /** Names of metrics that are measured and don't count. @default - all count */
  readonly dryRun?: readonly string[];
  /**
   * Until when it runs; `mixed` where its templates differ, which suits neither a step nor the background.
   *
   * @default - not known, of templates that were made elsewhere
   */
  readonly until?: AnalysisEnd | 'mixed';
}

export const analysisKeys: OptionsOf<Analysis> = {
  templates: listOf({ templateName: 'plain', clusterScope: 'plain' }),
  args: 'list',
  dryRun: 'list',
  until: 'plain',
};

/**
 * Several analyses as one: all of their metrics have to pass. Arguments of one name are one argument, the last one given.
 */
export function mergeAnalyses(...analyses: readonly Analysis[]): Analysis {
  const args = new Map(
    analyses.flatMap((each) => each.args.map((arg) => [(arg as { name: string }).name, arg])),
  );
  const dryRun = analyses.flatMap((each) => each.dryRun ?? []);
  const ends = [...new Set(analyses.flatMap(({ until }) => until ?? []))];
  return {
    templates: analyses.flatMap(({ templates }) => templates),
    args: [...args.values()],
    ...(dryRun.length > 0 && { dryRun }),
    ...(ends.length > 0 && { until: ends.length === 1 ? ends[0] : 'mixed' }),
  };
}

/** The analysis as it is in a Rollout. */
export function analysisManifest({ templates, args, dryRun }: Analysis): object {
  return {
    templates: templates.map((each) => ({ ...each })),
    ...(args.length > 0 && { args: [...args] }),
    ...(dryRun && dryRun.length > 0 && { dryRun: dryRun.map((metricName) => ({ metricName })) }),
  };
}
