/**
 * A model of how `eksctl_courier_alb` shifts traffic: pkg/courier/alb_apply.go and traffic_shift.go of
 * https://github.com/mumoshu/terraform-provider-eksctl at 9b7909d, and what was measured of it.
 */
export interface CourierApply {
  /** Weights of the two destinations, as configured; they do no more than pick the winner. */
  readonly destinations: readonly [number, number];
  /** Whether the listener has the rule already. */
  readonly exists: boolean;
  readonly stepWeight: number;
  readonly stepIntervalMs: number;
  /** How many ModifyRule calls it makes a second while it "rolls back": as many as the API answers. */
  readonly callsPerSecond: number;
  /** Whether the metric's newest value is within bounds; it is asked every 10 seconds. Default: no metric. */
  readonly analyse?: (atMs: number) => boolean;
  /** When each signal comes; one SIGINT or SIGTERM is ignored. Default: none. */
  readonly signals?: readonly { readonly atMs: number; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' }[];
  /** Numbers from 0 to 1: Go's `select` picks among what is ready by chance. */
  readonly random: () => number;
  /** Called for each write, in order, with the weights of the two destinations; `times` equal ones come as one call. */
  readonly write: (atMs: number, weights: readonly [number, number], times: number) => void;
}

export interface CourierEnd {
  readonly atMs: number;
  /** When its analysis failed; unset if it did not. */
  readonly failedAtMs?: number;
  readonly killed: boolean;
}

/** What it does next: it writes weights, so often, or asks its metric, and then takes whether that is within bounds. */
export type CourierStep =
  | {
      readonly type: 'write';
      readonly atMs: number;
      readonly weights: readonly [number, number];
      readonly times: number;
    }
  | { readonly type: 'analyse'; readonly atMs: number };

const pollMs = 10_000;

/** One `terraform apply`, from 0 milliseconds on. */
export function courierApply(apply: CourierApply): CourierEnd {
  const steps = courierSteps(apply, apply.analyse !== undefined);
  let answer: boolean | undefined;
  for (;;) {
    const { done, value } = steps.next(answer);
    if (done === true) {
      return value;
    }
    answer = undefined;
    if (value.type === 'write') {
      apply.write(value.atMs, value.weights, value.times);
    } else {
      answer = apply.analyse!(value.atMs);
    }
  }
}

/** The same step by step, for one who does each when its time has come. */
export function* courierSteps(
  apply: Omit<CourierApply, 'analyse' | 'write'>,
  analyses: boolean,
): Generator<CourierStep, CourierEnd, boolean | undefined> {
  const { destinations, stepIntervalMs, stepWeight } = apply;
  if (!apply.exists) {
    yield { type: 'write', atMs: 0, weights: destinations, times: 1 };
    return { atMs: 0, killed: false };
  }
  const firstWins = destinations[0] > destinations[1];
  const write = (atMs: number, percent: number, times = 1): CourierStep => ({
    ...{ type: 'write', atMs, times },
    weights: firstWins ? [percent, 100 - percent] : [100 - percent, percent],
  });
  const killedAtMs = killTime(apply.signals ?? []);

  let percent = 1;
  let failedAtMs: number | undefined;
  let nextStepMs = stepIntervalMs;
  let nextPollMs = analyses ? pollMs : Infinity;
  while (failedAtMs === undefined) {
    const atMs = Math.min(nextStepMs, nextPollMs);
    if (atMs >= killedAtMs) {
      return { atMs: killedAtMs, killed: true };
    }
    if (atMs === nextStepMs) {
      percent = Math.min(percent, 100);
      yield write(atMs, percent);
      if (percent === 100) {
        return { atMs, killed: false };
      }
      percent += stepWeight;
      nextStepMs += stepIntervalMs;
    } else {
      failedAtMs = (yield { type: 'analyse', atMs }) === true ? undefined : atMs;
      nextPollMs += pollMs;
    }
  }
  // From here on both its context and, at times, its ticker are ready. The `break` after the write of 0 leaves the
  // `select` only, so it starts over; a next step of exactly 100 is the one way out.
  const callMs = 1000 / apply.callsPerSecond;
  let atMs = failedAtMs;
  while (percent !== 100) {
    const calls = Math.max(1, Math.ceil((Math.min(nextStepMs, killedAtMs) - atMs) / callMs));
    yield write(atMs, 0, calls);
    atMs += calls * callMs;
    if (atMs >= killedAtMs) {
      return { atMs: killedAtMs, failedAtMs, killed: true };
    }
    while (apply.random() < 0.5) {
      yield write(atMs, 0);
      atMs += callMs;
    }
    percent = Math.min(percent, 100);
    yield write(atMs, percent);
    atMs += callMs;
    if (percent === 100) {
      break;
    }
    percent += stepWeight;
    nextStepMs += stepIntervalMs;
  }
  return { atMs, failedAtMs, killed: false };
}

/** SIGKILL ends it, and so does the second signal of the others. */
function killTime(signals: NonNullable<CourierApply['signals']>): number {
  const sorted = [...signals].sort((one, other) => one.atMs - other.atMs);
  const fatal = sorted.find(({ signal }, index) => signal === 'SIGKILL' || index > 0);
  return fatal?.atMs ?? Infinity;
}
