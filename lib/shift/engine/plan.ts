import { parseDuration } from '../../core/durations';
import { InvalidInput, Problems } from '../../core/validation/problems';
import { shiftSettingsProblems } from './settings';
import type { ShiftSettings } from './settings';
import { placesOf } from './steps';
import type { StepPlaces } from './steps';
import { fullWeights, weightProblems } from './weights';
import type { Weights } from './weights';

/** A shift as plain data, with every default filled in: what the machine, the driver and a simulation work on. */
export interface ShiftPlan extends StepPlaces {
  /** How long the weights of a step are live before its checks have to pass, in milliseconds. */
  readonly everyMs: number;
  /** How often checks run while weights are live, in milliseconds; at most `everyMs`. */
  readonly checkEveryMs: number;
  /** How long the wanted weights are live after the last step has passed, in milliseconds. */
  readonly bakeMs: number;
  /** Places on the way, in percent, beyond which it goes only when a person says so: rising. */
  readonly pauses: readonly number[];
  /** How long one run may take, in milliseconds; `null` without a deadline. */
  readonly deadlineMs: number | null;
  /** How long a check may stay inconclusive before that counts as failed, in milliseconds. */
  readonly inconclusiveLimitMs: number;
  /** What a failed check does: `rollbackTo` gives all of the traffic to one slot. */
  readonly onFailure:
    | 'rollback'
    | 'hold'
    | {
        /** The slot that gets all of the traffic. */
        readonly rollbackTo: string;
      };
  /** What an interrupt does. */
  readonly onInterrupt: 'rollback' | 'hold';
  /**
   * How long new weights need until all traffic follows them (stickiness, deregistration delay, a record's TTL), in
   * milliseconds; 0 where nothing is known of it.
   */
  readonly leastWaitMs: number;
  /**
   * How long a write takes before it answers, in milliseconds: a record's TTL. Times that are shown count it.
   * @default 0
   */
  readonly writeMs?: number;
  /**
   * Whether a step waits until checks let it go all of its way, instead of going as far as they let it.
   * @default false
   */
  readonly wholeSteps?: boolean;
  /** Whether no check is asked: nothing but an error of the router stops it. @default false */
  readonly unchecked?: boolean;
}

/** How long a step takes at least, with its write, in milliseconds. */
export function stepMs({ everyMs, writeMs = 0 }: ShiftPlan): number {
  return everyMs + writeMs;
}

const minute = 60_000;

/** Metrics come by the minute; to ask four times in it costs little and finds a bad figure soon after it is there. */
const defaultCheckEveryMs = minute / 4;

/**
 * The plan of a shift.
 *
 * @param slots names of the slots
 * @param wanted weights to end at: whole percents that add up to 100; slots that are left out get 0
 * @param leastWaitMs how long new weights need until all traffic follows them, in milliseconds: the default of `every`
 *   is no shorter
 * @param writeMs how long a write takes before it answers, in milliseconds
 * @throws InvalidInput with every problem of the weights and the settings
 */
export function shiftPlan(
  slots: readonly string[],
  wanted: Weights,
  settings: ShiftSettings = {},
  leastWaitMs = 0,
  writeMs = 0,
): ShiftPlan {
  const problems = new Problems('shift');
  problems.addAll(weightProblems(slots, wanted));
  problems.addAll(shiftSettingsProblems(settings, slots));
  checkRollback(problems, settings?.onFailure, wanted);
  if (problems.all.length > 0) {
    throw new InvalidInput('shift', problems.all);
  }
  const everyMs = milliseconds(settings.every) ?? Math.max(2 * minute, leastWaitMs);
  return {
    slots: [...slots],
    wanted: fullWeights(slots, wanted),
    places: placesOf(settings),
    everyMs,
    checkEveryMs: Math.min(milliseconds(settings.checkEvery) ?? defaultCheckEveryMs, everyMs),
    bakeMs: milliseconds(settings.bake) ?? 10 * minute,
    pauses: [...new Set(settings.pause)].sort((one, other) => one - other),
    deadlineMs: milliseconds(settings.deadline) ?? null,
    inconclusiveLimitMs: milliseconds(settings.inconclusiveLimit) ?? 10 * minute,
    onFailure: settings.onFailure ?? 'rollback',
    onInterrupt: settings.onInterrupt ?? 'hold',
    leastWaitMs,
    ...(writeMs > 0 && { writeMs }),
  };
}

/**
 * The settings of a shift that takes traffic back. What would keep traffic on the slot that is given up, or return it there, is of
 * the way forward: pauses, a deadline, a rollback on an interrupt, and a `rollbackTo` of the slot that gets everything.
 *
 * @param wanted weights that it takes the traffic back to
 */
export function settingsBack(
  { pause: _pause, deadline: _deadline, onInterrupt: _interrupt, onFailure, ...settings }: ShiftSettings,
  wanted: Weights,
): ShiftSettings {
  const isItself = typeof onFailure === 'object' && wanted[onFailure.rollbackTo] === 100;
  return { ...settings, ...(onFailure !== undefined && !isItself && { onFailure }) };
}

/** A rollback that is the shift itself would give everything to the slot that has just failed. */
function checkRollback(problems: Problems, onFailure: ShiftSettings['onFailure'], wanted: Weights): void {
  const slot = typeof onFailure === 'object' ? onFailure?.rollbackTo : undefined;
  if (slot !== undefined && wanted?.[slot] === 100) {
    problems.add('onFailure.rollbackTo', slot, 'a slot other than the one that gets everything');
  }
}

function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
