import { formatRoundedDuration, formatResult } from '../format';
import type { ShiftPlan } from '../plan';
import type { NamedResult } from './events';
import type { CheckPolling, InconclusiveCheck } from './states';

/** What the answers of the checks come to. */
export type CheckVerdict =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'fail'; readonly why: string }
  | { readonly verdict: 'wait'; readonly look: CheckPolling };

const passed: CheckVerdict = { verdict: 'pass' };

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
  results: readonly NamedResult[],
  at: number,
): CheckVerdict {
  let unsure = false;
  for (const result of results) {
    if (result.status === 'fail') {
      return { verdict: 'fail', why: whyFailed(results) };
    }
    unsure ||= result.status !== 'pass';
  }
  const due = at >= look.dueAt;
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
    return { verdict: 'fail', why: whyLost(results, lost.name, at - Math.max(lost.since, limitFrom)) };
  }
  return { verdict: 'wait', look: { ...look, unsure: stillUnsure, passed: seen } };
}

/** Which checks failed, in one line; `undefined` where none did. */
export function failureIn(results: readonly NamedResult[]): string | undefined {
  return results.some(({ status }) => status === 'fail') ? whyFailed(results) : undefined;
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

function whyFailed(results: readonly NamedResult[]): string {
  const failed = results.filter(({ status }) => status === 'fail');
  return `${failed.length === 1 ? 'A check has' : `${failed.length} checks have`} failed: ${failed.map(formatResult).join('; ')}`;
}

function whyLost(results: readonly NamedResult[], name: string, unsureMs: number): string {
  const result = results.find((one) => one.name === name)!;
  return `A check was inconclusive for ${formatRoundedDuration(unsureMs)}, which counts as failed: ${formatResult(result)}`;
}

function namesOf(results: readonly NamedResult[], status: NamedResult['status']): string[] {
  return results.filter((result) => result.status === status).map(({ name }) => name);
}
