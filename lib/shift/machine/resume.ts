import type { ShiftRecord } from '../lease';
import type { ShiftPlan } from '../shift-plan';
import { sameWeights, wayBetween } from '../way';
import type { Weights } from '../weights';
import type { ShiftAnswer } from './answer';
import { courseOf, nothingToDo, setOut } from './course';
import type { ShiftLive, ShiftStarted } from './events';
import { isOneOf } from './live-weights';
import { startLog } from './start-log';
import type { Course } from './states';
import { endForeign, prepare, rollBack } from './transitions';

/** With a record: goes on where it stopped, if the record explains what was found. */
export function resume(
  plan: ShiftPlan,
  start: ShiftStarted,
  record: ShiftRecord,
  found: ShiftLive,
): ShiftAnswer {
  const { origin, startedAt } = record;
  const { at } = found;
  const before = weightsBefore(plan, record);
  const possible = distinct(plan, [...before, record.written, origin]);
  if (!isOneOf(plan.slots, found, possible)) {
    return endForeign([record.written], origin, found, 'An unfinished shift was to go on. ');
  }
  const live = found.members ? before[0]! : found.weights;
  const known = { origin, startedAt, live, possible: found.members ? possible : [live] };
  const course = courseOf(plan, known, at, start.resumedTo);
  if (record.rollingBack) {
    const why = 'An earlier run had decided to roll back, and was stopped before it was done.';
    return rollBack(plan, { ...course, possible }, record.written, why, record.wanted);
  }
  if (start.rollBack !== undefined) {
    return rollBack(plan, { ...course, possible }, origin, start.rollBack, record.wanted);
  }
  if (found.members) {
    const going = beforeStep(plan, course);
    return prepare(
      going,
      at,
      `Goes on with a step that was not written everywhere. ${startLog(plan, going)}`,
    );
  }
  return course.way.length === 0
    ? nothingToDo(plan, origin, live)
    : setOut(plan, course, at, `Goes on with an unfinished shift. ${startLog(plan, course)}`);
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

/** Where members differ, the step that was announced comes next; the wanted weights at least, if there is none. */
function beforeStep(plan: ShiftPlan, course: Course): Course {
  const ahead = course.index < course.way.length - 1;
  return ahead ? course : { ...course, index: -1, way: [{ place: 100, weights: plan.wanted }] };
}

/** What may have stood before the write that the record announces; the first is what the step began with. */
function weightsBefore(
  plan: ShiftPlan,
  { before, origin, wanted, written }: ShiftRecord,
): readonly Weights[] {
  if (before && before.length > 0) {
    return before;
  }
  const way = wayBetween(origin, { ...plan, wanted });
  const index = way.findIndex(({ weights }) => sameWeights(plan.slots, weights, written));
  return [way[index - 1]?.weights ?? origin];
}

function distinct(plan: ShiftPlan, all: readonly Weights[]): readonly Weights[] {
  return all.filter(
    (weights, index) => all.findIndex((other) => sameWeights(plan.slots, weights, other)) === index,
  );
}
