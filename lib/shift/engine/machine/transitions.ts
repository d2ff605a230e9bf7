import { formatRoundedDuration, formatWeights } from '../format';
import type { ShiftPlan } from '../plan';
import { pauseBetween } from '../schedule';
import { sameWeights } from '../steps';
import type { Weights } from '../weights';
import { lookFrom } from './check-verdict';
import type { CheckFailure } from './check-verdict';
import type { ShiftLive } from './events';
import { describeFound, foreignChange, nothingMoved } from './live-weights';
import { answer, read, recordOf, wait, withLog } from './states';
import type { ShiftContext, ShiftEnd, CheckPolling, ShiftAnswer } from './states';

/** Goes on after the live weights have passed: to the next step, a pause before it, the bake or the end. */
export function goOn(plan: ShiftPlan, course: ShiftContext, at: number, log?: string): ShiftAnswer {
  if (isLate(course, at)) {
    return failLate(plan, course);
  }
  const step = course.way[course.index + 1];
  if (!step) {
    return stand(plan, course, at, true, log);
  }
  const place = placeReached(course);
  const pause = pauseBetween(plan, place, step.percent);
  if (pause !== undefined && pause > course.resumedTo) {
    return pauseAt(course, pause, `Paused at ${pause} % of the way: waits for a person.`);
  }
  if (course.heldBy !== undefined) {
    return pauseAt(course, place, holdLog(course, course.heldBy));
  }
  return prepare(course, at, log);
}

/** Waits for a person at a place of the way. */
export function pauseAt(course: ShiftContext, place: number, log: string): ShiftAnswer {
  return answer({ phase: 'paused', doing: 'ask', place, course }, { type: 'ask', place }, log);
}

/** Place of the live weights, in percent of the way. */
export function placeReached({ way, index }: ShiftContext): number {
  return way[index]?.percent ?? 0;
}

/** What the log says of a hold. */
export function holdLog(course: ShiftContext, by: string): string {
  return `Held at ${placeReached(course)} % of the way by ${by}: waits for a person.`;
}

/** Asks the checks that come before the next step. */
export function prepare(course: ShiftContext, at: number, log?: string): ShiftAnswer {
  return askBefore(course, lookFrom(at), log);
}

export function askBefore(course: ShiftContext, look: CheckPolling, log?: string): ShiftAnswer {
  const { weights } = course.way[course.index + 1]!;
  const state = { phase: 'preparing', doing: 'before', course, look } as const;
  return answer(state, { type: 'check', stage: 'before', next: weights }, log);
}

/** Keeps weights live, from now on. */
export function stand(
  plan: ShiftPlan,
  course: ShiftContext,
  at: number,
  bake: boolean,
  log?: string,
): ShiftAnswer {
  const look = bake ? lookFrom(at + plan.bakeMs, at) : lookFrom(at + plan.everyMs);
  return standOn(plan, course, at, bake, look, log);
}

/** Waits until the checks are asked the next time. */
export function standOn(
  plan: ShiftPlan,
  course: ShiftContext,
  at: number,
  bake: boolean,
  look: CheckPolling,
  log?: string,
): ShiftAnswer {
  const soon = at + plan.checkEveryMs;
  const until = at < look.dueAt ? Math.min(soon, look.dueAt) : soon;
  return wait({ phase: 'standing', doing: 'wait', bake, course, look }, untilDeadline(course, until), log);
}

export function isLate(course: ShiftContext, at: number): boolean {
  return course.deadlineAt !== null && at >= course.deadlineAt;
}

/** No wait goes beyond the deadline. */
export function untilDeadline(course: ShiftContext, until: number): number {
  return course.deadlineAt === null ? until : Math.min(until, course.deadlineAt);
}

export function failLate(plan: ShiftPlan, course: ShiftContext): ShiftAnswer {
  const why = `The shift is not complete after ${formatRoundedDuration(plan.deadlineMs!)}, its deadline.`;
  return fail(plan, course, { why });
}

/** Does what the plan's `onFailure` says; a failure that says nothing against a slot leaves the traffic where it is. */
export function fail(
  plan: ShiftPlan,
  before: ShiftContext,
  { why, holds = false, details = [], failed }: Partial<CheckFailure> & { readonly why: string },
): ShiftAnswer {
  const course = failed === undefined ? before : { ...before, failed };
  if (holds || plan.onFailure === 'hold') {
    const how = holds
      ? 'Nothing is wrong with the traffic that has moved: it stays where it is.'
      : 'The traffic stays where it is, as onFailure requires.';
    return withLog(close(course, held(plan, course, `${why}\n${how}`)), [[why, ...details].join('\n')]);
  }
  const { origin } = course;
  const target = plan.onFailure === 'rollback' ? origin : everythingTo(plan.slots, plan.onFailure.rollbackTo);
  return rollBack(plan, course, target, why, details);
}

