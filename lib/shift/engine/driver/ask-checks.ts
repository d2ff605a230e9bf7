import { TookTooLong, within } from '../../../core/async';
import { oneLine } from '../../../core/printable-text';
import { errorLine, isPlainObject } from '../../../core/validation/problems';
import { SourceError } from '../check';
import type { Check, CheckResult, CheckWindow, Figure } from '../check';
import type { NamedResult } from '../machine/events';

/** How long a check may take to answer, in milliseconds. */
export const defaultCheckTimeoutMs = 60_000;

/**
 * Runs the checks of a window's stage, all at once. One that fails is answer enough: the others are not waited for. A
 * source that fails or takes too long makes its check inconclusive, since that says nothing about a cluster.
 *
 * @param timeoutMs how long a check may take, in milliseconds
 * @returns results in the order of the checks, those that were not waited for left out; none where the signal was aborted
 */
export async function runChecks(
  checks: readonly Check[],
  window: CheckWindow,
  signal: AbortSignal | undefined,
  timeoutMs = defaultCheckTimeoutMs,
): Promise<readonly NamedResult[]> {
  const asked = checks.filter(({ stages }) => stages.includes(window.stage));
  const results = new Map<Check, NamedResult>();
  const answers = await within(undefined, signal, async (enough) => {
    let failed: (() => void) | undefined;
    const oneFailed = new Promise<void>((resolve) => (failed = resolve));
    const all = asked.map(async (check) => {
      const call = within(timeoutMs, enough, (own) => check.evaluate(window, own));
      const result = await namedResult(check.name, call);
      results.set(check, result);
      if (result.status === 'fail') {
        failed?.();
      }
    });
    await Promise.race([Promise.all(all), oneFailed]);
    return asked.flatMap((check) => results.get(check) ?? []);
  });
  return answers ?? [];
}

/** What the call of a check comes to: what it throws is inconclusive. */
export async function namedResult(
  name: string,
  call: Promise<CheckResult | undefined>,
): Promise<NamedResult> {
  try {
    const result = await call;
    return result === undefined
      ? inconclusive(name, 'was not waited for')
      : isResult(result)
        ? { ...shown(withoutUnknown(result)), name }
        : inconclusive(name, 'its answer is neither pass, fail nor inconclusive, with figures');
  } catch (error) {
    const text = errorLine(error);
    const what = error instanceof SourceError ? 'its source failed: ' : 'it failed: ';
    return inconclusive(name, error instanceof TookTooLong ? text : `${what}${text}`);
  }
}

export function inconclusive(name: string, reason: string): NamedResult {
  return { name, status: 'inconclusive', reason, figures: [] };
}

/** A reason quotes what others wrote, and is in reasons of several lines. */
function shown(result: CheckResult): CheckResult {
  return { ...result, reason: oneLine(String(result.reason)) };
}

/** A pass by figures that are no numbers is none. Where a source has no figure, a check says `null`. */
function withoutUnknown(result: CheckResult): CheckResult {
  const unknown = result.figures.filter(({ value }) => value !== null && !Number.isFinite(value));
  const names = unknown.map(({ name }) => name).join(', ');
  return result.status === 'pass' && unknown.length > 0
    ? { ...result, status: 'inconclusive', reason: `no finite number: ${names} (${result.reason})` }
    : result;
}

/** Checks come from users, too. */
function isResult({ status, figures, upTo, baseline }: CheckResult): boolean {
  return (
    ['pass', 'fail', 'inconclusive'].includes(status) &&
    Array.isArray(figures) &&
    figures.every(isFigure) &&
    [upTo, baseline].every(
      (numbers) =>
        numbers === undefined || (isPlainObject(numbers) && Object.values(numbers).every(Number.isFinite)),
    )
  );
}

function isFigure(figure: Figure): boolean {
  const { value, counts, beside } = figure ?? {};
  return (
    (value === null || typeof value === 'number') &&
    (counts === undefined || [counts?.counted, counts?.of].every((count) => typeof count === 'number')) &&
    (beside === undefined ||
      (Array.isArray(beside?.slots) && (beside.value === null || typeof beside.value === 'number')))
  );
}
