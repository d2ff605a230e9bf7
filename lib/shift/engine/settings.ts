import { parseDuration } from '../../core/durations';
import { across, either, list, object, optional } from '../../core/validation/collections';
import { goDuration } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { placedBelow, problemsOf } from '../../core/validation/schema';
import type { Entries, PlacedProblem, Schema } from '../../core/validation/schema';
import { duration, number, oneOf, text, that, whole } from '../../core/validation/values';

/**
 * How a shift goes. The same words are used in a Pulumi program and in a plan file; durations are text as Go reads it:
 * `30s`, `2m`, `1h30m`.
 */
export interface ShiftSettings {
  /**
   * How far one step goes, in percent of the way from the live weights to the wanted ones: a number for equal steps, a
   * list of places on the way (`[5, 20, 50]`; 100 is added), or `geometric` for 1, 2, 5, 10, 25, 50, 100.
   *
   * @default 'geometric' - little traffic meets a cluster that has had no traffic yet
   */
  readonly step?: number | readonly number[] | 'geometric';
  /** Place of the first step, in percent of the way; only with equal steps. @default - one step */
  readonly firstStep?: number;
  /**
   * How long the weights of a step are live before the checks run.
   *
   * @default - `2m`, or more where stickiness, deregistration or a record's TTL need it
   */
  readonly every?: string;
  /**
   * How often checks run while weights are live: one that fails then takes the traffic back at once, one that passes
   * still has to pass when the step's time is over. Never longer than `every`.
   *
   * @default '15s' - a bad cluster is found soon
   */
  readonly checkEvery?: string;
  /** How long the wanted weights are live, under checks, before the shift is complete. @default '10m' */
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

const positive = that(
  duration,
  `${goDuration.allowed}, more than zero`,
  (value) => (parseDuration(value) ?? 0) > 0,
);

const percent = whole(1, 100);

const stepAllowed = `${percent.allowed}, a list of rising places such as [5, 20, 50], or "geometric"`;

/** A schema for each setting of a shift. */
export const shiftSettingsEntries: Entries<ShiftSettings> = {
  step: optional(
    either<NonNullable<ShiftSettings['step']>>(
      stepAllowed,
      { when: Array.isArray, schema: list(percent, 1, 'a list of at least one place') },
      { when: (value) => value === 'geometric', schema: oneOf('geometric') },
      {
        when: (value) => typeof value === 'number',
        schema: number(stepAllowed, { min: 1, max: 100, whole: true }),
      },
    ),
  ),
  firstStep: optional(percent),
  every: optional(positive),
  checkEvery: optional(positive),
  bake: optional(duration),
  pause: optional(list(whole(0, 99), 0, 'a list of places such as [10, 50]')),
  deadline: optional(positive),
  inconclusiveLimit: optional(duration),
  onFailure: optional(
    either<NonNullable<ShiftSettings['onFailure']>>(
      '"rollback", "hold" or { rollbackTo: a slot }',
      { when: (value) => value === 'rollback' || value === 'hold', schema: oneOf('rollback', 'hold') },
      { when: isPlainObject, schema: object({ rollbackTo: text('the name of a slot', /./s) }) },
    ),
  ),
  onInterrupt: optional(oneOf('rollback', 'hold')),
};

/** What the steps of a shift say together. */
export function withStepRules<T extends ShiftSettings>(schema: Schema<T>): Schema<T> {
  return across<ShiftSettings>(schema, ({ step, firstStep }, { mustBe }) => {
    const places: readonly unknown[] = Array.isArray(step) ? step : [];
    for (const [index, place] of places.entries()) {
      const before = places[index - 1];
      if (isPercent(place) && isPercent(before) && place <= before) {
        mustBe(['step', index], `more than the place before it, ${before}`);
      }
    }
    if (isPercent(firstStep) && typeof step !== 'number') {
      mustBe(['firstStep'], 'left out: only equal steps have a first step of their own');
    }
  }) as Schema<T>;
}

function isPercent(value: unknown): value is number {
  return problemsOf(percent, value).length === 0;
}

const shiftSettingsSchema = withStepRules(object<ShiftSettings>(shiftSettingsEntries));

/**
 * Everything that is wrong with the settings of a shift, keys that it does not know included.
 *
 * @param slots names of the slots
 */
export function shiftSettingsProblems(settings: ShiftSettings, slots: readonly string[]): readonly Problem[] {
  const found = problemsOf(shiftSettingsSchema, settings);
  return [
    ...found.map(({ path, ...problem }) => ({ ...problem, path: path === '' ? 'shift' : path })),
    ...rollbackProblems(settings, slots),
  ];
}

/** Traffic goes back to a slot that there is; the settings may have other problems. */
export function rollbackProblems(settings: unknown, slots: readonly string[]): readonly PlacedProblem[] {
  const { onFailure } = isPlainObject(settings) ? settings : {};
  const slot = isPlainObject(onFailure) ? onFailure.rollbackTo : undefined;
  return typeof slot !== 'string' || slot === '' || slots.includes(slot)
    ? []
    : placedBelow(['onFailure', 'rollbackTo'], [{ path: '', value: slot, allowed: oneOf(...slots).allowed }]);
}