/** Takes the traffic back; where nothing has moved yet, there is nothing to take back. */
export function rollBack(
  plan: ShiftPlan,
  course: ShiftContext,
  target: Weights,
  why: string,
  details: readonly string[] = [],
): ShiftAnswer {
  return takeBack(plan, course, { target, why, details, wanted: plan.wanted, isWanted: false });
}

/** What a rollback goes to, and why. */
export interface Return {
  readonly target: Weights;
  readonly why: string;
  /** Lines for the log. @default - none */
  readonly details?: readonly string[];
  /** Weights that the shift wanted that is taken back. */
  readonly wanted: Weights;
  /** Whether this run's plan wants just these weights: it is complete then. */
  readonly isWanted: boolean;
}

/** Takes the traffic of this run, or of an earlier one, back. */
export function takeBack(
  plan: ShiftPlan,
  course: ShiftContext,
  { wanted, details = [], ...back }: Return,
): ShiftAnswer {
  const { target } = back;
  const why = [back.why, ...Object.values(course.rollbackNotes ?? {})].join('\n');
  // An earlier shift may have begun where a person had left the traffic, which is not where it is wanted now.
  const isThere = !back.isWanted || sameWeights(plan.slots, target, course.origin);
  if (isThere && nothingMoved(plan.slots, course)) {
    const reason = `${back.why}\nNo traffic had moved.`;
    const verdict = back.isWanted ? 'completed' : 'rolledBack';
    const end = close(course, { verdict, reason, finished: true, advice: 'none' });
    return details.length > 0 ? withLog(end, [[back.why, ...details].join('\n')]) : end;
  }
  const state = { phase: 'returning', doing: 'record', course, ...back, why, attempt: 0 } as const;
  const record = recordOf(course, wanted, target, true);
  return answer(
    state,
    { type: 'record', record },
    [why, `Rolls back to ${formatWeights(target)}.`, ...details].join('\n'),
  );
}

export function complete(plan: ShiftPlan, course: ShiftContext): ShiftAnswer {
  const reason = `${formatWeights(plan.wanted)} is live and has baked.`;
  return close(course, { verdict: 'completed', reason, finished: true, advice: 'none' });
}

/** An end that leaves the traffic where it is; the next run goes on, unless nothing has moved. */
export function held(
  plan: ShiftPlan,
  course: ShiftContext,
  reason: string,
  advice: ShiftEnd['advice'] = 'runAgain',
): ShiftEnd {
  return { verdict: 'held', reason, finished: nothingMoved(plan.slots, course), advice };
}

/** Reads the live weights once more, then ends. */
export function close(course: ShiftContext, end: ShiftEnd): ShiftAnswer {
  return read({ phase: 'ending', doing: 'read', course, end, attempt: 0 });
}

/** Ends without another look. */
export function end(how: ShiftEnd, origin: Weights | null, live: Weights | null): ShiftAnswer {
  return {
    state: { phase: 'ended', end: how, origin, live },
    actions: [{ type: 'log', text: `${how.verdict}: ${how.reason}` }],
  };
}

/** Ends because another process is at work: whatever this shift left is theirs now. */
export function endForeign(
  expected: readonly Weights[],
  origin: Weights | null,
  found: ShiftLive,
  before = '',
): ShiftAnswer {
  const reason = `${before}${foreignChange(expected, found)}`;
  return end({ verdict: 'aborted', reason, finished: true, advice: 'none' }, origin, liveOf(found));
}

/** The weights that are live everywhere; `null` where members differ. */
export function liveOf(found: ShiftLive): Weights | null {
  return found.members ? null : found.weights;
}

/** A note for an end whose members differ. */
export function noteApart(found: ShiftLive): string {
  return found.members ? `\nLive are ${describeFound(found)}.` : '';
}

/** Everything on one slot. */
export function everythingTo(slots: readonly string[], slot: string): Weights {
  return Object.fromEntries(slots.map((each) => [each, each === slot ? 100 : 0]));
}
