import { across, list, object, optional } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { anything, flag, oneOf, text } from '../../../core/validation/values';

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

const name = text('a name', /\S/);

/** An analysis at a place that needs one with, or without, an end of its own. */
export function analysisUntil(end: AnalysisEnd): Schema<Analysis> {
  const allowed = 'an analysis: the answer of analysis() of an AnalysisTemplate';
  const analysis = object<Analysis>(
    {
      templates: list(object({ templateName: name, clusterScope: optional(flag) }), 1),
      args: list(anything),
      dryRun: optional(list(name)),
      until: optional(oneOf('answered', 'end', 'mixed')),
    },
    allowed,
  );
  return across(analysis, ({ templates, until }, { mustBe }) => {
    if (until !== undefined && until !== end) {
      const why =
        end === 'end'
          ? 'templates with until: "end", or it would check nothing after its first pass'
          : 'templates without until: "end": it would never end';
      const names = (Array.isArray(templates) ? templates : []).map((each) =>
        isPlainObject(each) ? String(each.templateName) : '',
      );
      mustBe([], why, names.join(', '));
    }
  });
}

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
