import type { ShiftRecord } from '../lease';
import type { ShiftPlan } from '../shift-plan';
import { wayBetween } from '../way';
import type { Weights } from '../weights';
import type { ShiftAnswer } from './answer';
import { courseOf, nothingToDo, setOut } from './course';
import type { ShiftLive, ShiftStarted } from './events';
import { isOneOf } from './live-weights';
import { possibleOf } from './record-use';
import { startLog } from './start-log';
import type { Course } from './states';
import { prepare, takeBack } from './transitions';

/** Goes on where the record says that an earlier run has stopped. */
export function resume(
  plan: ShiftPlan,
  start: ShiftStarted,
  record: ShiftRecord,
  found: ShiftLive,
): ShiftAnswer {
  const { course } = courseOfRecord(plan, start, record, found);
  if (found.members) {
    return unite(plan, course, found.at, 'Goes on with a step that was not written everywhere.');
  }
  return course.way.length === 0
    ? nothingToDo(plan, course.origin, course.live)
    : setOut(plan, course, found.at, `Goes on with an unfinished shift. ${startLog(plan, course)}`);
}

/** Takes back what the record says that an earlier run has shifted, or finishes its rollback. */
export function takeBackRecorded(
  plan: ShiftPlan,
  start: ShiftStarted,
  record: ShiftRecord,
  found: ShiftLive,
): ShiftAnswer {
  const { course, possible } = courseOfRecord(plan, start, record, found);
  const { origin, wanted, written, rollingBack: isInherited = false } = record;
  const why = isInherited
    ? 'An earlier run had decided to roll back, and was stopped before it was done.'
    : start.rollBack!;
  const target = isInherited ? written : origin;
  return takeBack(plan, { ...course, possible }, { target, why, wanted, isInherited });
}

/**
 * Brings members together that differ, by the step that was announced; by the wanted weights, if there is none. What an
 * unfinished step left is known to be on the way.
 */
export function unite(plan: ShiftPlan, course: Course, at: number, log: string): ShiftAnswer {
  const ahead = course.index < course.way.length - 1;
  const going = ahead ? course : { ...course, index: -1, way: [{ place: 100, weights: plan.wanted }] };
  return prepare(going, at, `${log} ${startLog(plan, going)}`);
}

/**
 * Two steps that follow each other explain members that differ, if the caller knows where the shift began: a run without
 * a record was stopped between them.
 */
export function recordBetween(plan: ShiftPlan, origin: Weights, found: ShiftLive): ShiftRecord | undefined {
  let before = origin;
  for (const { weights: written } of wayBetween(origin, plan)) {
    if (isOneOf(plan.slots, found, [before, written])) {
      return { origin, wanted: plan.wanted, startedAt: found.at, written, before: [before] };
    }
    before = written;
  }
  return undefined;
}

function courseOfRecord(
  plan: ShiftPlan,
  { resumedTo }: ShiftStarted,
  record: ShiftRecord,
  { at, members, weights }: ShiftLive,
): { readonly course: Course; readonly possible: readonly Weights[] } {
  const { origin, startedAt } = record;
  const possible = possibleOf(plan, record);
  const live = members ? possible[0]! : weights;
  const known = { origin, startedAt, live, possible: members ? possible : [live] };
  return { course: courseOf(plan, known, at, resumedTo), possible };
}
