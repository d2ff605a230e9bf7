import { formatDuration } from '../../../core/durations';
import type { ManifestObject } from '../../object';
import type { RawFinding, Rule } from '../../rule';
import { countOf, durationOf, retryStrategies } from '../../views/retry-strategies';
import type { RetryStrategyView } from '../../views/retry-strategies';
import { cutsRetriesOff, totalRetryWait } from '../../views/retry-waits';

/** @see https://argo-workflows.readthedocs.io/en/latest/retries/#back-off */
export const rt04: Rule = {
  id: 'RT04',
  severity: 'warning',
  title: 'A time limit that cuts retries off',
  why: 'maxDuration counts from the start of the first try and ends a step whose next wait would reach beyond it: the last retries never happen. Past activeDeadlineSeconds of the workflow, nothing is tried again',
  fix: 'set maxDuration to more than all waits and one whole run together, or leave it out where limit is enough; the same applies to activeDeadlineSeconds of the workflow',
  scope: 'object',
  *check({ objects }) {
    for (const strategy of objects.view(retryStrategies)) {
      yield* evaluate(strategy);
    }
    yield* evaluateDeadlines(objects.view(retryStrategies));
  },
};

function* evaluate(strategy: RetryStrategyView): Iterable<RawFinding> {
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

/** A workflow has one deadline, which the step with the longest waits says most about. */
function* evaluateDeadlines(strategies: readonly RetryStrategyView[]): Iterable<RawFinding> {
  const longest = new Map<ManifestObject, { readonly strategy: RetryStrategyView; readonly waits: number }>();
  for (const strategy of strategies) {
    const { object, limit, backoff } = strategy;
    const waits = limit === undefined || !backoff ? 0 : totalRetryWait(limit, backoff);
    if (waits > (longest.get(object)?.waits ?? 0)) {
      longest.set(object, { strategy, waits });
    }
  }
  for (const [object, { strategy, waits }] of longest) {
    const { name, limit, deadline } = strategy;
    const seconds = countOf(deadline);
    if (seconds !== undefined && cutsRetriesOff(seconds * 1000, waits)) {
      yield {
        object,
        pointer: deadline.pointer,
        message: `activeDeadlineSeconds is ${seconds}, and ${limit} retries of ${name} wait ${inWords(waits)} in all`,
        why: 'a workflow past its deadline tries nothing again: the last retries never happen',
        fix: 'set activeDeadlineSeconds to more than all waits of a step and its runs together',
      };
    }
  }
}

function inWords(milliseconds: number): string {
  return Number.isSafeInteger(Math.floor(milliseconds))
    ? formatDuration(Math.floor(milliseconds))
    : 'longer than anything';
}
