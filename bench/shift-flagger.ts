/**
 * A model of Flagger's analysis of a canary: `advanceCanary`, `runCanary` and `rollback` of
 * https://github.com/fluxcd/flagger/blob/v1.44.0/pkg/controller/scheduler.go, with the defaults of
 * pkg/apis/flagger/v1beta1/canary.go. Flagger has no router for a load balancer between clusters; here it writes the
 * weights of two slots as it would write those of primary and canary, and a promotion is 100 % for the new slot.
 */
export interface FlaggerAnalysis {
  /** Default 60 seconds. */
  readonly intervalMs?: number;
  /** Failed checks until it rolls back; they are never taken back by checks that pass. Default 1. */
  readonly threshold?: number;
  /** Weights of the canary, step by step; then comes the promotion. */
  readonly weights: readonly number[];
  /** Whether every metric is within its range; no values and a failing query are failed checks. */
  readonly analyse: (atMs: number) => boolean;
  readonly write: (atMs: number, canaryWeight: number) => void;
}

export interface FlaggerEnd {
  readonly atMs: number;
  readonly promoted: boolean;
  /** When the last failed check was that made it roll back, an interval before it does; unset if it did not. */
  readonly failedAtMs?: number;
}

/** The weights that `stepWeight` and `maxWeight` make. */
export function flaggerWeights(stepWeight: number, maxWeight: number): number[] {
  const weights: number[] = [];
  for (let weight = 0; weight < maxWeight;) {
    weight = Math.min(100, weight + stepWeight);
    weights.push(weight);
  }
  return weights;
}

/** From the first step, at 0 milliseconds, to the promotion or the rollback. */
export function flaggerShift(analysis: FlaggerAnalysis): FlaggerEnd {
  const { intervalMs = 60_000, threshold = 1, weights, analyse, write } = analysis;
  let step = 0;
  let failedChecks = 0;
  let failedAtMs = 0;
  write(0, weights[0]!);
  for (let atMs = intervalMs; ; atMs += intervalMs) {
    if (failedChecks >= threshold) {
      write(atMs, 0);
      return { atMs, promoted: false, failedAtMs };
    }
    if (!analyse(atMs)) {
      failedChecks += 1;
      failedAtMs = atMs;
    } else if (step + 1 < weights.length) {
      step += 1;
      write(atMs, weights[step]!);
    } else {
      write(atMs, 100);
      return { atMs, promoted: true };
    }
  }
}
