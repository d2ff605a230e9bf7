import { InvalidInput, refuseOptions } from '../problems';
import { totalRetryWait } from '../rules';
import type { RetriedEnds, RetryStrategy } from './retry-options';
import { backoffOf, completed, retryProblems, retryStrategyKeys } from './retry-options';
import { transientErrorPattern, userErrorPattern } from './transient-errors';

/** `retryStrategy` of a template of Argo Workflows. */
export interface RetryStrategyManifest {
  /** Number of retries. */
  readonly limit: number;
  /** Whether only what Argo calls an error is tried again, or a failed container as well. */
  readonly retryPolicy: 'OnError' | 'Always';
  /** Expression that says what is tried again. */
  readonly expression: string;
  /** How long it waits between tries. */
  readonly backoff: {
    /** Wait before the first retry: `5s`. */
    readonly duration: string;
    /** Every further wait is so many times the one before. */
    readonly factor: number;
    /** The longest single wait. */
    readonly cap: string;
    /** How long all tries may take together. @default - no limit */
    readonly maxDuration?: string;
  };
  /** Where a retry runs. @default - anywhere */
  readonly affinity?: {
    /** Empty: not on a node on which it has failed before. */
    readonly nodeAntiAffinity: Readonly<Record<string, never>>;
  };
}

/**
 * A `retryStrategy` that tries a refused pod again until a webhook's certificate has reached its pods, and does not try again
 * what a user has to mend. For a workflow that is written in another way; the constructs of this room have it as their
 * default.
 *
 * An Argo Workflows that does not know `cap` yet waits longer, not shorter. `lastRetry.message` is there from 3.5 on.
 *
 * @throws InvalidInput with everything that is wrong, and where the waits are less than three minutes together
 * @see https://argo-workflows.readthedocs.io/en/latest/retries/
 *
 * @example
 * const build = { name: 'build', container, retryStrategy: retryStrategy({ retries: 'interruptions', limit: 8 }) };
 */
export function retryStrategy(strategy: RetryStrategy = {}): RetryStrategyManifest {
  refuseOptions('retryStrategy', strategy, retryStrategyKeys);
  const problems = retryProblems(strategy);
  if (problems.length > 0) {
    throw new InvalidInput('RetryStrategy', problems);
  }
  const { retries, limit, duration, factor, cap } = completed(strategy);
  const { maxDuration, onAnotherNode, expression, finalExitCodes = [] } = strategy;
  const own = conditions[retries](finalExitCodes);
  return {
    limit,
    // Argo calls a pod that was killed or evicted failed.
    retryPolicy: retries === 'interruptions' || retries === 'failures' ? 'Always' : 'OnError',
    expression: expression === undefined ? own : `(${own}) && (${expression})`,
    backoff: { duration, factor, cap, ...(maxDuration === undefined ? {} : { maxDuration }) },
    ...(onAnotherNode === true ? { affinity: { nodeAntiAffinity: {} } } : {}),
  };
}

/**
 * When the retries of a strategy begin, in milliseconds after the first try has ended; what the tries take comes on top.
 *
 * @throws InvalidInput with everything that is wrong
 *
 * @example
 * retryMoments(); // [15000, 45000, 105000, 165000, 225000, 285000]
 */
export function retryMoments(strategy: RetryStrategy = {}): readonly number[] {
  const { limit } = retryStrategy(strategy);
  return Array.from({ length: limit }, (_, before) => totalRetryWait(before + 1, backoffOf(strategy)));
}

const notTheUsers = `not (lastRetry.message matches ${JSON.stringify(userErrorPattern)})`;

/** -1: there is no status, as for an evicted pod. 137, 143: killed, and asked to end. */
const interrupted =
  'lastRetry.exitCode in ["-1", "137", "143"] && not (lastRetry.message matches "OOMKilled")';

/**
 * Conditions in the words of Argo's expressions.
 * @see https://expr-lang.org/docs/language-definition
 */
const conditions: Readonly<Record<RetriedEnds, (finalExitCodes: readonly number[]) => string>> = {
  refusals: () => `lastRetry.message matches ${JSON.stringify(transientErrorPattern())}`,
  errors: () => notTheUsers,
  interruptions: () => `lastRetry.status == "Error" ? ${notTheUsers} : ${interrupted}`,
  failures: (codes) =>
    codes.length === 0
      ? `lastRetry.status == "Failed" || ${notTheUsers}`
      : `lastRetry.status == "Error" ? ${notTheUsers} : not (lastRetry.exitCode in [${codes.map((code) => `"${code}"`).join(', ')}])`,
};
