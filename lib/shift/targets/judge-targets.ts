import type { CheckResult, CheckStatus, Figure } from '../check';
import type { TargetCounts } from './target-counts';
import { emptiness } from './target-counts';

/** Of ten targets one may be on its way to be replaced; of two, none may be unhealthy. */
export const defaultHealthyShare = 0.9;

/** What the targets of one slot amount to. */
export function judgeTargets(slot: string, counts: TargetCounts, min: number): CheckResult {
  const { healthy, unhealthy, undecided } = counts;
  const total = healthy + unhealthy + undecided;
  const empty = emptiness(counts);
  const value = total > 0 ? healthy / total : null;
  const figures: Figure[] = [
    { name: 'healthy share', slot, value, unit: 'share', min },
    { name: 'healthy targets', slot, value: healthy, unit: 'count' },
  ];
  if (empty !== undefined) {
    return { status: 'inconclusive', reason: `${slot}: ${empty}`, figures };
  }
  const open = undecided > 0 ? `, ${undecided} not decided${because(counts)}` : '';
  return {
    status: judged(healthy / total, (healthy + undecided) / total, min),
    reason: `${slot}: ${healthy} of ${total} targets healthy${open}, at least ${Math.round(min * 1000) / 10} % needed`,
    figures,
  };
}

/** Of a share that is known to lie between two values. */
function judged(least: number, most: number, min: number): CheckStatus {
  if (least >= min) {
    return 'pass';
  }
  return most < min ? 'fail' : 'inconclusive';
}

function because({ reasons }: TargetCounts): string {
  return reasons.length > 0 ? ` (${reasons.join(', ')})` : '';
}
