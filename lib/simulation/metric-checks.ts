import type {
  CheckResult,
  CheckWindow,
  ComparisonCheckSettings,
  ComparisonQuestion,
  KnownCounts,
  ShareSettings,
  SlotCount,
} from '../shift';
import { Comparison, judgeComparison, judgeShares } from '../shift';
import { ShownCounts } from './shown-counts';
import type { SimulatedCheck } from './simulated-check';

/** What every check of counts takes. */
export interface Counting {
  /** From the end of a minute until its figures are taken, in milliseconds. */
  readonly delayMs: number;
  /** Whether the figures are CloudWatch's, which counts answers later than requests. */
  readonly isSkewed: boolean;
}

/** A bound for the share of errors or of slow requests, as `shareCheck` judges it. */
export function share(name: string, settings: ShareSettings & Counting): SimulatedCheck {
  return ofCounts(name, settings, (window, known) => judgeShares(window, known, settings));
}

/** A comparison with the old slots, as `comparisonCheck` judges it. */
export function comparison(name: string, settings: ComparisonCheckSettings & Counting): SimulatedCheck {
  const compare = comparingOn();
  return ofCounts(name, settings, (window, known) => judgeComparison(window, known, settings, compare));
}

/**
 * `compareSlots` for counts of which more come at the end of the same list: what was taken in once is not gone through
 * anew, as long as the question stays the same.
 */
function comparingOn(): NonNullable<Parameters<typeof judgeComparison>[3]> {
  let running:
    | { of: readonly SlotCount[]; question: string; seen: number; comparison: Comparison }
    | undefined;
  return (counts, question, settings) => {
    const key = keyOf(question);
    if (running?.of !== counts || running.question !== key) {
      running = { of: counts, question: key, seen: 0, comparison: new Comparison(question, settings) };
    }
    running.comparison.add(running.seen === 0 ? counts : counts.slice(running.seen));
    running.seen = counts.length;
    return running.comparison.slots;
  };
}

function keyOf({ gaining, baseline, from, warmUntil }: ComparisonQuestion): string {
  return `${gaining.join()} ${baseline.join()} ${from} ${gaining.map((slot) => warmUntil[slot]).join()}`;
}

/**
 * A check of what the source shows. What it says depends on the figures and the weights that stand, not on the time, so
 * it is worked out anew only when one of these is another.
 */
function ofCounts(
  name: string,
  { delayMs, isSkewed }: Counting,
  judge: (window: CheckWindow, known: KnownCounts) => CheckResult,
): SimulatedCheck {
  let shown: ShownCounts | undefined;
  let last: { counts: KnownCounts['counts']; until: number; from: number; result: CheckResult } | undefined;
  return {
    name,
    stages: ['after'],
    evaluate: (window, world) => {
      if (world.source.fails(window.to)) {
        return { status: 'inconclusive', reason: 'its source failed', figures: [] };
      }
      if (shown?.world !== world) {
        shown = new ShownCounts(world, delayMs, isSkewed);
        last = undefined;
      }
      const known = shown.at(window.to);
      const { from } = window;
      const { counts, until } = known;
      if (last?.counts !== counts || last.until !== until || last.from !== from) {
        last = { counts, until, from, result: judge(window, known) };
      }
      return last.result;
    },
  };
}
