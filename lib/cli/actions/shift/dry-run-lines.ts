import { formatRoundedDuration, formatWeights } from '../../../shift/engine';
import type { Outlook } from '../../../shift/engine';
import { hangingLines } from '../../output';
import type { DryRun } from './dry-run-document';

/** The schedule of a shift for a person, a line each. */
export function dryRunLines(run: DryRun): readonly string[] {
  const { from, problem, checks, warnings, ends, steps } = run;
  const [first] = steps;
  const to = first?.rollback === true ? first.weights : run.to;
  return [
    `From ${formatWeights(from)} to ${formatWeights(to)}, at least ${seconds(run.minimumSeconds)}.`,
    ...(problem === null
      ? []
      : [`The live weights could not be read, so these are taken to be live: ${problem}`]),
    ...recordLines(run),
    ...(ends ? hangingLines(`It would end at once: ${ends.verdict}: ${ends.reason}`) : stepLines(run)),
    ...run.bounds.flatMap(({ name, status, reason }) => [
      ...hangingLines(`${name} now: ${status}: ${reason}`),
      ...(status === 'pass' ? [] : ['A step waits for it.']),
    ]),
    ...run.waits.map((wait) => `It takes its time: ${wait}.`),
    ...(checks.length === 0 ? [] : [`Checks: ${checks.join(', ')}.`]),
    ...run.sends.map(({ name, what }) => `${name} would send ${what}.`),
    ...previewLines(run),
    ...warnings.map((warning) => `Warning: ${warning}.`),
    'Nothing was written.',
  ];
}

function previewLines({ previews }: DryRun): readonly string[] {
  const slots = Object.entries(previews);
  const width = Math.max(...slots.map(([slot]) => slot.length));
  return slots.length === 0
    ? []
    : ['To ask a slot past the weights:', ...slots.map(([slot, line]) => `  ${slot.padEnd(width)}  ${line}`)];
}

function seconds(amount: number): string {
  return formatRoundedDuration(amount * 1000);
}

/** What the run does with a record, to complete "This run …". */
const uses: Readonly<Record<Outlook['use'], string>> = {
  none: 'starts from the live weights',
  startsAnew: 'gives it up and starts from the live weights',
  goesOn: 'goes on with it',
  rollsBack: 'takes the traffic back to where it began',
  finishesRollback: 'finishes its rollback',
  stops: 'stops: the live weights are not those that it left',
};

function recordLines({
  record,
  recordProblem,
  heldBy,
  heldUntil,
  onFailure,
  ends,
}: DryRun): readonly string[] {
  const lines: string[] = [];
  if (heldBy !== null) {
    lines.push(
      `The lease is held by ${heldBy} until ${heldUntil}. A run before then ends with status 2; after it:`,
    );
  }
  if (recordProblem !== null && ends?.reason !== recordProblem) {
    lines.push(`The record of the last shift can't be read: ${recordProblem}`);
  }
  if (record) {
    const what = `from ${formatWeights(record.from)} to ${formatWeights(record.to)}, begun ${record.startedAt}`;
    lines.push(
      record.ended
        ? `The last shift, ${what}, ended ${record.ended.at}: ${record.ended.verdict}.`
        : `There is an unfinished shift ${what}${record.rollingBack ? ', that was rolling back' : ''}. This run ${uses[record.use]}` +
            (record.use === 'goesOn' && onFailure === 'rollback'
              ? '; a failed check takes the traffic back to where it began.'
              : '.'),
    );
  }
  return lines;
}

function stepLines({ steps, bakeFromSeconds, minimumSeconds }: DryRun): readonly string[] {
  const [first] = steps;
  if (first?.rollback === true) {
    return [`  at once  ${formatWeights(first.weights)}  (rollback)`];
  }
  if (minimumSeconds === 0 && steps.length === 0) {
    return ['The wanted weights are live already: there is nothing to do.'];
  }
  const width = Math.max(
    ...[...steps.map(({ atSeconds }) => atSeconds), minimumSeconds].map((at) => seconds(at).length),
  );
  const row = (at: number, text: string): string => `  ${seconds(at).padStart(width)}  ${text}`;
  const rows = steps.flatMap(({ atSeconds, weights, percent: place, pauseBefore }) => [
    ...(pauseBefore === undefined
      ? []
      : [row(atSeconds, `waits for a person, at ${pauseBefore} % of the way`)]),
    row(atSeconds, `${formatWeights(weights)}  (${place} % of the way)`),
  ]);
  const isLive = (first?.atSeconds ?? bakeFromSeconds) > 0;
  return [
    ...(isLive ? [row(0, 'the live weights are checked once more')] : []),
    ...rows,
    ...(minimumSeconds === bakeFromSeconds ? [] : [row(bakeFromSeconds, 'the wanted weights bake')]),
    row(minimumSeconds, 'complete, if every check passes at once'),
  ];
}
