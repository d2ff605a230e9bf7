import { approvalRecord } from '../outcome';
import type { CheckRecord, ShiftActivity, ShiftProgress } from '../outcome';
import { stepMs } from '../plan';
import type { ShiftPlan } from '../plan';
import type { ShiftContext, ShiftState } from './states';

/** What can be seen of a state. */
export function progressOf(
  plan: ShiftPlan,
  state: ShiftState,
  at: number,
  checks: readonly CheckRecord[],
): ShiftProgress {
  const course = 'course' in state ? state.course : undefined;
  const standsUntil = state.phase === 'standing' ? state.look.dueAt : null;
  return {
    at,
    activity: activityOf(state),
    step: course ? course.index + 1 : 0,
    steps: course?.way.length ?? 0,
    weights: state.phase === 'ended' ? state.live : (course?.live ?? null),
    from: state.phase === 'ended' ? state.origin : (course?.origin ?? null),
    wanted: plan.wanted,
    rollbackReason: state.phase === 'returning' ? state.why : null,
    checks,
    standsUntil,
    endsAt: course ? endOf(plan, state, course, Math.max(at, standsUntil ?? at)) : null,
    pausedAt: state.phase === 'paused' ? state.place : null,
    heldBy: course?.heldBy ?? null,
    approvals: (course?.approvals ?? []).map(approvalRecord),
    startedAt: course?.startedAt ?? null,
    verdict: state.phase === 'ended' ? state.end.verdict : null,
  };
}

function activityOf(state: ShiftState): ShiftActivity {
  switch (state.phase) {
    case 'idle':
    case 'starting':
      return 'starting';
    case 'preparing':
      return 'preparing';
    case 'announcing':
    case 'reading':
    case 'writing':
      return 'writing';
    case 'standing':
      return state.bake ? 'baking' : 'standing';
    case 'paused':
      return 'paused';
    case 'returning':
      return 'rollingBack';
    case 'ending':
    case 'ended':
      return 'ending';
  }
}

/** The earliest end, when the current weights stay until `standing`. */
function endOf(plan: ShiftPlan, state: ShiftState, course: ShiftContext, standing: number): number | null {
  if (state.phase === 'returning' || state.phase === 'ending' || course.way.length === 0) {
    return null;
  }
  if (state.phase === 'standing' && state.bake) {
    return standing;
  }
  return standing + (course.way.length - 1 - course.index) * stepMs(plan) + plan.bakeMs;
}
