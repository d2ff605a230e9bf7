import { combinedResult } from '../engine';
import type { CheckResult, CheckStatus, CheckWindow, Figure, Weights } from '../engine';
import { referenceSlots, slotsToEvaluate, weightsToBe } from './windows';

/** How many targets of a target group there are of each sort. */
export interface TargetCounts {
  /** They pass the target group's health checks, and get traffic. */
  readonly healthy: number;
  /** They fail the health checks, or can't be reached. */
  readonly unhealthy: number;
  /** Not known yet, or not to be known: the first health checks are under way, or there are none. */
  readonly undecided: number;
  /** On their way out: they get no new connections and count for nothing. */
  readonly draining: number;
  /** They get no traffic: the target group is on no listener, or their zone is not enabled. */
  readonly unused: number;
  /** Reasons of the targets that are undecided or unused. */
  readonly reasons: readonly string[];
}

/** Why there is no target to evaluate; unset where there is one. */
function emptiness(counts: TargetCounts): string | undefined {
  const { healthy, unhealthy, undecided, draining, unused, reasons } = counts;
  if (healthy + unhealthy + undecided > 0) {
    return undefined;
  }
  if (unused > 0) {
    return reasons.includes('Target.NotInUse')
      ? `${unused} unused: the target group is on no listener (weight 0 on the rule is enough), or their zone is not enabled`
      : `${unused} unused (${reasons.join(', ')})`;
  }
  return draining > 0 ? `only ${draining} on their way out` : 'no target is registered';
}

/** A little less than before does no harm, since most services run with room to spare. */
export const defaultCapacity = 0.8;

/**
 * Compares healthy targets a percent.
 *
 * @param counts targets of every evaluated and every old slot
 */
export function evaluateCapacity(
  window: CheckWindow,
  counts: Readonly<Record<string, TargetCounts>>,
  min: number,
): CheckResult {
  const old = referenceSlots(window);
  const evaluated = slotsToEvaluate(window);
  const measure = perPercent(old, counts, window.origin);
  const unclear = old.filter((slot) => counts[slot]!.undecided > 0);
  if (old.length === 0 || evaluated.length === 0 || unclear.length > 0) {
    return {
      status: 'inconclusive',
      reason:
        unclear.length > 0
          ? `${unclear.join(', ')}: the health of some targets is not known, so there is no measure`
          : 'no slot gives weight to another, so there is no measure',
      figures: evaluated.map((slot) => figure(slot, null, min)),
    };
  }
  const findings = evaluated.map((slot) =>
    evaluateSlot(slot, weightsToBe(window), counts[slot]!, measure, min),
  );
  const result = combinedResult(findings);
  return { ...result, reason: `${result.reason}; ${described(old, counts, window.origin)}` };
}

function evaluateSlot(
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

/** Of ten targets one may be on its way to be replaced; of two, none may be unhealthy. */
export const defaultHealthyShare = 0.9;

/** What the targets of one slot amount to. */
export function evaluateTargets(slot: string, counts: TargetCounts, min: number): CheckResult {
  const { healthy, unhealthy, undecided } = counts;
  const total = healthy + unhealthy + undecided;
  const empty = emptiness(counts);
  const value = total > 0 ? healthy / total : null;
  const figures: Figure[] = [
    { name: 'healthy share', slot, value, unit: 'share', min },
    { name: 'healthy targets', slot, value: healthy, unit: 'count' },
  ];
  if (empty !== undefined) {
    return { status: 'inconclusive', reason: `${slot}: ${empty}`, figures };
  }
  const open = undecided > 0 ? `, ${undecided} not decided${because(counts)}` : '';
  return {
    status: evaluated(healthy / total, (healthy + undecided) / total, min),
    reason: `${slot}: ${healthy} of ${total} targets healthy${open}, at least ${Math.round(min * 1000) / 10} % needed`,
    figures,
  };
}

/** Of a share that is known to lie between two values. */
function evaluated(least: number, most: number, min: number): CheckStatus {
  if (least >= min) {
    return 'pass';
  }
  return most < min ? 'fail' : 'inconclusive';
}

function because({ reasons }: TargetCounts): string {
  return reasons.length > 0 ? ` (${reasons.join(', ')})` : '';
}
