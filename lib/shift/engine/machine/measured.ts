import type { CheckBaseline } from '../check';
import type { ShiftPlan } from '../plan';
import type { NamedResult } from './events';
import { nothingMoved } from './live-weights';
import type { ShiftContext, ShiftState } from './states';

/** The state, with what these results say beside their verdicts; the same one where that is nothing new. */
export function withMeasured(
  plan: ShiftPlan,
  state: ShiftState,
  results: readonly NamedResult[],
): ShiftState {
  if (!('course' in state)) {
    return state;
  }
  const { course } = state;
  const baselines = baselinesOf(plan, course, results);
  const rollbackNotes = notesOf(course, results);
  return baselines === course.baselines && rollbackNotes === course.rollbackNotes
    ? state
    : {
        ...state,
        course: { ...course, ...(baselines && { baselines }), ...(rollbackNotes && { rollbackNotes }) },
      };
}

/** What was measured first counts, and only while the traffic is where it was before the shift. */
function baselinesOf(
  plan: ShiftPlan,
  course: ShiftContext,
  results: readonly NamedResult[],
): ShiftContext['baselines'] {
  const { baselines } = course;
  const found = results.filter(({ name, baseline }) => baseline && !baselines?.[name]);
  return found.length > 0 && nothingMoved(plan.slots, course)
    ? {
        ...baselines,
        ...Object.fromEntries(found.map(({ name, baseline }): [string, CheckBaseline] => [name, baseline!])),
      }
    : baselines;
}

/** A check that answers without a note takes its last one back. */
function notesOf(
  { rollbackNotes }: ShiftContext,
  results: readonly NamedResult[],
): ShiftContext['rollbackNotes'] {
  const answered = results.filter(({ name, rollbackNote }) => rollbackNotes?.[name] !== rollbackNote);
  if (answered.length === 0) {
    return rollbackNotes;
  }
  const notes = answered.flatMap(({ name, rollbackNote }): [string, string][] =>
    rollbackNote === undefined ? [] : [[name, rollbackNote]],
  );
  const kept = Object.entries(rollbackNotes ?? {}).filter(([name]) =>
    answered.every((result) => result.name !== name),
  );
  return Object.fromEntries([...kept, ...notes]);
}
