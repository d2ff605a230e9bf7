import { formatDuration } from '../../core/durations';
import { across, list, object, optional } from '../../core/validation/collections';
import { dnsSubdomain } from '../../core/validation/formats';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { fits, flag, oneOf, text, that, whole } from '../../core/validation/values';
import { parseRetryDuration, totalRetryWait } from '../../lint';
import type { RetryBackoff } from '../../lint';
import { propsProblems, refuseProps } from '../field-schemas';

/**
 * Which ends of a step are tried again. A pod that the API server refuses is among all of them.
 *
 * - `refusals`: only a pod that was refused because a webhook could not be called. The step has not begun: for steps that must
 *   not run twice.
 * - `errors`: whatever Argo calls an error: refused, deleted, or something went wrong beside the main container. A step
 *   whose own program fails is not tried again.
 * - `interruptions`: these, and a pod that was evicted or killed by a signal; not one that ran out of memory.
 * - `failures`: these, and a step whose program fails, but for `finalExitCodes`.
 *
 * A pod that is malformed, or that a webhook or a policy has denied, is tried again by none of them.
 */
export type RetryOn = 'refusals' | 'errors' | 'interruptions' | 'failures';

/** When a step of a workflow is tried again. Durations are text: seconds where there is no unit, else as Go writes them. */
export interface RetryStrategy {
  /**
   * Which ends are tried again.
   * @default 'errors' - Argo's own default, `OnFailure`, leaves refused pods out and tries again what a user has to fix
   */
  readonly retries?: RetryOn;
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

/**
 * Least sum of all waits, in milliseconds: two refreshes of a mounted Secret by the kubelet, up to 90 s each. A certificate
 * that is changed under a webhook reaches its pods within the first.
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod
 */
export const leastRetryWait = 180_000;

/** What decides about the waits, with what holds where nothing is said: 15, 30, 60, 60, 60 and 60 seconds. */
export function completedRetries({
  retries = 'errors',
  limit = 6,
  duration: first = '15s',
  factor = 2,
  cap = '60s',
}: RetryStrategy): Required<Pick<RetryStrategy, 'retries' | 'limit' | 'duration' | 'factor' | 'cap'>> {
  return { retries, limit, duration: first, factor, cap };
}

const durationText = text('a duration above zero, such as "15s" or "2m"');

const duration = that(durationText, durationText.allowed, (value) => (parseRetryDuration(value) ?? 0) > 0);

/** A retry strategy; {@link waitProblems} says whether it waits long enough. */
export const retryStrategySchema: Schema<RetryStrategy> = across(
  object<RetryStrategy>({
    retries: optional(oneOf('refusals', 'errors', 'interruptions', 'failures')),
    limit: optional(whole(1, 100)),
    duration: optional(duration),
    factor: optional(whole(1, 10)),
    cap: optional(duration),
    maxDuration: optional(duration),
    finalExitCodes: optional(list(whole(1, 255), 0, 'a list of exit statuses')),
    expression: optional(text('a condition such as "asInt(lastRetry.duration) < 600"', /\S/)),
    onAnotherNode: optional(flag),
  }),
  ({ finalExitCodes, retries }, { mustBe }) => {
    if (Array.isArray(finalExitCodes) && finalExitCodes.length > 0 && retries !== 'failures') {
      mustBe(['finalExitCodes'], 'left out: only with "failures" are failed runs tried again');
    }
  },
);

/** What is wrong with a retry strategy. */
export function retryProblems(strategy: RetryStrategy): readonly Problem[] {
  const found = propsProblems(retryStrategySchema, strategy);
  return found.length > 0 ? found : waitProblems(strategy);
}

/** What is wrong with the waits of a strategy that was checked. A sum that is too small is reported with what would suffice. */
export function waitProblems(strategy: RetryStrategy): readonly Problem[] {
  const problems = new Problems('RetryStrategy');
  checkWaits(problems, strategy);
  return problems.all;
}

function checkWaits(problems: Problems, strategy: RetryStrategy): void {
  const { maxDuration } = strategy;
  const { limit } = completedRetries(strategy);
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
  const { duration: first, factor, cap } = completedRetries(strategy);
  return { duration: parseRetryDuration(first)!, factor, cap: parseRetryDuration(cap)! };
}

/**
 * What API servers answer when they could not call a webhook: its certificate is not trusted, nothing listens, or it does
 * not answer in time. A webhook that says no is answered with other words.
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/util/webhook/error.go
 */
const notAsked = 'failed calling webhook';

/**
 * What API servers answer to a pod that they will not take, however often it comes: it is malformed, a webhook or a policy
 * has said no, or its namespace takes no such pods.
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/admission/plugin/webhook/errors/statuserror.go
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/admission/plugin/policy/validating/dispatcher.go
 * @see https://github.com/kubernetes/pod-security-admission/blob/master/admission/admission.go
 */
const userErrorPattern = 'is invalid: |denied (the )?request|violates PodSecurity';

const webhookNames = object<{ readonly webhooks: readonly string[] }>({ webhooks: list(fits(dnsSubdomain)) });

/** A variable of a container's environment. */
export interface EnvironmentVariable {
  /** Name of the variable. */
  readonly name: string;
  /** The variable's value. */
  readonly value: string;
}

/**
 * A text for the variable `TRANSIENT_ERROR_PATTERN` of Argo's workflow controller: a regular expression of Go for the
 * answers of an API server that could not call a webhook.
 *
 * With it the controller asks for a refused pod again and again, without an end and without a `retryStrategy`: the step
 * stays Pending, and no `WorkflowNodeError` tells of it. Set `activeDeadlineSeconds` where that must end. The policy
 * `OnTransientError` reads the same variable.
 *
 * @param webhooks names of entries of webhook configurations, such as `mpod.elbv2.k8s.aws`; all by default, since a webhook
 * that can't be called is never the fault of the step
 * @throws InvalidInput where a name is none
 * @see https://argo-workflows.readthedocs.io/en/latest/environment-variables/#controller
 *
 * @example
 * transientErrorPattern(); // failed calling webhook
 */
export function transientErrorPattern(webhooks: readonly string[] = []): string {
  refuseProps('transientErrorPattern', webhookNames, { webhooks });
  const names = webhooks.map((name) => name.replaceAll('.', '\\.'));
  return names.length === 0 ? notAsked : `${notAsked} "(${names.join('|')})"`;
}

/**
 * The same as an entry for `env` of the controller's container.
 *
 * @throws InvalidInput where a name is none
 */
export function transientErrorEnv(webhooks: readonly string[] = []): EnvironmentVariable {
  return { name: 'TRANSIENT_ERROR_PATTERN', value: transientErrorPattern(webhooks) };
}

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
 * what a user has to fix. For a workflow that is written in another way; the constructs of this module have it as their
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
  const problems = retryProblems(strategy);
  if (problems.length > 0) {
    throw new InvalidInput('RetryStrategy', problems);
  }
  const { retries, limit, duration: first, factor, cap } = completedRetries(strategy);
  const { maxDuration, onAnotherNode, expression, finalExitCodes = [] } = strategy;
  const own = conditions[retries](finalExitCodes);
  return {
    limit,
    // Argo calls a pod that was killed or evicted failed.
    retryPolicy: retries === 'interruptions' || retries === 'failures' ? 'Always' : 'OnError',
    expression: expression === undefined ? own : `(${own}) && (${expression})`,
    backoff: { duration: first, factor, cap, ...(maxDuration === undefined ? {} : { maxDuration }) },
    ...(onAnotherNode === true ? { affinity: { nodeAntiAffinity: {} } } : {}),
  };
}

/**
 * When the retries of a strategy begin, in milliseconds after the first try has ended; what the tries take comes on top.
 *
 * @throws InvalidInput with everything that is wrong
 *
 * @example
 * retryTimes(); // [15000, 45000, 105000, 165000, 225000, 285000]
 */
export function retryTimes(strategy: RetryStrategy = {}): readonly number[] {
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
const conditions: Readonly<Record<RetryOn, (finalExitCodes: readonly number[]) => string>> = {
  refusals: () => `lastRetry.message matches ${JSON.stringify(transientErrorPattern())}`,
  errors: () => notTheUsers,
  interruptions: () => `lastRetry.status == "Error" ? ${notTheUsers} : ${interrupted}`,
  failures: (codes) =>
    codes.length === 0
      ? `lastRetry.status == "Failed" || ${notTheUsers}`
      : `lastRetry.status == "Error" ? ${notTheUsers} : not (lastRetry.exitCode in [${codes.map((code) => `"${code}"`).join(', ')}])`,
};
