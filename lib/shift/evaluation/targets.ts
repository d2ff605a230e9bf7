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

/** At a target utilization of 60 %, a tenth more that autoscalers tolerate included, this is 99 %. */
export const defaultMaxLoad = 1.5;

/** Half a minute for metrics, three minutes until a pod is ready, a minute until its target is healthy. */
export const defaultFollow = '5m';

/** What an autoscaler tolerates above its target, relative to it, with the noise of traffic. */
const tolerated = 1.1;

const noise = 1.2;

/** How much above `maxLoad` a target may get where its autoscaler is content: 2.2 times what it had before. */
const contentRatio = 1.47;

/**
 * How far the next step may go: each target of a slot that gains weight gets no more than `maxLoad` times the load that the old
 * slots' targets had before the shift.
 *
 * Autoscalers add targets for load that is there: so a step goes as far as the targets of today carry, and the next one
 * goes on from what has come. It waits for targets while the step would be a small one, but no longer than an autoscaler
 * takes to add some. Where it may be content with the load of the live weights, a tenth more, or a percent, is added although
 * that is more than `maxLoad`: it would have no reason to add targets for ever.
 *
 * @param counts targets of every evaluated and every old slot
 * @param maxLoad most load of a target after a write, relative to the load of the old slots' targets before the shift
 * @param followMs how long an autoscaler may take to add targets, in milliseconds
 */
export function evaluateCapacity(
  window: CheckWindow,
  counts: Readonly<Record<string, TargetCounts>>,
  maxLoad: number,
  followMs: number,
): CheckResult {
  const old = referenceSlots(window);
  const evaluated = slotsToEvaluate(window);
  const { baseline } = window;
  const known = baseline && old.every((slot) => baseline[slot] !== undefined) ? baseline : undefined;
  const unclear = known ? [] : old.filter((slot) => counts[slot]!.undecided > 0);
  const before: Weights = known ?? mapValues(counts, ({ healthy }) => healthy);
  const measure = perPercent(old, before, window.origin);
  if (old.length === 0 || evaluated.length === 0 || unclear.length > 0) {
    return {
      status: 'inconclusive',
      reason:
        unclear.length > 0
          ? `${unclear.join(', ')}: the health of some targets is not known, so there is no measure`
          : 'no slot gives weight to another, so there is no measure',
      figures: evaluated.map((slot) => figure(slot, null, maxLoad)),
      holds: true,
    };
  }
  const settings = { maxLoad, followMs, contentLoad: contentLoad(sumOf(old, before)) };
  const findings = evaluated.map((slot) => evaluateSlot(slot, window, counts[slot]!, measure, settings));
  const { status, reason, figures } = combinedResult(findings);
  const upTo = Object.assign({}, ...findings.map((finding) => finding.upTo)) as Weights;
  const note = shrunk(old, counts, before, window.origin);
  return {
    status,
    reason: `${reason}; ${described(old, before, window.origin)}`,
    figures,
    ...(status === 'pass' && Object.keys(upTo).length > 0 && { upTo }),
    baseline: mapValues(counts, ({ healthy }) => healthy),
    holds: true,
    ...(note !== undefined && { rollbackNote: note }),
  };
}

interface Bounds {
  readonly maxLoad: number;
  readonly followMs: number;
  /** Up to which load an autoscaler may be content, relative to before the shift. */
  readonly contentLoad: number;
}

/**
 * Up to which load of a target its autoscaler may see no need of more of them, relative to the load before the shift. Of few
 * targets before, the load of each may have been well below what the autoscaler aims at: of three, two thirds of it.
 * Autoscalers of fuller targets would add some: if they don't, they can't, and more load is no answer to that.
 */
function contentLoad(targets: number): number {
  return Math.max(noise, targets > 1 ? (tolerated * targets) / (targets - 1) : Infinity);
}

