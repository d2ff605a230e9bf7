import { parseDuration } from '../../core/durations';
import { goDuration, oneOf, wholeNumber } from '../../core/validation/formats';
import { optionKeyProblems, textOr } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { InvalidInput, Problems, isPlainObject } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import { fullWeights, weightProblems } from './weights';
import type { Weights } from './weights';

/**
 * How a shift goes. The same words stand in a Pulumi program and in a plan file; durations are text as Go reads it:
 * `30s`, `2m`, `1h30m`.
 */
export interface ShiftSettings {
  /**
   * How far one step goes, in percent of the way from the live weights to the wanted ones: a number for equal steps, a
   * list of places on the way (`[5, 20, 50]`; 100 is added), or `geometric` for 1, 2, 5, 10, 25, 50, 100.
   *
   * @default 'geometric' - little traffic meets a cluster that nobody has seen yet
   */
  readonly step?: number | readonly number[] | 'geometric';
  /** Place of the first step, in percent of the way; only with equal steps. @default - one step */
  readonly firstStep?: number;
  /**
   * How long the weights of a step stand before the checks are asked.
   *
   * @default - `2m`, or more where stickiness, deregistration or a record's TTL need it
   */
  readonly every?: string;
  /**
   * How often checks are asked while weights stand: one that fails then takes the traffic back at once, one that passes
   * still has to pass when the step's time is over. Never longer than `every`.
   *
   * @default '15s' - a bad cluster is found soon
   */
  readonly checkEvery?: string;
  /** How long the wanted weights stand, under checks, before the shift is complete. @default '10m' */
  readonly bake?: string;
  /** Places on the way, in percent, at which it waits for a person. @default - none */
  readonly pause?: readonly number[];
  /**
   * How long all of it may take, pauses included; a shift that is not complete by then has failed. A run that goes on
   * with an unfinished shift counts anew.
   *
   * @default - none
   */
  readonly deadline?: string;
  /** How long a check may stay inconclusive before that counts as failed. @default '10m' */
  readonly inconclusiveLimit?: string;
  /**
   * What a failed check does: `rollback` takes the traffic back to where it was before the shift, `hold` leaves it where
   * it is, `{ rollbackTo }` gives all of it to one slot.
   *
   * @default 'rollback'
   */
  readonly onFailure?:
    | 'rollback'
    | 'hold'
    | {
        /** The slot that gets all of the traffic. */
        readonly rollbackTo: string;
      };
  /** What an interrupt does. @default 'hold' */
  readonly onInterrupt?: 'rollback' | 'hold';
}

/** Keys of `ShiftSettings`. */
export const shiftSettingsKeys: OptionsOf<ShiftSettings> = {
  step: 'plain',
  firstStep: 'plain',
  every: 'plain',
  checkEvery: 'plain',
  bake: 'plain',
  pause: 'list',
  deadline: 'plain',
  inconclusiveLimit: 'plain',
  onFailure: textOr({ rollbackTo: 'plain' }),
  onInterrupt: 'plain',
};

const positive: Format = {
  allowed: `${goDuration.allowed}, more than zero`,
  accepts: (value) => goDuration.accepts(value) && parseDuration(value as string)! > 0,
};

const durations: Readonly<Record<string, Format>> = {
  every: positive,
  checkEvery: positive,
  bake: goDuration,
  deadline: positive,
  inconclusiveLimit: goDuration,
};

const percent = wholeNumber(1, 100);

const pausePlace = wholeNumber(0, 99);

const interruptWord = oneOf('rollback', 'hold');

/**
 * Everything that is wrong with the settings of a shift, keys that it does not know included.
 *
 * @param slots names of the slots
 */
