import { existsSync } from 'node:fs';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import { fullWeights } from '../../shift/engine';
import type { Weights } from '../../shift/engine';
import { hasLease, openRoute, readPlan } from '../../shift/plan-file';
import type { CheckedPlanFile } from '../../shift/plan-file';
import { checkTargets } from './fleet-targets';
import type { ReadTags } from './fleet-targets';
import { expired, move } from './move';
import type { MoveOptions } from './move';
import { moveBack } from './way-back';

/** Moves traffic in place of a program that leaves that to others. */
export interface TrafficMover {
  /**
   * What keeps it from moving the traffic as things are now, a line each; notes are of what the program may still write. Nothing is
   * asked and nothing is written.
   *
   * @default - nothing is known of that
   */
  look?(): { readonly problems: readonly string[]; readonly notes: readonly string[] };

  /**
   * Puts a new slot, with weight 0, on what holds the weights, where its targets then get their health.
   *
   * @param slots all of the fleet
   * @throws what `confirm` throws; InvalidInput where it could not move the traffic between these slots; RouterError, AwsError
   */
  putOn(
    slot: string,
    slots: readonly string[],
    options: Omit<MoveOptions, 'back'>,
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Moves the traffic; run again after a kill, it goes on.
   *
   * @throws ShiftAborted, NotMoved where the traffic is not there in the end; InvalidInput, AwsError
   */
  move(weights: Weights, options: MoveOptions, signal: AbortSignal): Promise<void>;

  /**
   * Takes a slot that has no traffic off what holds the weights, before the program deletes it.
   *
   * @throws Error where that can't be done
   */
  takeOff(slot: string, signal: AbortSignal): Promise<void>;
}

/** What a plan moves the traffic of. */
export interface PlanMoverOptions {
  readonly fleet: string;
  /** Takes a slot off: by then the program may have written a plan without it. */
  readonly takeOff: TrafficMover['takeOff'];
  /** @default - Elastic Load Balancing */
  readonly readTags?: ReadTags;
}

/**
 * Moves traffic by a plan file, to weights of one's own in place of the plan's. It is read for each shift: a program may write it
 * anew in each deployment.
 *
 * @param file path of the plan
 */
export function planMover(file: string, { fleet, takeOff, readTags }: PlanMoverOptions): TrafficMover {
  return {
    takeOff,
    look: () => lookAt(file),
    putOn: async (slot, slots, options, signal) => {
      const plan = planTo(readPlan(file), fullWeights(slots, { [slot]: 100 }), slots);
      await checkTargets(plan, fleet, signal, readTags);
      await putOn(plan, options, signal);
    },
    move: async (weights, options, signal) => {
      const carrying = Object.keys(weights).filter((slot) => weights[slot]! > 0);
      const plan = planTo(readPlan(file), weights, carrying);
      await checkTargets(plan, fleet, signal, readTags).catch((error: unknown) => {
        // What can't be asked must not keep traffic from going back.
        if (!options.back || error instanceof InvalidInput) {
          throw error;
        }
      });
      await (options.back ? moveBack : move)(plan, options, signal);
    },
  };
}

function lookAt(file: string): ReturnType<NonNullable<TrafficMover['look']>> {
  if (!existsSync(file)) {
    const note = `phases.shift.plan: ${file} is not there yet: the program has to write it by the end of create`;
    return { problems: [], notes: [note] };
  }
  try {
    const plan = readPlan(file);
    planTo(plan, plan.weights, []);
    return { problems: [], notes: [] };
  } catch (error) {
    // With the new slot the program writes the second one, without which there is no plan.
    const isOfSlots =
      error instanceof InvalidInput && error.problems.every(({ path }) => /(?:^|\s)slots$/.test(path));
    const line = `phases.shift.plan: ${errorLine(error)}`;
    return isOfSlots
      ? { problems: [], notes: [`${line}, by the end of create`] }
      : { problems: [line], notes: [] };
  }
}

/** The plan with other weights, which has to have these slots. */
function planTo(plan: CheckedPlanFile, weights: Weights, needed: readonly string[]): CheckedPlanFile {
  const { slots, shift, watch, approvals, file } = plan;
  const missing = needed.filter((slot) => !slots.includes(slot));
  const canContinue = watch || approvals?.github !== undefined;
  const problems = [
    ...(missing.length > 0
      ? [{ path: 'slots', value: slots, allowed: `slots with ${missing.join(', ')}, which the fleet has` }]
      : []),
    ...(shift.pause !== undefined && shift.pause.length > 0 && !canContinue
      ? [
          {
            path: 'shift.pause',
            value: shift.pause,
            allowed: 'left out, unless watch is true or approvals.github is given: a swap could not continue',
          },
        ]
      : []),
    ...(hasLease(plan)
      ? []
      : [
          {
            path: 'lease',
            value: plan.lease,
            allowed: 'a lease: by its record a swap takes an unfinished shift back',
          },
        ]),
  ];
  if (problems.length > 0) {
    throw new InvalidInput(file, problems);
  }
  const known = Object.fromEntries(Object.entries(weights).filter(([slot]) => slots.includes(slot)));
  return { ...plan, weights: fullWeights(slots, known) };
}

/** The first look of a shift puts slots there that are to get traffic: under its lease, since it writes weights as they are. */
async function putOn(
  plan: CheckedPlanFile,
  { say, confirm }: Omit<MoveOptions, 'back'>,
  signal: AbortSignal,
): Promise<void> {
  for (const name of Object.keys(plan.routes)) {
    const route = await openRoute(plan, name);
    try {
      // That of this run, too, whose release was not answered.
      await expired(route, say, signal);
      await confirm?.();
      await route.lease.acquire(signal);
      try {
        await route.shifted.read(signal);
      } finally {
        await route.lease.release(undefined, signal).catch((error: unknown) => {
          say(
            `the lease of ${route.routerId} could not be given back, and expires by itself: ${errorLine(error)}`,
          );
        });
      }
    } finally {
      route.close();
    }
  }
}
