import type { ShiftAnswer } from './answer';
import type { RouterFailed } from './events';
import { explainFailure } from './router-failures';
import type { Course } from './states';
import { close, endForeign } from './transitions';

/** The router looked right before it was to write, saw weights of somebody else, and left them. */
export function endRefused(course: Course, event: RouterFailed, before = ''): ShiftAnswer {
  const { at, live, failure, message } = event;
  if (live) {
    return endForeign(course.possible, course.origin, { type: 'live', at, weights: live }, before);
  }
  // It was one of several, and another look says what the others have.
  const reason = `${before}${explainFailure(failure, message)}`;
  return close(course, { verdict: 'aborted', reason, finished: true, advice: 'none' });
}