export function shiftSettingsProblems(settings: ShiftSettings, slots: readonly string[]): readonly Problem[] {
  const problems = new Problems('shift');
  const given: unknown = settings;
  if (!isPlainObject(given)) {
    problems.add('shift', given, 'the settings of a shift');
    return problems.all;
  }
  const unfit = optionKeyProblems(given, shiftSettingsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  problems.checkGiven('', given, durations);
  checkSteps(problems, given.step, given.firstStep);
  checkPauses(problems, given.pause);
  checkOnFailure(problems, given.onFailure, slots);
  if (given.onInterrupt !== undefined) {
    problems.check('onInterrupt', given.onInterrupt, interruptWord);
  }
  return problems.all;
}

function checkSteps(problems: Problems, step: unknown, firstStep: unknown): void {
  if (Array.isArray(step)) {
    checkPlaces(problems, step);
  } else if (step !== undefined && step !== 'geometric' && !percent.accepts(step)) {
    problems.add(
      'step',
      step,
      `${percent.allowed}, a list of rising places such as [5, 20, 50], or "geometric"`,
    );
  }
  if (firstStep === undefined) {
    return;
  }
  if (typeof step === 'number') {
    problems.check('firstStep', firstStep, percent);
  } else {
    problems.add('firstStep', firstStep, 'left out: only equal steps have a first step of their own');
  }
}

function checkPlaces(problems: Problems, places: readonly unknown[]): void {
  if (places.length === 0) {
    problems.add('step', places, 'a list of at least one place');
  }
  for (const [index, place] of places.entries()) {
    const before = places[index - 1];
    if (problems.check(`step[${index}]`, place, percent) && percent.accepts(before)) {
      if ((place as number) <= (before as number)) {
        problems.add(`step[${index}]`, place, `more than the place before it, ${before as number}`);
      }
    }
  }
}

function checkPauses(problems: Problems, pauses: unknown): void {
  if (pauses === undefined) {
    return;
  }
  if (!Array.isArray(pauses)) {
    problems.add('pause', pauses, 'a list of places such as [10, 50]');
    return;
  }
  for (const [index, place] of pauses.entries()) {
    problems.check(`pause[${index}]`, place as unknown, pausePlace);
  }
}

function checkOnFailure(problems: Problems, onFailure: unknown, slots: readonly string[]): void {
  if (onFailure === undefined || interruptWord.accepts(onFailure)) {
    return;
  }
  if (!isPlainObject(onFailure) || !('rollbackTo' in onFailure)) {
    problems.add('onFailure', onFailure, '"rollback", "hold" or { rollbackTo: a slot }');
    return;
  }
  problems.check('onFailure.rollbackTo', onFailure.rollbackTo, oneOf(...slots));
}

/** A shift as plain data, with every default filled in: what the machine, the driver and a simulation work on. */
export interface ShiftPlan {
  /** Names of the slots, in the order in which they are shown. */
  readonly slots: readonly string[];
  /** Weights that the shift ends at, of every slot. */
  readonly wanted: Weights;
  /** Places of the steps on the way from the live weights to the wanted ones, in percent: rising, 100 at the end. */
  readonly places: readonly number[];
  /** How long the weights of a step stand before its checks have to pass, in milliseconds. */
  readonly everyMs: number;
  /** How often checks are asked while weights stand, in milliseconds; at most `everyMs`. */
  readonly checkEveryMs: number;
  /** How long the wanted weights stand after the last step has passed, in milliseconds. */
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
   * How long a write takes before it answers, in milliseconds: a record's TTL. Times that are told count it.
   * @default 0
   */
  readonly writeMs?: number;
  /** Whether no check is asked: nothing but an error of the router stops it. @default false */
  readonly unchecked?: boolean;
}

/** How long a step takes at least, with its write, in milliseconds. */
export function stepMs({ everyMs, writeMs = 0 }: ShiftPlan): number {
  return everyMs + writeMs;
}

/** One percent of the way, then 2, 5, 10, 25, 50 and all of it. */
const geometric: readonly number[] = [1, 2, 5, 10, 25, 50, 100];

const minute = 60_000;

const wholeWay = 100;

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

function placesOf({ step = 'geometric', firstStep }: ShiftSettings): readonly number[] {
  if (step === 'geometric') {
    return geometric;
  }
  if (typeof step !== 'number') {
    return step.at(-1) === wholeWay ? [...step] : [...step, wholeWay];
  }
  const places: number[] = [];
  for (let place = firstStep ?? step; place < wholeWay; place += step) {
    places.push(place);
  }
  return [...places, wholeWay];
}
