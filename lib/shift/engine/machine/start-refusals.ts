import { evacuationText } from '../lease';
import type { ShiftRecord } from '../lease';
import type { ShiftPlan } from '../plan';
import type { Weights } from '../weights';
import type { ShiftLive } from './events';
import type { ShiftAnswer } from './states';
import { end, liveOf } from './transitions';

/** An end that says that it could not run: nothing of it is known to have moved. */
export const cannotRun = { verdict: 'aborted', finished: false, advice: 'none' } as const;

/** A rollback to a slot that is to gain would give everything to the slot that may have failed. */
export function refuseRollbackTarget(
  { onFailure, slots, wanted }: ShiftPlan,
  live: readonly Weights[],
  origin: Weights,
): ShiftAnswer | undefined {
  if (typeof onFailure !== 'object') {
    return undefined;
  }
  const { rollbackTo } = onFailure;
  const had = Math.min(...[origin, ...live].map((weights) => weights[rollbackTo] ?? 0));
  const gets = wanted[rollbackTo] ?? 0;
  if (gets <= had) {
    return undefined;
  }
  const others = slots.filter((slot) => slot !== rollbackTo).join(', ');
  const reason =
    `onFailure.rollbackTo: ${rollbackTo} gains traffic in this shift (from ${had} to ${gets}), so a failed check would ` +
    `give everything to a slot that may be the one that failed. It must be a slot that does not gain (of ${others}), or ` +
    'rollback. Nothing was written.';
  return end({ ...cannotRun, reason }, null, live.length === 1 ? live[0]! : null);
}

/** A slot that was evacuated gets no traffic by a shift, until one that gives it none is complete. */
export function refuseEvacuated(
  { slots, wanted, onFailure }: ShiftPlan,
  record: ShiftRecord | undefined,
  found: ShiftLive,
): ShiftAnswer | undefined {
  const evacuated = record?.evacuated?.slots.filter((slot) => slots.includes(slot)) ?? [];
  const target = typeof onFailure === 'object' ? onFailure.rollbackTo : undefined;
  const gets = evacuated.filter((slot) => (wanted[slot] ?? 0) > 0 || slot === target);
  if (gets.length === 0) {
    return undefined;
  }
  const names = gets.join(', ');
  const reason =
    `${evacuationText(record!)}, and this shift would give ${names} traffic again. Nothing was written.\n` +
    `To leave ${names} empty: want weight 0 for ${names}, and run the shift.\n` +
    `To give ${names} traffic again: cluster-canary evacuate FLEET-${gets[0]} --forget, and run the shift.`;
  return end({ ...cannotRun, reason }, null, liveOf(found));
}
