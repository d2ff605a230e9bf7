import { shellWord } from '../../core/process/shell-word';
import { oneLine } from '../../core/printable-text';
import { InvalidInput } from '../../core/validation/problems';
import { anyOf, approvalContext, openApprovals } from '../../shift/approvals';
import { endWords, fullWeights } from '../../shift/engine';
import type { Weights } from '../../shift/engine';
import { People } from '../../shift/page';
import { openRoute, readPlan } from '../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../shift/plan-file';
import { runPlan } from './run-plan';
import type { RouteRun } from './run-plan';

/** How traffic is moved. */
export interface MoveOptions {
  /** Whether an unfinished shift that began with these weights is taken back at once. */
  readonly back: boolean;
  /** Takes a line for a person. */
  readonly say: (line: string) => void;
}

/** Moves traffic in place of a program that leaves that to others. */
export interface TrafficMover {
  /**
   * Puts a new slot, with weight 0, on what holds the weights, where its targets then get their health.
   *
   * @param slots all of the fleet
   * @throws InvalidInput where it could not move the traffic between these slots; RouterError
   */
  putOn(slot: string, slots: readonly string[], signal: AbortSignal): Promise<void>;

  /**
   * Moves the traffic; run again after a kill, it goes on.
   *
   * @throws Error where the traffic is not there in the end
   */
  move(weights: Weights, options: MoveOptions, signal: AbortSignal): Promise<void>;

  /**
   * Takes a slot that has no traffic off what holds the weights, before the program deletes it.
   *
   * @throws Error where that can't be done
   */
  takeOff(slot: string, signal: AbortSignal): Promise<void>;
}

/**
 * Moves traffic by a plan file, to weights of one's own in place of the plan's. It is read for each shift: a program may write it
 * anew in each deployment.
 *
 * @param file path of the plan
 * @param takeOff takes a slot off: by then the program may have written a plan without it
 */
export function planMover(file: string, takeOff: TrafficMover['takeOff']): TrafficMover {
  return {
    takeOff,
    putOn: (slot, slots, signal) =>
      putOn(planTo(readPlan(file), fullWeights(slots, { [slot]: 100 })), signal),
    move: (weights, options, signal) => move(planTo(readPlan(file), weights), options, signal),
  };
}

/** The plan with other weights. */
function planTo(plan: CheckedPlanFile, weights: Weights): CheckedPlanFile {
  const { slots, shift, watch, approvals, file } = plan;
  const missing = Object.keys(weights).filter((slot) => !slots.includes(slot));
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
  ];
  if (problems.length > 0) {
    throw new InvalidInput(file, problems);
  }
  return { ...plan, weights: fullWeights(slots, weights) };
}

/** The first look of a shift puts slots there that are to get traffic. */
async function putOn(plan: CheckedPlanFile, signal: AbortSignal): Promise<void> {
  for (const name of Object.keys(plan.routes)) {
    const route = await openRoute(plan, name);
    try {
      await route.shifted.read(signal);
    } finally {
      route.close();
    }
  }
}

async function move(plan: CheckedPlanFile, { back, say }: MoveOptions, signal: AbortSignal): Promise<void> {
  const isAlone = Object.keys(plan.routes).length === 1;
  const routeRun = ({ name, routerId, watch }: OpenRoute): RouteRun => {
    const given = { plan: plan.file, route: name, routerId };
    const others = anyOf(openApprovals(plan.approvals ?? {}, given, approvalContext(say)));
    const people = watch && new People(howByWatch(plan.file, isAlone ? undefined : name), others);
    const resume = people ?? others;
    return {
      people,
      takeBack: back,
      runAgain: 'run the same swap again',
      ...(resume && { resume }),
      observers: [{ logged: ({ text }) => say(isAlone ? text : `${name}: ${text}`) }],
    };
  };
  const { verdict, reason } = await runPlan(plan, { route: routeRun, say, signal });
  signal.throwIfAborted();
  if (verdict !== 'completed') {
    throw new Error(`the shift of ${plan.file} was ${endWords[verdict]}: ${oneLine(reason)}`);
  }
}

/**
 * How a person lets a shift go beyond a pause from another machine.
 *
 * @param route where a plan has several
 */
export function howByWatch(file: string, route?: string): string {
  const all = ['cluster-canary', 'watch', file, ...(route === undefined ? [] : ['--route', route])];
  return [...all, '--continue'].map(shellWord).join(' ');
}
