import { dirname } from 'node:path';
import { Problems } from '../../core/validation/problems';
import { formatRoundedDuration, formatWeights, shiftPlan } from '../../shift/engine';
import { shiftIdForm } from '../../shift/history';
import type { ReadShift } from '../../shift/history';
import { readPlan } from '../../shift/plan-file';
import type { CheckedPlanFile } from '../../shift/plan-file';
import { replay } from '../../shift/simulation';
import type { ReplayEnd, ReplayResult } from '../../shift/simulation';
import { hangingLines, jsonText, writeDocument, writeOut } from '../output';
import { makeReportFolder, saveReport } from '../written-files';
import { shiftOfFile, shiftOfHistory } from './kept-shift';
import type { SimulateFlags } from './simulate';

const named = { command: 'simulate', argument: '--from' };

/**
 * Runs `cluster-canary simulate --from`.
 *
 * @throws InvalidInput with every problem of the flags and the plan; where the record can't be read, or says nothing about the
 * plan
 */
export async function replayPlan(file: string, flags: SimulateFlags): Promise<void> {
  const { from, scenario, report, runs, seed } = flags;
  const problems = new Problems('simulate');
  if (from === undefined) {
    problems.require('--scenario', 'the file of a scenario; or --from, with a shift that has ended');
  } else if (scenario !== undefined) {
    problems.conflicts('--scenario', '--from, whose figures are replayed in its place');
  } else {
    for (const [flag, value] of Object.entries({ '--runs': runs, '--seed': seed })) {
      if (value !== undefined) {
        problems.conflicts(flag, '--from, which is replayed once, and draws nothing');
      }
    }
  }
  problems.throwIfAny();
  const plan = readPlan(file);
  const { outcome } = await shiftOf(from!, plan, flags.route);
  const result = replay({
    plan: shiftPlan(plan.slots, plan.weights, plan.shift),
    checks: plan.checks,
    outcome,
  });
  if (report !== undefined) {
    makeReportFolder(report);
  }
  await (flags.json === true
    ? writeDocument(jsonText(result))
    : writeOut(replayLines(result, `${from} with ${file}`)));
  if (report !== undefined) {
    saveReport(report, result.outcome, {
      title: `Replay of ${from} with ${file}`,
      note: 'What this plan would have decided on the figures of that shift. No traffic was moved.',
    });
  }
}

function shiftOf(from: string, { history, file }: CheckedPlanFile, route?: string): Promise<ReadShift> {
  return history && shiftIdForm.test(from)
    ? shiftOfHistory(from, history, dirname(file), named)
    : shiftOfFile(from, route, named);
}

const words: Readonly<Record<ReplayEnd['verdict'], string>> = {
  completed: 'completed',
  rolledBack: 'rolled back',
  held: 'held',
  aborted: 'aborted',
  open: 'not decided',
};

/** What came of it, for a person, a line each. */
export function replayLines(result: ReplayResult, what: string): readonly string[] {
  const { recorded, replayed, same, checks, notAsked } = result;
  const by = (how: string): string =>
    checks
      .filter((each) => each.by === how)
      .map(({ name }) => name)
      .join(', ');
  const lists = [
    ['By the bounds of this plan', by('bounds')],
    ['As they answered then, whatever this plan says', by('answers')],
    ['Not on record, taken to pass', by('missing')],
    ['On record, and not in this plan', notAsked.join(', ')],
  ];
  return [
    `Replay of ${what}`,
    '',
    ...endLines('it was', recorded),
    ...endLines('it would be', replayed),
    '',
    same
      ? 'This plan would have decided the same.'
      : replayed.verdict === 'open'
        ? 'What this plan would have decided is not known: the record ends first.'
        : 'This plan would have decided otherwise.',
    ...lists.flatMap(([title, names]) => (names === '' ? [] : [`${title}: ${names}.`])),
    'Figures are those of the weights that were live then; pauses last no time.',
  ];
}

function endLines(when: string, { verdict, reason, atSeconds, weights }: ReplayEnd): readonly string[] {
  const after = formatRoundedDuration(atSeconds * 1_000);
  const at = weights === null ? '' : `, at ${formatWeights(weights)}`;
  const [first = ''] = reason.split('\n');
  return [
    `  ${when.padEnd(11)}  ${words[verdict]} after ${after}${at}`,
    ...hangingLines(`  ${' '.repeat(11)}  ${first}`),
  ];
}
