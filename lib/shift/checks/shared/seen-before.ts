import type { Check, CheckResult, CheckStage } from '../../engine';
import { worseOf } from '../../evaluation';
import { metricDefaults } from './metric-settings';

/** A query that has to have given figures before a shift begins. */
export interface SeenQuery {
  /** For errors: `Datadog`. */
  readonly source: string;
  /** What it counts, or that it is the query: `errors`. */
  readonly what: string;
  /** As the plan has it. */
  readonly query: string;
  /**
   * How many figures it gave between two times, of all slots together.
   *
   * @throws SourceError
   */
  figures(from: number, to: number, signal?: AbortSignal): Promise<number>;
}

/**
 * The same check, which before the first step also looks whether its queries have ever given a figure, of any slot. It is
 * inconclusive until they do: what is never reported would look like no error.
 *
 * @param queries none: the check is as it was
 * @param historyMs how far back it looks, in milliseconds
 */
export function seenBefore(
  check: Check,
  queries: readonly SeenQuery[],
  historyMs: number = metricDefaults.seenMs,
): Check {
  if (queries.length === 0) {
    return check;
  }
  return {
    ...check,
    stages: [...new Set<CheckStage>(['before', ...check.stages])],
    evaluate: async (window, signal) => {
      if (window.stage === 'after') {
        return check.evaluate(window, signal);
      }
      const own = check.stages.includes('before') ? await check.evaluate(window, signal) : undefined;
      if (window.writes.length > 0 || own?.status === 'fail') {
        return (
          own ?? { status: 'pass', reason: 'its queries are looked for before the first step', figures: [] }
        );
      }
      const numbers = await Promise.all(
        queries.map((query) => query.figures(window.to - historyMs, window.to, signal)),
      );
      const seen = evaluate(queries, numbers, historyMs);
      return own ? worseOf(seen, own) : seen;
    },
  };
}

function evaluate(queries: readonly SeenQuery[], numbers: readonly number[], historyMs: number): CheckResult {
  const silent = queries.filter((_query, index) => numbers[index] === 0);
  const texts = silent.map(
    ({ source, what, query }) =>
      `${source} has no figure of ${what} of any slot in the last ${Math.round(historyMs / 60_000)} minutes, by the query ${query}`,
  );
  return {
    status: silent.length === 0 ? 'pass' : 'inconclusive',
    reason:
      silent.length === 0
        ? 'its queries give figures'
        : `${texts.join('; ')}; where no figure means none, say so with missing: zero`,
    figures: queries.map(({ what }, index) => ({
      name: `figures of ${what}`,
      value: numbers[index]!,
      unit: 'count',
      min: 1,
    })),
  };
}
