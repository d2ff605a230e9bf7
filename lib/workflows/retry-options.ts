import type { Problem, Rule, OptionsOf } from '../problems';
import { oneOf, Problems, wholeNumber, optionKeyProblems } from '../problems';
import { formatDuration } from '../durations';
import type { RetryBackoff } from '../rules';
import { parseRetryDuration, totalRetryWait } from '../rules';

/**
 * Which ends of a step are tried again. A pod that the API server refuses is among all of them.
 *
 * - `refusals`: only a pod that was refused because a webhook could not be asked. The step has not begun: for steps that must
 *   not run twice.
 * - `errors`: whatever Argo calls an error: refused, deleted, or something went wrong beside the main container. A step
 *   whose own program fails is not tried again.
 * - `interruptions`: these, and a pod that was evicted or killed by a signal; not one that ran out of memory.
 * - `failures`: these, and a step whose program fails, but for `finalExitCodes`.
 *
 * A pod that is malformed, or that a webhook or a policy has denied, is tried again by none of them.
 */
export type RetriedEnds = 'refusals' | 'errors' | 'interruptions' | 'failures';

/** When a step of a workflow is tried again. Durations are text: seconds where there is no unit, else as Go writes them. */
export interface RetryStrategy {
  /**
   * Which ends are tried again.
   * @default 'errors' - Argo's own default, `OnFailure`, leaves refused pods out and tries again what a user has to mend
   */
  readonly retries?: RetriedEnds;
  /**
   * Number of retries, 1 to 100; the first try is none. Without a limit Argo would not wait at all.
   * @default 6 - with the other defaults the waits are 285 s in all
   */
  readonly limit?: number;
  /** Wait before the first retry. @default '15s' - most webhooks that start again are back by then */
  readonly duration?: string;
  /** What each wait is multiplied with for the next: a whole number from 1 to 10. @default 2 */
  readonly factor?: number;
  /** Longest wait. @default '60s' - a refusal that is over is noticed within a minute */
  readonly cap?: string;
  /**
   * When it ends, counted from the start of the first try: longer than all waits and one whole run.
   * @default - `limit` alone ends it
   */
  readonly maxDuration?: string;
  /**
   * Exit statuses of the main container, 1 to 255, that are final. Only with `failures`.
   * @default [] - every failed run is tried again
   */
  readonly finalExitCodes?: readonly number[];
  /**
   * A further condition, in Argo's words for it: `asInt(lastRetry.duration) < 600`.
   * @default - none
   * @see https://argo-workflows.readthedocs.io/en/latest/retries/#conditional-retries
   */
  readonly expression?: string;
  /** Whether a retry goes to a node where none has run before. @default false - a refused pod had no node */
  readonly onAnotherNode?: boolean;
}

export const retryStrategyKeys: OptionsOf<RetryStrategy> = {
  retries: 'plain',
  limit: 'plain',
  duration: 'plain',
  factor: 'plain',
  cap: 'plain',
  maxDuration: 'plain',
  finalExitCodes: 'list',
  expression: 'plain',
  onAnotherNode: 'plain',
};

/**
 * Least sum of all waits, in milliseconds: two refreshes of a mounted Secret by the kubelet, up to 90 s each. A certificate
 * that is changed under a webhook reaches its pods within the first.
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod
 */
export const leastRetryWait = 180_000;

/** What decides about the waits, with what holds where nothing is said: 15, 30, 60, 60, 60 and 60 seconds. */
export function completed({
  retries = 'errors',
  limit = 6,
  duration: first = '15s',
  factor = 2,
  cap = '60s',
}: RetryStrategy): Required<Pick<RetryStrategy, 'retries' | 'limit' | 'duration' | 'factor' | 'cap'>> {
  return { retries, limit, duration: first, factor, cap };
}

const duration: Rule = {
  allowed: 'a duration above zero, such as "15s" or "2m"',
  accepts: (value) => typeof value === 'string' && (parseRetryDuration(value) ?? 0) > 0,
};

const condition: Rule = {
  allowed: 'a condition such as "asInt(lastRetry.duration) < 600"',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
};

/** What is wrong with a retry strategy. A sum of waits that is too small is told with what would do. */
export function retryProblems(strategy: RetryStrategy): readonly Problem[] {
  const unfit = optionKeyProblems(strategy, retryStrategyKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('RetryStrategy');
  const check = (key: keyof RetryStrategy, rule: Rule): void => {
    if (strategy[key] !== undefined) {
      problems.check(key, strategy[key], rule);
    }
  };
  check('retries', oneOf('refusals', 'errors', 'interruptions', 'failures'));
  check('limit', wholeNumber(1, 100));
  check('factor', wholeNumber(1, 10));
  for (const key of ['duration', 'cap', 'maxDuration'] as const) {
    check(key, duration);
  }
  check('expression', condition);
  if (strategy.onAnotherNode !== undefined && typeof strategy.onAnotherNode !== 'boolean') {
    problems.add('onAnotherNode', strategy.onAnotherNode, 'true or false');
  }
  checkExitCodes(problems, strategy);
  if (problems.all.length === 0) {
    checkWaits(problems, strategy);
  }
  return problems.all;
}

function checkExitCodes(problems: Problems, { finalExitCodes = [], retries }: RetryStrategy): void {
  if (!Array.isArray(finalExitCodes)) {
    problems.add('finalExitCodes', finalExitCodes, 'a list of exit statuses');
    return;
  }
  finalExitCodes.forEach((code, position) =>
    problems.check(`finalExitCodes[${position}]`, code, wholeNumber(1, 255)),
  );
  if (finalExitCodes.length > 0 && retries !== 'failures') {
    problems.add(
      'finalExitCodes',
      finalExitCodes,
      'left out: only with "failures" are failed runs tried again',
    );
  }
}

function checkWaits(problems: Problems, strategy: RetryStrategy): void {
  const { maxDuration } = strategy;
  const { limit } = completed(strategy);
  const total = totalRetryWait(limit, backoffOf(strategy));
  if (total < leastRetryWait) {
    problems.add(
      'limit',
      limit,
      `so many that all waits are ${formatDuration(leastRetryWait)} or more together, or "duration" and "cap" longer: they are ${formatDuration(Math.floor(total))}, and a pod takes up to 90s to see a new certificate`,
    );
  }
  if (maxDuration !== undefined && parseRetryDuration(maxDuration)! <= total) {
    problems.add(
      'maxDuration',
      maxDuration,
      `longer than all waits and one run together: the waits alone are ${Number.isSafeInteger(total) ? formatDuration(total) : 'longer than anything'}`,
    );
  }
}

/** The back-off of a strategy, as {@link totalRetryWait} takes it. */
export function backoffOf(strategy: RetryStrategy): RetryBackoff {
  const { duration: first, factor, cap } = completed(strategy);
  return { duration: parseRetryDuration(first)!, factor, cap: parseRetryDuration(cap)! };
}
