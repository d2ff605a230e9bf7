import type { ShiftState } from '../machine/states';
import type { CheckCalls } from './check-calls';
import type { ResumeCalls } from './resume-call';

/** Whether there is what this state waits for, or a failure. */
export function endsWait(
  state: ShiftState,
  checks: Pick<CheckCalls, 'hasFailed' | 'hasPassed'>,
  resume: Pick<ResumeCalls, 'hasResumed'>,
  now: number,
): boolean {
  switch (state.phase) {
    case 'standing':
      return checks.hasFailed || (checks.hasPassed('after') && now >= state.look.dueAt);
    case 'preparing':
      return checks.hasFailed || checks.hasPassed('before');
    case 'paused':
      return (checks.hasFailed && state.course.index >= 0) || resume.hasResumed;
    case 'announcing':
    case 'reading':
      return checks.hasFailed;
    case 'idle':
    case 'starting':
    case 'writing':
    case 'returning':
    case 'ending':
    case 'ended':
      return false;
  }
}
