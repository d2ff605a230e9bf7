import type { OptionsOf } from '../problems';
import { textOr } from '../problems';

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
