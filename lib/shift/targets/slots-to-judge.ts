import type { CheckWindow } from '../check';
import type { Weights } from '../weights';

/**
 * The slots that a health check judges: those that have, or are about to get, more weight than before the shift; where
 * there are none, all that have weight.
 *
 * A slot that loses weight is not judged: it may be the very reason for the shift, and a rollback would give it more.
 */
export function slotsToJudge(window: CheckWindow): readonly string[] {
  const weights = weightsToBe(window);
  const carrying = Object.keys(weights).filter((slot) => weights[slot]! > 0);
  const gaining = carrying.filter((slot) => weights[slot]! > (window.origin[slot] ?? 0));
  return gaining.length > 0 ? gaining : carrying;
}

/** The slots that carried the traffic before the shift and are not judged: what others are measured by. */
export function referenceSlots(window: CheckWindow): readonly string[] {
  const judged = slotsToJudge(window);
  return Object.keys(window.origin).filter((slot) => window.origin[slot]! > 0 && !judged.includes(slot));
}

/** The weights that are about to be written, or those that stand. */
export function weightsToBe(window: CheckWindow): Weights {
  return window.next ?? window.live;
}
