import { formatWeights } from '../format';
import type { ShiftRecord } from '../lease';
import type { ShiftPlan } from '../plan';
import { sameWeights, plannedSteps } from '../steps';
import type { Weights } from '../weights';
import type { ShiftLive, ShiftStarted } from './events';
import { distinctWeights, fitSlots, isLive, isOneOf } from './live-weights';
import { everythingTo } from './transitions';

/** What a run does with the record that it finds. */
export type RecordUse =
  /** There is none of an unfinished shift. */
  | { readonly use: 'none' }
  /** It starts from the live weights, and writes over the record. */
  | { readonly use: 'startsAnew'; readonly why: string }
  /** It goes on with the shift, or takes it back. */
  | { readonly use: 'goesOn' | 'rollsBack'; readonly record: ShiftRecord }
  /** It finishes the rollback that an earlier run had decided. */
  | { readonly use: 'finishesRollback'; readonly record: ShiftRecord }
  /** It stops: the live weights are somebody else's, or not on the way that the record says. */
  | { readonly use: 'stops'; readonly record: ShiftRecord };

/**
 * What a run of this plan does with a record.
 *
 * A rollback comes first, whatever the plan wants: traffic is on a slot that has failed. Else a plan that wants something
 * else than the record's shift is another shift: where that one began is not where this one goes back to. A run that takes
 * shifts back does so at once, as Argo Rollouts does for the stable version of an update that is not complete.
 *
 * @param start whether the run is to take the traffic back, and to where; whether it takes a shift back whose traffic this plan
 * returns
 * @see https://argoproj.github.io/argo-rollouts/features/rollback
 */
export function useOfRecord(
  plan: ShiftPlan,
  record: ShiftRecord | undefined,
  found: ShiftLive,
  start: Pick<ShiftStarted, 'origin' | 'rollBack' | 'takeBack'> = {},
): RecordUse {
  if (!record || record.ended) {
    return { use: 'none' };
  }
  const { origin, wanted, written } = record;
  const what = `An unfinished shift from ${formatWeights(origin)} to ${formatWeights(wanted)}`;
  const startsAnew = (why: string) => ({ use: 'startsAnew', why: `${what} ${why}` }) as const;
  if (![origin, wanted, written].every((weights) => fitSlots(plan.slots, weights))) {
    return startsAnew('was between other slots than this plan has.');
  }
  const isExplained = isOneOf(plan.slots, found, possibleOf(plan, record));
  // A record itself says where it began and what may be live: a rollback to its origin has to fit what is live, too.
  const isOnItsWay = isBetween({ ...plan, wanted }, origin, found);
  if (record.rollingBack) {
    if (!isRollbackTarget(plan, record)) {
      return startsAnew(
        `names ${formatWeights(written)} to roll back to, which gives the slot that failed more.`,
      );
    }
    if (isExplained) {
      const isDone = isLive(plan.slots, found, written);
      return { use: isOnItsWay || isDone || isPlanned(plan, written) ? 'finishesRollback' : 'stops', record };
    }
  }
  if (start.rollBack !== undefined) {
    const isOther = start.origin && !sameWeights(plan.slots, start.origin, origin);
    return { use: isExplained && isOnItsWay && !isOther ? 'rollsBack' : 'stops', record };
  }
  if (!sameWeights(plan.slots, wanted, plan.wanted)) {
    if (start.takeBack === true && isGivenBack(plan, record) && isExplained && isOnItsWay) {
      return { use: 'rollsBack', record };
    }
    return startsAnew(`is given up: this plan wants ${formatWeights(plan.wanted)}.`);
  }
  if (!isExplained) {
    return { use: 'stops', record };
  }
  return isBetween(plan, origin, found)
    ? { use: 'goesOn', record }
    : startsAnew('did not begin where the live weights could come from.');
}

/** What a look may find after this record, the weights that the last step began with first. */
export function possibleOf(plan: ShiftPlan, record: ShiftRecord): readonly Weights[] {
  return distinctWeights(plan.slots, [...assumedLiveWeights(plan, record), record.written, record.origin]);
}

/**
 * Whether the live weights are on the way from this origin to the wanted weights: no slot has less than both, or more. A
 * rollback to any other origin would give a slot more than it has now, and that slot may be the one that has failed.
 */
export function isBetween(plan: ShiftPlan, origin: Weights, found: ShiftLive): boolean {
  const all = found.members?.map(({ weights }) => weights) ?? [found.weights];
  return plan.slots.every((slot) => {
    const ends = [origin[slot] ?? 0, plan.wanted[slot] ?? 0];
    return all.every(({ [slot]: weight = 0 }) => weight >= Math.min(...ends) && weight <= Math.max(...ends));
  });
}

/**
 * Whether the record's rollback goes where a rollback may go: to the origin, to the plan's `rollbackTo`, or to weights that
 * give no slot that was to gain more than it had. Which `rollbackTo` the earlier run had is not on record.
 */
function isRollbackTarget(plan: ShiftPlan, { origin, wanted, written }: ShiftRecord): boolean {
  return (
    isPlanned(plan, written) ||
    plan.slots.every((slot) => {
      const had = origin[slot] ?? 0;
      return (wanted[slot] ?? 0) <= had || (written[slot] ?? 0) <= had;
    })
  );
}

/** Whether the plan gives no slot more than it had, but for those from which the shift took traffic. */
function isGivenBack({ slots, wanted: back }: ShiftPlan, { origin, wanted }: ShiftRecord): boolean {
  return slots.every((slot) => {
    const had = origin[slot] ?? 0;
    return (wanted[slot] ?? 0) < had || (back[slot] ?? 0) <= had;
  });
}

/** Whether the plan's `rollbackTo` goes there. */
function isPlanned({ slots, onFailure }: ShiftPlan, target: Weights): boolean {
  return (
    typeof onFailure === 'object' && sameWeights(slots, everythingTo(slots, onFailure.rollbackTo), target)
  );
}

/** What may have been live before the write that the record announces; the first is what the step began with. */
function assumedLiveWeights(
  plan: ShiftPlan,
  { before, origin, wanted, written }: ShiftRecord,
): readonly Weights[] {
  const known = before?.filter((weights) => fitSlots(plan.slots, weights)) ?? [];
  if (known.length > 0) {
    return known;
  }
  const way = plannedSteps(origin, { ...plan, wanted });
  const index = way.findIndex(({ weights }) => sameWeights(plan.slots, weights, written));
  return [way[index - 1]?.weights ?? origin];
}

/**
 * Two steps that follow each other explain members that differ, if the caller knows where the shift began: a run without
 * a record was stopped between them.
 */
export function recordBetween(plan: ShiftPlan, origin: Weights, found: ShiftLive): ShiftRecord | undefined {
  let before = origin;
  for (const { weights: written } of plannedSteps(origin, plan)) {
    if (isOneOf(plan.slots, found, [before, written])) {
      return { origin, wanted: plan.wanted, startedAt: found.at, written, before: [before] };
    }
    before = written;
  }
  return undefined;
}
