import type { CheckResult, CheckStatus } from '../check';

/**
 * What several statuses amount to: one that fails is enough, and a pass needs all of them.
 *
 * @param ofNone what it means that there is none
 */
export function worstStatus(all: readonly CheckStatus[], ofNone: CheckStatus): CheckStatus {
  const found = all.length === 0 ? [ofNone] : all;
  if (found.includes('fail')) {
    return 'fail';
  }
  return found.includes('inconclusive') ? 'inconclusive' : 'pass';
}

/** What the results of several slots amount to; of none, nothing is known. */
export function combinedResult(results: readonly CheckResult[]): CheckResult {
  return {
    status: worstStatus(
      results.map(({ status }) => status),
      'inconclusive',
    ),
    reason: results.map(({ reason }) => reason).join('; ') || 'no slot has weight',
    figures: results.flatMap(({ figures }) => figures),
  };
}
