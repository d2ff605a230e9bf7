import { formatDuration } from '../../../core/durations';
import type { Field } from '../../object';
import type { RawFinding, Rule } from '../../rule';
import { durationOf, retryStrategies } from '../../views/retry-strategies';
import type { RetryStrategyView } from '../../views/retry-strategies';
import { totalRetryWait } from '../../views/retry-waits';

/** Two refreshes of a mounted Secret by the kubelet, 90 s each. */
const enough = 180_000;

/** @see https://argo-workflows.readthedocs.io/en/latest/retries/#back-off */
export const rt03: Rule = {
  id: 'RT03',
  severity: 'warning',
  title: 'Retries that are over too soon',
  why: 'a pod takes up to 90s to see a new certificate, and a webhook that starts again takes longer: retries that end within three minutes end while it is still away',
  fix: 'wait 180s or more in all: limit 6, duration 15s, factor 2 and cap 60s wait 285s',
  scope: 'object',
  *check({ objects }) {
    for (const strategy of objects.view(retryStrategies)) {
      if (strategy.makesPods && strategy.get('limit').exists) {
        yield* evaluate(strategy);
      }
    }
  },
};

const noDuration = 'Argo Workflows refuses to go on with a step whose waits it cannot read';

/** What has a parameter in it is known at run time. */
function isNoDuration(field: Field): boolean {
  return field.text !== undefined && !field.text.includes('{{') && durationOf(field) === undefined;
}

function* evaluate({ object, name, get, limit, backoff }: RetryStrategyView): Iterable<RawFinding> {
  const hasBackoff = get('backoff', 'duration').exists;
  if (limit === undefined || (hasBackoff && !backoff)) {
    const wrong = ['duration', 'cap'].map((key) => get('backoff', key)).find(isNoDuration);
    if (wrong) {
      const said = JSON.stringify(wrong.text);
      const message = `${name}: backoff.${String(wrong.steps.at(-1))} ${said} is no duration`;
      yield { object, pointer: wrong.pointer, message, why: noDuration, fix: 'write "15s", "2m" or seconds' };
      return;
    }
    const unknown = limit === undefined ? get('limit') : get('backoff');
    yield {
      object,
      pointer: unknown.pointer,
      severity: 'info',
      message: `${name}: how long its retries wait is known only at run time`,
    };
    return;
  }
  const total = backoff ? totalRetryWait(limit, backoff) : 0;
  if (total < enough) {
    yield {
      object,
      pointer: hasBackoff ? get('backoff').pointer : get('limit').pointer,
      message: `${name}: ${limit} ${limit === 1 ? 'retry waits' : 'retries wait'} ${formatDuration(Math.floor(total))} in all`,
    };
  }
}
