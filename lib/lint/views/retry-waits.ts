import { parseDuration } from '../../core/durations';

/** How long Argo Workflows waits between the tries of a step. Times are milliseconds. */
export interface RetryBackoff {
  /** Before the first retry. */
  readonly duration: number;
  /** From wait to wait; zero or less counts as 1, as for Argo. @default 1 - every wait is the same */
  readonly factor?: number;
  /** Longest wait. @default - none */
  readonly cap?: number;
}

/**
 * The waits of all retries together: `duration * factor^(n-1)` before the n-th retry, at most `cap`.
 *
 * Without a limit Argo does not wait at all, so a limit has to be given. What a try itself takes comes on top.
 *
 * @param limit number of retries; the first try is none
 * @returns milliseconds; it may be Infinity
 * @see https://github.com/argoproj/argo-workflows/blob/main/workflow/controller/operator.go
 *
 * @example
 * totalRetryWait(6, { duration: 15_000, factor: 2, cap: 60_000 }); // 285000
 */
export function totalRetryWait(limit: number, backoff: RetryBackoff): number {
  const { duration, cap = Infinity } = backoff;
  const factor = growthOf(backoff);
  let total = 0;
  let wait = duration;
  for (let retry = 0; retry < limit; retry++) {
    if (factor === 1 || wait >= cap || !Number.isFinite(total)) {
      // Every wait that is left is the same.
      return total + (limit - retry) * Math.min(wait, cap);
    }
    total += wait;
    wait *= factor;
  }
  return total;
}

/**
 * Whether a workflow's deadline ends it while retries of one step may still wait: past it nothing is tried again.
 *
 * @param deadline `activeDeadlineSeconds` of the workflow, in milliseconds
 * @param waits what {@link totalRetryWait} says of the step
 */
export function cutsRetriesOff(deadline: number, waits: number): boolean {
  return deadline <= waits;
}

function growthOf({ factor, duration }: RetryBackoff): number {
  return factor === undefined || factor <= 0 || duration === 0 ? 1 : Math.trunc(factor);
}

/**
 * A duration as Argo Workflows reads it: seconds where there is no unit, else as Go writes durations.
 *
 * @returns milliseconds; undefined where it is none, such as a template's parameter
 */
export function parseRetryDuration(text: string): number | undefined {
  return /^\+?\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
}
