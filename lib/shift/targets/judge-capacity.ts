import type { CheckResult, CheckWindow, Figure } from '../check';
import type { Weights } from '../weights';
import { combinedResult } from './combined-result';
import { referenceSlots, slotsToJudge, weightsToBe } from './slots-to-judge';
import type { TargetCounts } from './target-counts';
import { emptiness } from './target-counts';

/** A little less than before does no harm, since most services run with room to spare. */
export const defaultCapacity = 0.8;

/**
 * Compares healthy targets a percent.
 *
 * @param counts targets of every judged and every old slot
 */
export function judgeCapacity(
  window: CheckWindow,
  counts: Readonly<Record<string, TargetCounts>>,
  min: number,
): CheckResult {
  const old = referenceSlots(window);
  const judged = slotsToJudge(window);
  const measure = perPercent(old, counts, window.origin);
  const unclear = old.filter((slot) => counts[slot]!.undecided > 0);
  if (old.length === 0 || judged.length === 0 || unclear.length > 0) {
    return {
      status: 'inconclusive',
      reason:
        unclear.length > 0
          ? `${unclear.join(', ')}: the health of some targets is not known, so there is no measure`
          : 'no slot gives weight to another, so there is no measure',
      figures: judged.map((slot) => figure(slot, null, min)),
    };
  }
  const findings = judged.map((slot) => judgeSlot(slot, weightsToBe(window), counts[slot]!, measure, min));
  const result = combinedResult(findings);
  return { ...result, reason: `${result.reason}; ${described(old, counts, window.origin)}` };
}

function judgeSlot(
  slot: string,
  weights: Weights,
  counts: TargetCounts,
  measure: number,
  min: number,
): CheckResult {
  const weight = weights[slot]!;
  const empty = emptiness(counts);
  const needed = Math.max(1, Math.ceil(round(min * measure * weight)));
  const enough = empty === undefined && counts.healthy >= needed;
  const ratio = measure === 0 ? null : round(counts.healthy / weight / measure);
  const has = empty ?? `${counts.healthy} healthy targets`;
  return {
    status: enough ? 'pass' : 'inconclusive',
    reason: `${slot}: ${has} for ${weight} %, at least ${needed} needed`,
    figures: [
      figure(slot, ratio, min),
      { name: 'healthy targets', slot, value: counts.healthy, unit: 'count', min: needed },
    ],
  };
}

function figure(slot: string, value: number | null, min: number): Figure {
  return { name: 'capacity, relative to the old slots', slot, value, min };
}

/** Healthy targets for each percent of traffic, of all these slots together. */
function perPercent(
  slots: readonly string[],
  counts: Readonly<Record<string, TargetCounts>>,
  weights: Weights,
): number {
  const healthy = slots.reduce((sum, slot) => sum + counts[slot]!.healthy, 0);
  const percent = slots.reduce((sum, slot) => sum + weights[slot]!, 0);
  return percent === 0 ? 0 : healthy / percent;
}

function described(
  slots: readonly string[],
  counts: Readonly<Record<string, TargetCounts>>,
  weights: Weights,
): string {
  return slots
    .map((slot) => `${slot} has ${counts[slot]!.healthy} and carried ${weights[slot]} %`)
    .join(', ');
}

/** Takes away what binary fractions add: 0.8 of 10 is 8, not a bit more. */
function round(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}
