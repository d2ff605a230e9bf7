import { failedChecks, formatResult, formatRoundedDuration, formatWeights } from '../../../shift/engine';
import type { PlanResult } from '../../../operate/planned-shift';
import type { ShiftOutcome, Verdict, Weights } from '../../../shift/engine';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { hangingLines } from '../../output';

/** One report that is to be written. */
export interface PlannedReport {
  /** Folder within that of all reports. */
  readonly below: string;
  readonly title: string;
  readonly outcome: ShiftOutcome;
}

/** One report for a shift; of waves one for each route that started, in a folder of its own. */
export function reportsOf({ file }: CheckedPlanFile, result: PlanResult): readonly PlannedReport[] {
  if (!('shifts' in result)) {
    return [{ below: '.', title: `Traffic shift of ${file}`, outcome: result }];
  }
  return Object.entries(result.shifts).flatMap(([name, outcome]) =>
    [
      { below: name, title: `Traffic shift of ${file}: ${name}`, outcome },
      {
        below: reverted(name),
        title: `${file}: ${name}, taken back`,
        outcome: result.reverted[name],
      },
    ].flatMap((report) => (report.outcome ? [{ ...report, outcome: report.outcome }] : [])),
  );
}

/** Every folder that a report of the plan may come into, within that of all reports. */
export function reportFolders({ routes }: CheckedPlanFile): readonly string[] {
  const names = Object.keys(routes);
  return names.length === 1 ? ['.'] : names.flatMap((name) => [name, reverted(name)]);
}

function reverted(name: string): string {
  return `${name}-taken-back`;
}

const words: Readonly<Record<Verdict, string>> = {
  completed: 'Completed',
  rolledBack: 'Rolled back',
  held: 'Held',
  aborted: 'Aborted',
};

/**
 * What came of it, for a person, a line each.
 *
 * @param writes of a shift that was watched: how often it has written; `null` where that is not known. @default - those of the result
 */
export function resultLines(
  result: PlanResult,
  { writes }: { readonly writes?: number | null } = {},
): readonly string[] {
  const hasNone = 'noRecord' in result && result.noRecord === true;
  const word = hasNone ? 'Nothing to roll back' : words[result.verdict];
  const head = hangingLines(`${word}: ${result.reason}`);
  if (!('shifts' in result)) {
    return [...head, '', ...outcomeLines(result, writes)];
  }
  const { shifts, reverted } = result;
  const routes = Object.entries(shifts).flatMap(([name, outcome]) => [
    '',
    outcome === null ? `${name}: did not start` : `${name}: ${words[outcome.verdict].toLowerCase()}`,
    ...(outcome === null ? [] : outcomeLines(outcome)),
    ...(reverted[name] === undefined
      ? []
      : [
          '',
          ...hangingLines(`${name}, taken back: ${reverted[name].reason}`),
          ...outcomeLines(reverted[name]),
        ]),
  ]);
  const problems = (result.leaseProblems ?? []).flatMap((problem) => ['', `warning: ${problem}`]);
  return [...head, ...routes, ...problems];
}

function outcomeLines(
  outcome: ShiftOutcome,
  writes: number | null = outcome.writes.length,
): readonly string[] {
  const { from, to, final, startedAt, endedAt, leaseProblem, capacityProblem } = outcome;
  const took = formatRoundedDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)));
  return [
    `  before  ${weightsOrNot(from)}`,
    `  wanted  ${formatWeights(to)}`,
    `  live    ${weightsOrNot(final)}`,
    writes === null ? `  took    ${took}` : `  ${writes} ${writes === 1 ? 'write' : 'writes'} in ${took}`,
    ...[capacityProblem, leaseProblem].flatMap((problem) => (problem === undefined ? [] : [`  ${problem}`])),
    ...failedChecks(outcome).map((check) => `  failed  ${formatResult(check)}`),
  ];
}

function weightsOrNot(weights: Weights | null): string {
  return weights === null ? 'not known' : formatWeights(weights);
}
