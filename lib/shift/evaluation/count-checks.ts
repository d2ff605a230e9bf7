import { refuseArguments } from '../../core/validation/arguments';
import { list, object, optional } from '../../core/validation/collections';
import { number } from '../../core/validation/values';
import type { Check, CheckWindow, Figure } from '../engine';
import { evaluateComparison } from './comparison';
import type { ComparisonCheckSettings } from './comparison';
import type { RegressionBound } from './evidence';
import {
  countEntries,
  countedRequests,
  evaluateShares,
  millisecondsSchema,
  shareOfRequests,
  shareSettings,
} from './shares';
import type { ShareSettings } from './shares';
import { shiftStart } from './windows';
import type { KnownCounts } from './windows';

/** Where counts of requests come from, slot by slot and period by period. */
export interface CountSource {
  /**
   * Counts of every slot, of the whole periods from `from` (included) up to the newest one whose figures are there at
   * `to`. Times are milliseconds since 1970.
   *
   * @throws SourceError
   */
  counts(from: number, to: number, signal?: AbortSignal): Promise<CountAnswer>;
}

/** What a source answers. */
export interface CountAnswer extends KnownCounts {
  /** Figures that are shown and not evaluated. @default - none */
  readonly advisory?: readonly Figure[];
}

/** A bound for the share of errors or of slow requests, as a check. */
export function shareCheck(name: string, source: CountSource, settings: ShareSettings): Check {
  refuseArguments('shareCheck', shareSettings, settings);
  return {
    name,
    stages: ['after'],
    evaluate: async (window, signal) => {
      const known = await source.counts(window.from, window.to, signal);
      const result = evaluateShares(window, known, settings);
      return { ...result, figures: [...result.figures, ...(known.advisory ?? [])] };
    },
  };
}

const comparisonCheckSettings = object<ComparisonCheckSettings & { readonly historyMs?: number }>({
  ...countEntries,
  alpha: optional(number('a chance above 0 and below 0.5', { above: 0, below: 0.5 })),
  regression: optional(
    object<Partial<RegressionBound>>({
      absolute: optional(shareOfRequests),
      ratio: optional(number('a number, at least 1', { min: 1 })),
    }),
  ),
  counted: optional(list(countedRequests)),
  warmUpMs: optional(millisecondsSchema),
  historyMs: optional(millisecondsSchema),
});

/** How far back the old slots' figures are fetched, in milliseconds. */
const defaultHistoryMs = 1_800_000;

/**
 * A comparison of the slots that gain weight with the others, as a check.
 *
 * @param settings.historyMs how long before the shift the old slots' figures are fetched from, to learn how much they vary
 */
export function comparisonCheck(
  name: string,
  source: CountSource,
  settings: ComparisonCheckSettings & { readonly historyMs?: number } = {},
): Check {
  refuseArguments('comparisonCheck', comparisonCheckSettings, settings);
  return {
    name,
    stages: ['after'],
    evaluate: async (window: CheckWindow, signal) => {
      const since = shiftStart(window) - (settings.historyMs ?? defaultHistoryMs);
      const known = await source.counts(since, window.to, signal);
      const result = evaluateComparison(window, known, settings);
      return { ...result, figures: [...result.figures, ...(known.advisory ?? [])] };
    },
  };
}
