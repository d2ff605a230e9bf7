import { formatWeights } from '../../../shift/engine';
import { refusals, stickyNotes } from '../../../shift/evacuate';
import type { EvacuationReport, PlannedRoute } from '../../../shift/evacuate';
import { couldNotRun, jsonText, somethingWrong, writeDocument, writeOut } from '../../output';

/** What would be written, a line each. */
export function planLines(plan: readonly PlannedRoute[], slot: string): readonly string[] {
  const lines = plan.flatMap(({ route, decision, before }) => {
    const from = before ? formatWeights(before) : 'not known';
    return decision.kind === 'write'
      ? [`${route.name}: ${from} -> ${formatWeights(decision.weights)} (${decision.because})`]
      : decision.kind === 'none'
        ? [`${route.name}: ${from}: it has no traffic`]
        : [];
  });
  return [...lines, ...stickyNotes(plan, slot)];
}

/** Prints what would be written, and sets the exit status. */
export async function showPlan(
  slot: string,
  plan: readonly PlannedRoute[],
  problems: readonly string[],
  asJson: boolean,
): Promise<void> {
  const document = {
    schemaVersion: 1,
    dryRun: true,
    slot,
    writes: plan.flatMap(({ route, decision }) =>
      decision.kind === 'write' ? [{ route: route.name, weights: decision.weights }] : [],
    ),
    before: Object.fromEntries(plan.map(({ route, before }) => [route.name, before])),
    problems: [...problems, ...refusals(plan)],
    notes: stickyNotes(plan, slot),
  };
  await (asJson
    ? writeDocument(jsonText(document))
    : writeOut([...planLines(plan, slot), ...document.problems]));
  const isRefused = document.writes.length === 0 && document.problems.length > 0;
  process.exitCode = isRefused ? couldNotRun : document.problems.length > 0 ? somethingWrong : 0;
}

/** Prints what was done, and sets the exit status. */
export async function showReport(
  of: EvacuationReport,
  found: readonly string[],
  asJson: boolean,
): Promise<void> {
  const report = withProblems(of, found);
  await (asJson ? writeDocument(jsonText(report)) : writeOut(reportLines(report)));
  process.exitCode = statusOf(report);
}

function withProblems(report: EvacuationReport, problems: readonly string[]): EvacuationReport {
  if (problems.length === 0) {
    return report;
  }
  const isNothing = report.writes.length === 0 && Object.keys(report.after).length === 0;
  return {
    ...report,
    verdict: isNothing ? 'refused' : report.verdict === 'evacuated' ? 'incomplete' : report.verdict,
    problems: [...problems, ...report.problems],
  };
}

function reportLines({
  slot,
  verdict,
  after,
  problems,
  notes,
  durationSeconds,
  writes,
}: EvacuationReport): readonly string[] {
  const head = {
    evacuated: `${slot} has weight 0: ${writes.length} written in ${durationSeconds} s.`,
    incomplete: `Not all is done: ${writes.length} written in ${durationSeconds} s.`,
    refused: 'Nothing was written.',
  }[verdict];
  const live = Object.entries(after).map(
    ([route, weights]) => `  ${route}: ${weights ? formatWeights(weights) : 'not known'}`,
  );
  return [
    head,
    ...live,
    ...notes.map((note) => `  note: ${note}`),
    ...problems.map((problem) => `  problem: ${problem}`),
  ];
}

function statusOf({ verdict }: EvacuationReport): number {
  return verdict === 'evacuated' ? 0 : verdict === 'refused' ? couldNotRun : somethingWrong;
}
