import { refuseOptions } from '../problems';
import type { Check, CheckWindow, Figure } from './check';
import type { ComparisonCheckSettings } from './comparison-judge';
import { judgeComparison, comparisonCheckSettingsKeys } from './comparison-judge';
import type { ShareSettings } from './comparison-share';
import { judgeShares, shareSettingsKeys } from './comparison-share';
import type { KnownCounts } from './comparison-window';
import { shiftStart } from './comparison-window';

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
  /** Figures that are shown and not judged. @default - none */
  readonly advisory?: readonly Figure[];
}

/** A bound for the share of errors or of slow requests, as a check. */
export function shareCheck(name: string, source: CountSource, settings: ShareSettings): Check {
  refuseOptions('shareCheck', settings, shareSettingsKeys);
  return {
    name,
    stages: ['after'],
    evaluate: async (window, signal) => {
      const known = await source.counts(window.from, window.to, signal);
      const result = judgeShares(window, known, settings);
      return { ...result, figures: [...result.figures, ...(known.advisory ?? [])] };
    },
  };
}

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
  refuseOptions('comparisonCheck', settings, { ...comparisonCheckSettingsKeys, historyMs: 'plain' });
  return {
    name,
    stages: ['after'],
    evaluate: async (window: CheckWindow, signal) => {
      const since = shiftStart(window) - (settings.historyMs ?? defaultHistoryMs);
      const known = await source.counts(since, window.to, signal);
      const result = judgeComparison(window, known, settings);
      return { ...result, figures: [...result.figures, ...(known.advisory ?? [])] };
    },
  };
}
