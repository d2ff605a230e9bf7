import { oneLine } from '../../../core/printable-text';
import { endWords } from '../../../operate/swap';
import type { RanPhase, SwapLine, SwapOutcome, SwapWavesOutcome } from '../../../operate/swap';
import { formatRoundedDuration } from '../../../shift/engine';
import {
  couldNotRun,
  hangingLines,
  interruptedStatus,
  jsonText,
  somethingWrong,
  writeDocument,
  writeNotes,
  writeOut,
} from '../../output';
import type { SwapFlags } from './flags';
import { isoTime, swapDocument, swapWavesDocument } from './document';

/**
 * A line of the log, as it comes: `22:04:11 create: adds the slot green (1.36) without traffic.`
 *
 * @param name of one of several fleets
 */
export function noteLine({ at, text }: SwapLine, name?: string): void {
  const of = name === undefined ? '' : `${name}: `;
  writeNotes(`${isoTime(at).slice(11, 19)} ${of}${oneLine(text)}`);
}

/** Prints how a run ended, and sets the exit status. */
export async function showOutcome(
  outcome: SwapOutcome,
  flags: SwapFlags,
  interrupted: boolean,
): Promise<void> {
  await (flags.json === true
    ? writeDocument(jsonText(swapDocument(outcome)))
    : writeOut(outcomeLines(outcome)));
  process.exitCode = statusOf(outcome, flags, interrupted);
}

/** Prints how a run of several swaps ended, and sets the exit status. */
export async function showWavesOutcome(
  outcome: SwapWavesOutcome,
  flags: SwapFlags,
  interrupted: boolean,
): Promise<void> {
  await (flags.json === true
    ? writeDocument(jsonText(swapWavesDocument(outcome)))
    : writeOut(wavesOutcomeLines(outcome)));
  process.exitCode = statusOf(outcome, flags, interrupted);
}

/** How all of them ended, and what the phases of each took. */
export function wavesOutcomeLines({ swaps, ...end }: SwapWavesOutcome): readonly string[] {
  const fleets = Object.entries(swaps).flatMap(([name, outcome]) =>
    outcome
      ? [
          `${name}: ${endWords[outcome.verdict].toLowerCase()}${outcome.unchanged === true ? ', nothing was to be done' : ''}`,
          ...outcome.phases.map(phaseLine),
          ...leaseLines(outcome),
        ]
      : [`${name}: not run this time`],
  );
  return [...endLines(end), ...fleets];
}

/** How it ended, and what its phases took. */
export function outcomeLines(outcome: SwapOutcome): readonly string[] {
  const { reason: end } = outcome;
  // What failed is the first thing that is said already.
  const phases = outcome.phases.map(({ reason, ...phase }) =>
    phaseLine({ ...phase, ...(reason !== undefined && !end.includes(reason) && { reason }) }),
  );
  return [...endLines(outcome), ...phases, ...leaseLines(outcome)];
}

function endLines({
  verdict,
  reason,
  again,
}: Pick<SwapOutcome, 'verdict' | 'reason' | 'again'>): readonly string[] {
  return [
    ...hangingLines(`${endWords[verdict]}: ${reason}`),
    ...(again === undefined ? [] : [`Run it again at ${isoTime(again)} or later.`]),
  ];
}

function leaseLines({ leaseProblem }: SwapOutcome): readonly string[] {
  return leaseProblem === undefined ? [] : [`The lease could not be given back: ${oneLine(leaseProblem)}`];
}

function phaseLine({ phase, from, to, startedAt, endedAt, verdict, reason, approvedBy }: RanPhase): string {
  const parts = [
    `${from} to ${to}`,
    phase.padEnd(8),
    verdict,
    `after ${formatRoundedDuration(Math.max(0, endedAt - startedAt))}`,
    ...(approvedBy === undefined ? [] : [`agreed to by ${approvedBy}`]),
  ];
  return oneLine(`  ${parts.join('  ')}${reason === undefined ? '' : `: ${reason}`}`);
}

/**
 * The exit status of a run. What a scheduled run waits for is no failure of that run; a phase that failed is one, wherever the
 * swap ended.
 */
export function statusOf(
  { verdict, again, unchanged, isUnread }: Pick<SwapOutcome, 'verdict' | 'again' | 'unchanged' | 'isUnread'>,
  { back, wait }: Pick<SwapFlags, 'back' | 'wait'>,
  interrupted: boolean,
): number {
  if (interrupted && verdict !== 'completed') {
    return interruptedStatus;
  }
  const isWell =
    verdict === 'completed' ||
    (verdict === 'rolledBack' && (back === true || (wait === false && unchanged === true))) ||
    (verdict === 'held' && wait === false && again !== undefined);
  return isWell ? 0 : isUnread === true ? couldNotRun : somethingWrong;
}