function evaluateSlot(
  slot: string,
  window: CheckWindow,
  counts: TargetCounts,
  measure: number,
  settings: Bounds,
): CheckResult {
  const { healthy } = counts;
  const weight = weightsToBe(window)[slot]!;
  const load = measure === 0 || healthy === 0 ? null : round((weight * measure) / healthy);
  const figures: Figure[] = [
    figure(slot, load, settings.maxLoad),
    { name: 'healthy targets', slot, value: healthy, unit: 'count' },
  ];
  const empty = emptiness(counts) ?? (healthy === 0 ? 'no target is healthy' : undefined);
  const most = mostWeight(window, slot, counts, measure, settings);
  const has = `${healthy} healthy ${healthy === 1 ? 'target' : 'targets'} for ${weight} %, enough for ${Math.min(most, 100)} %`;
  const reason = `${slot}: ${empty ?? has}`;
  const live = window.live[slot] ?? 0;
  // Of weights that are live it only says what there is: health of targets is a check of its own.
  if (window.stage === 'after' || (empty === undefined && most >= weight)) {
    return { status: 'pass', reason, figures };
  }
  // Less than half of the room that an autoscaler keeps is not worth a step's time: soon there are more targets.
  const isWorthIt = most >= ((1 + settings.maxLoad) / 2) * live || hasHadTime(window, settings);
  return empty === undefined && most > live && isWorthIt
    ? { status: 'pass', reason, figures, upTo: { [slot]: most } }
    : { status: 'inconclusive', reason: `${reason}: waits for more`, figures };
}

/** Whether an autoscaler has had its time to add targets for the live weights. */
function hasHadTime({ from, to }: CheckWindow, { followMs }: Bounds): boolean {
  return to - from >= followMs;
}

/** The most weight that a slot's healthy targets may get now. */
function mostWeight(
  window: CheckWindow,
  slot: string,
  { healthy, undecided }: TargetCounts,
  measure: number,
  settings: Bounds,
): number {
  if (measure === 0) {
    return Infinity;
  }
  const live = window.live[slot] ?? 0;
  const upTo = (load: number): number => Math.floor(round((load * healthy) / measure));
  const isContent =
    undecided === 0 && live > 0 && live <= upTo(settings.contentLoad) && hasHadTime(window, settings);
  const more = Math.max(live + 1, Math.floor(round(tolerated * live)));
  return Math.max(
    upTo(settings.maxLoad),
    isContent ? Math.min(more, upTo(contentRatio * settings.maxLoad)) : 0,
  );
}

/** What a rollback meets where the old slots have fewer targets than before. */
function shrunk(
  old: readonly string[],
  counts: Readonly<Record<string, TargetCounts>>,
  before: Weights,
  origin: Weights,
): string | undefined {
  const fewer = old.filter((slot) => counts[slot]!.healthy < before[slot]!);
  return fewer.length === 0
    ? undefined
    : fewer
        .map(
          (slot) =>
            `${slot} has ${counts[slot]!.healthy} healthy targets now; it had ${before[slot]} when it carried ${origin[slot]} %.`,
        )
        .join(' ');
}

function figure(slot: string, value: number | null, max: number): Figure {
  return { name: 'load of a target, relative to before the shift', slot, value, max };
}

/** Healthy targets for each percent of traffic, of all these slots together. */
function perPercent(slots: readonly string[], targets: Weights, weights: Weights): number {
  const percent = sumOf(slots, weights);
  return percent === 0 ? 0 : sumOf(slots, targets) / percent;
}

function sumOf(slots: readonly string[], numbers: Weights): number {
  return slots.reduce((sum, slot) => sum + numbers[slot]!, 0);
}

function described(slots: readonly string[], targets: Weights, weights: Weights): string {
  return slots.map((slot) => `${slot} had ${targets[slot]} and carried ${weights[slot]} %`).join(', ');
}

function mapValues<One, Other>(
  of: Readonly<Record<string, One>>,
  to: (one: One) => Other,
): Record<string, Other> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, to(value)]));
}

/** Takes away what binary fractions add: 1.5 of 2 is 3, not a bit less. */
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
    {
      ...{ name: 'healthy share', slot, value, unit: 'share', min },
      ...(total > 0 && { counts: { counted: healthy, of: total, what: 'targets are healthy' } }),
    },
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
