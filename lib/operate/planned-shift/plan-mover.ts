import { sleep } from '../../core/async';
import { shellWord } from '../../core/process/shell-word';
import { oneLine } from '../../core/printable-text';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import { anyOf, approvalContext, openApprovals } from '../../shift/approvals';
import { endWords, formatRoundedDuration, fullWeights, settingsBack } from '../../shift/engine';
import type { Weights } from '../../shift/engine';
import { People } from '../../shift/page';
import { hasLease, openRoute, planOfRoute, readPlan } from '../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../shift/plan-file';
import { runPlan } from './run-plan';
import type { RouteRun } from './run-plan';

/** A shift was aborted: somebody else has moved the traffic, or it is not known where it is. A person has to look. */
export class ShiftAborted extends Error {
  public override readonly name = 'ShiftAborted';
}

/** A shift was rolled back, or held where it was. */
export class NotMoved extends Error {
  public override readonly name = 'NotMoved';
}

/** How traffic is moved. */
export interface MoveOptions {
  /**
   * Whether the traffic goes back: an unfinished shift that began with these weights is taken back at once, and pauses are left
   * out.
   */
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
   * @throws ShiftAborted, NotMoved where the traffic is not there in the end
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
      putOn(planTo(readPlan(file), fullWeights(slots, { [slot]: 100 }), slots), signal),
    move: (weights, options, signal) => {
      const carrying = Object.keys(weights).filter((slot) => weights[slot]! > 0);
      const plan = planTo(readPlan(file), weights, carrying);
      return options.back ? moveBack(plan, options, signal) : move(plan, options, signal);
    },
  };
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
async function putOn(plan: CheckedPlanFile, signal: AbortSignal): Promise<void> {
  for (const name of Object.keys(plan.routes)) {
    const route = await openRoute(plan, name);
    try {
      await route.lease.acquire(signal);
      await route.shifted.read(signal).finally(() => route.lease.release(undefined, signal));
    } finally {
      route.close();
    }
  }
}

/**
 * What was cut off goes back first, each route by itself: no check of another one may keep it where it is. Then the rest, the last
 * wave first.
 */
async function moveBack(plan: CheckedPlanFile, options: MoveOptions, signal: AbortSignal): Promise<void> {
  const back = { ...plan, shift: settingsBack(plan.shift, plan.weights), rollBack: 'wave' } as const;
  const waves = [...plan.waves].reverse();
  const unfinished: string[] = [];
  for (const name of waves.flat()) {
    if (await isUnfinished(back, name, options.say, signal)) {
      unfinished.push(name);
    }
  }
  const rest = Object.keys(plan.routes).filter((name) => !unfinished.includes(name));
  const parts = [
    ...unfinished.map((name) => planOfRoute(back, name)),
    {
      ...back,
      routes: Object.fromEntries(rest.map((name) => [name, plan.routes[name]!])),
      waves: waves
        .map((wave) => wave.filter((name) => rest.includes(name)))
        .filter(({ length }) => length > 0),
    },
  ];
  const failures: unknown[] = [];
  for (const part of parts.filter(({ routes }) => Object.keys(routes).length > 0)) {
    const isUndone = unfinished.some((name) => name in part.routes);
    try {
      await moveDespite(part, isUndone, options, signal, Object.keys(plan.routes).length === 1);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  if (failures.length > 1) {
    const text = failures.map(errorLine).join('; ');
    throw failures.some((each) => each instanceof ShiftAborted) ? new ShiftAborted(text) : new NotMoved(text);
  }
  if (failures.length === 1) {
    throw failures[0];
  }
}

/** What is beside the traffic and can't be opened is no reason to leave an unfinished shift where it is. */
async function moveDespite(
  plan: CheckedPlanFile,
  isUnfinished: boolean,
  options: MoveOptions,
  signal: AbortSignal,
  isAlone: boolean,
): Promise<void> {
  try {
    await move(plan, options, signal, isAlone);
  } catch (error) {
    if (!isUnfinished || error instanceof ShiftAborted || error instanceof NotMoved || signal.aborted) {
      throw error;
    }
    options.say(
      `${errorLine(error)}; it is taken back without labels, sync windows, checks, capacity and sinks`,
    );
    const { labels: _labels, syncWindow: _window, capacity: _capacity, history: _history, ...rest } = plan;
    const { approvals: _approvals, ...bare } = rest;
    await move({ ...bare, checks: [], notify: [] }, options, signal, isAlone);
  }
}

/** Whether a shift of a route was cut off; where that can't be read, its run reads it again. */
async function isUnfinished(
  plan: CheckedPlanFile,
  name: string,
  say: MoveOptions['say'],
  signal: AbortSignal,
): Promise<boolean> {
  const route = await openRoute(plan, name);
  try {
    await expired(route, say, signal);
    const { record, problem } = await route.lease.look(signal);
    return problem !== undefined || (record !== undefined && record.ended === undefined);
  } catch (error) {
    signal.throwIfAborted();
    say(`${name}: ${errorLine(error)}`);
    return true;
  } finally {
    route.close();
  }
}

/** How long the lease of a killed run is waited for at most where the lease says nothing of it, in milliseconds. */
const longestLease = 300_000;

/** A run that was killed holds its lease until it expires; one that still runs keeps it beyond that, and is not waited for. */
async function expired(
  { lease, routerId }: OpenRoute,
  say: MoveOptions['say'],
  signal: AbortSignal,
): Promise<void> {
  const { holder, expiresAt = 0 } = await lease.look(signal);
  // A clock of another machine may be ahead.
  const waits = Math.min(expiresAt - Date.now(), lease.durationMs ?? longestLease);
  if (holder !== undefined && waits > 0) {
    const time = formatRoundedDuration(waits);
    say(`${oneLine(holder)} has the lease of ${routerId}: waits up to ${time} for its end.`);
    await sleep(waits + 1_000, signal);
  }
}

async function move(
  plan: CheckedPlanFile,
  { back, say }: MoveOptions,
  signal: AbortSignal,
  isAlone = Object.keys(plan.routes).length === 1,
): Promise<void> {
  if (!back) {
    for (const name of Object.keys(plan.routes)) {
      const route = await openRoute(plan, name);
      // What can't be read is read again by the run, which says so.
      await expired(route, say, signal).catch(() => undefined);
      route.close();
    }
  }
  signal.throwIfAborted();
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
    const text = `the shift of ${plan.file} was ${endWords[verdict]}: ${oneLine(reason)}`;
    throw verdict === 'aborted' ? new ShiftAborted(text) : new NotMoved(text);
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
