import type { Rule } from '../../rule';
import { retryStrategies } from '../../views/retry-strategies';

/** @see https://github.com/argoproj/argo-workflows/blob/main/workflow/controller/operator.go */
export const rt02: Rule = {
  id: 'RT02',
  severity: 'warning',
  title: 'A backoff that never waits',
  why: 'Argo Workflows waits between retries only where there is a limit: without one it tries again at once, without end',
  fix: 'set limit in addition to backoff: with 6, 15s, factor 2 and cap 60s the waits are 285s in all',
  scope: 'object',
  *check({ objects }) {
    for (const { object, name, get } of objects.view(retryStrategies)) {
      if (get('backoff', 'duration').exists && !get('limit').exists) {
        yield { object, pointer: get('limit').pointer, message: `${name}: backoff without limit` };
      }
    }
  },
};
