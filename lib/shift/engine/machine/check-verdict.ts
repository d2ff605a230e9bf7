import { closed, failureLine } from '../failure';
import { formatRoundedDuration, formatResult } from '../format';
import type { ShiftPlan } from '../plan';
import type { NamedResult } from './events';
import type { CheckPolling, InconclusiveCheck } from './states';

/** What the answers of the checks come to. */
export type CheckVerdict =
  | { readonly verdict: 'pass'; readonly upTo?: CheckPolling['upTo'] }
  | ({ readonly verdict: 'fail' } & CheckFailure)
  | { readonly verdict: 'wait'; readonly look: CheckPolling };

/** Why checks have failed. */
export interface CheckFailure {
  /** One sentence for a person. */
  readonly why: string;
  /** What each check has said, with its figures: a line each. */
  readonly details: readonly string[];
  /** Names of the checks. */
  readonly failed: readonly string[];
  /** Whether no failure says anything against a slot. */
  readonly holds: boolean;
}

const nobody: readonly InconclusiveCheck[] = [];

const nothing: readonly string[] = [];

/** Starts to look: a pass counts from `dueAt` on, an inconclusive answer from `limitFrom` on. */
export function lookFrom(dueAt: number, limitFrom = dueAt): CheckPolling {
  return { dueAt, limitFrom, unsure: nobody, passed: nothing };
}

/**
 * One check that fails is a failure, at any time. Once it is due, every check must have passed once: two sources that
 * are flaky in turn don't hold it up. A check that says nothing but `inconclusive` for the plan's limit has failed.
 */
export function checkVerdict(
  plan: ShiftPlan,
  look: CheckPolling,
  given: readonly NamedResult[],
  at: number,
): CheckVerdict {
  const results = plan.wholeSteps ? given.map(wholly) : given;
  let unsure = false;
  for (const result of results) {
    if (result.status === 'fail') {
      return { verdict: 'fail', ...failureOf(results) };
    }
    unsure ||= result.status !== 'pass';
  }
  const due = at >= look.dueAt;
  const upTo = boundsOf(look, results);
  const passed: CheckVerdict = { verdict: 'pass', ...(upTo && { upTo }) };
  if (!unsure) {
    return due
      ? passed
      : { verdict: 'wait', look: look.unsure === nobody ? look : { ...look, unsure: nobody } };
  }
  const seen = due
    ? [...look.passed, ...namesOf(results, 'pass').filter((name) => !look.passed.includes(name))]
    : nothing;
  if (due && results.every(({ name }) => seen.includes(name))) {
    return passed;
  }
  const stillUnsure = namesOf(results, 'inconclusive').map(
    (name) => look.unsure.find((one) => one.name === name) ?? { name, since: at },
  );
  const { limitFrom } = look;
  const lost = stillUnsure.find(({ since }) => at - Math.max(since, limitFrom) >= plan.inconclusiveLimitMs);
  if (lost && at >= limitFrom) {
    const result = results.find(({ name }) => name === lost.name)!;
    return { verdict: 'fail', ...lossOf(result, at - Math.max(lost.since, limitFrom)) };
  }
  return { verdict: 'wait', look: { ...look, unsure: stillUnsure, passed: seen, ...(upTo && { upTo }) } };
}

/** Which checks failed, and why; `undefined` where none did. */
export function failureIn(results: readonly NamedResult[]): CheckFailure | undefined {
  return results.some(({ status }) => status === 'fail') ? failureOf(results) : undefined;
}

function failureOf(results: readonly NamedResult[]): CheckFailure {
  const failed = results.filter(({ status }) => status === 'fail');
  return {
    why: failureLine(failed),
    ...reportOf(failed),
    holds: failed.every(({ holds }) => holds === true),
  };
}

/** A check that was inconclusive for too long. */
function lossOf(lost: NamedResult, unsureMs: number): CheckFailure {
  const { name, reason, holds } = lost;
  const why = `${name} was inconclusive for ${formatRoundedDuration(unsureMs)}, which counts as failed: ${reason}`;
  return { why: closed(why), ...reportOf([lost]), holds: holds === true };
}

function reportOf(failed: readonly NamedResult[]): Pick<CheckFailure, 'details' | 'failed'> {
  return { details: failed.map(formatResult), failed: failed.map(({ name }) => name) };
}

/** A pass for a part of the step is none. */
function wholly(result: NamedResult): NamedResult {
  return result.upTo && result.status === 'pass' ? { ...result, status: 'inconclusive' } : result;
}

/** A check that passes anew says anew how far; one that says nothing yet has said so when it passed. */
function boundsOf(look: CheckPolling, results: readonly NamedResult[]): CheckPolling['upTo'] {
  let bounds = look.upTo;
  for (const { name, status, upTo } of results) {
    if (status === 'pass' && (upTo || bounds?.[name])) {
      const { [name]: _before, ...others } = bounds ?? {};
      bounds = upTo ? { ...others, [name]: upTo } : others;
    }
  }
  return bounds;
}

/** A line for the log when the time is over and checks say nothing yet; `undefined` where that is no news. */
export function noteUnsure(
  plan: ShiftPlan,
  look: CheckPolling,
  results: readonly NamedResult[],
  at: number,
): string | undefined {
  if (at < look.dueAt || look.unsure.length === 0) {
    return undefined;
  }
  const first = at - look.dueAt < plan.checkEveryMs;
  const news = look.unsure.filter(
    ({ name, since }) => (first || since === at) && !look.passed.includes(name),
  );
  const lines = news.map(({ name }) => formatResult(results.find((result) => result.name === name)!));
  return lines.length > 0 ? `Not yet: ${lines.join('; ')}` : undefined;
}

function namesOf(results: readonly NamedResult[], status: NamedResult['status']): string[] {
  return results.filter((result) => result.status === status).map(({ name }) => name);
}
