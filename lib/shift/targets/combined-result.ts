import type { CheckResult, CheckStatus } from '../check';

/** What several statuses amount to: a failed one decides, then an inconclusive one; of none, nothing is known. */
export function worstStatus(all: readonly CheckStatus[]): CheckStatus {
  if (all.includes('fail')) {
    return 'fail';
  }
  return all.length === 0 || all.includes('inconclusive') ? 'inconclusive' : 'pass';
}

/** What the results of several slots amount to. */
export function combinedResult(results: readonly CheckResult[]): CheckResult {
  return {
    status: worstStatus(results.map(({ status }) => status)),
    reason: results.map(({ reason }) => reason).join('; ') || 'no slot has weight',
    figures: results.flatMap(({ figures }) => figures),
  };
}
