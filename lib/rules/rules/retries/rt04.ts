import { formatDuration } from '../../../durations';
import { durationOf, retryStrategies } from '../../objects/retry-strategies';
import type { RetryStrategy } from '../../objects/retry-strategies';
import { totalRetryWait } from '../../retry-waits';
import type { RawFinding, Rule } from '../../rule';

/** @see https://argo-workflows.readthedocs.io/en/latest/retries/#back-off */
export const rt04: Rule = {
  id: 'RT04',
  severity: 'warning',
  title: 'A maxDuration that cuts retries off',
  why: 'maxDuration counts from the start of the first try and ends a step whose next wait would reach beyond it: the last retries never happen',
  fix: 'set maxDuration to more than all waits and one whole run together, or leave it out where limit is enough',
  *check({ objects }) {
    for (const strategy of objects.view(retryStrategies)) {
      yield* judge(strategy);
    }
  },
};

function* judge(strategy: RetryStrategy): Iterable<RawFinding> {
  const { object, name, get, limit, backoff, longestRun } = strategy;
  const field = get('backoff', 'maxDuration');
  const most = durationOf(field);
  if (most === undefined || limit === undefined || !backoff) {
    return;
  }
  const waits = totalRetryWait(limit, backoff);
  if (most < waits + (longestRun ?? 0)) {
    const run = longestRun === undefined ? '' : `, and a run may take ${inWords(longestRun)}`;
    yield {
      object,
      pointer: field.pointer,
      message: `${name}: maxDuration is ${inWords(most)}, and ${limit} retries wait ${inWords(waits)} in all${run}`,
    };
  }
}

function inWords(milliseconds: number): string {
  return Number.isSafeInteger(Math.floor(milliseconds))
    ? formatDuration(Math.floor(milliseconds))
    : 'longer than anything';
}
