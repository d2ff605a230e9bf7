import type { ShiftOutcome, Verdict } from '../../shift';
import { describeResult, describeWeights } from '../../shift';
import { HookRefusal } from '../../bridge';

const words: Readonly<Record<Verdict, string>> = {
  completed: 'completed',
  rolledBack: 'rolled back',
  held: 'held where it was',
  aborted: 'aborted',
};

/**
 * What `pulumi up` fails with after a shift that did not complete: what happened, which checks failed with which figures,
 * where the traffic is, and what to do.
 *
 * @param what was shifted: `FleetTraffic "apps"`
 */
export function outcomeError(what: string, outcome: ShiftOutcome): HookRefusal {
  const { verdict, reason, final, from, to } = outcome;
  const failed = lastFailures(outcome).filter((line) => !reason.includes(line));
  const lines = [
    `The traffic shift of ${what} was ${words[verdict]}.`,
    ...(reason.trim() === '' ? [] : [reason.trim()]),
    ...failed,
    `Live weights: ${final ? describeWeights(final) : 'not read'}; before the shift: ${from ? describeWeights(from) : 'not read'}; wanted: ${describeWeights(to)}.`,
    "Pulumi's state keeps the old weights: the next up shows the difference again and goes on from the live weights.",
  ];
  return new HookRefusal(lines.join('\n'));
}

/** The last answer of every check that failed last. */
function lastFailures({ checks }: ShiftOutcome): string[] {
  const last = new Map(checks.map((check) => [check.name, check]));
  return [...last.values()]
    .filter(({ status }) => status === 'fail')
    .map((check) => `Check failed: ${describeResult(check)}`);
}
