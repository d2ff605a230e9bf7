import { oneLine } from '../../core/printable-text';
import type { ShiftActivity, ShiftProgress } from '../engine';
import { checksWaitedFor, formatRoundedDuration, formatWeights } from '../engine';
import type { ShiftSoFar } from './so-far';

/** What a person can do now. */
export interface Possible {
  /** Place of the pause beyond which it can continue, in percent of the way. @default - it waits for no one */
  readonly continueBeyond?: number;
  readonly hold: boolean;
  readonly rollBack: boolean;
}

const movesOn: readonly ShiftActivity[] = ['preparing', 'writing', 'standing'];

const canGoBack: readonly ShiftActivity[] = [...movesOn, 'baking', 'paused'];

/**
 * What a person can do about a shift.
 *
 * @param waitsAt place at which the run asks for a person. @default - it asks for none
 */
export function possible({ progress, outcome }: ShiftSoFar, waitsAt?: number): Possible {
  if (!progress || outcome) {
    return { hold: false, rollBack: false };
  }
  const { activity, heldBy, pausedAt } = progress;
  return {
    ...(activity === 'paused' && pausedAt !== null && waitsAt === pausedAt && { continueBeyond: pausedAt }),
    hold: movesOn.includes(activity) && heldBy === null,
    rollBack: canGoBack.includes(activity),
  };
}

/** Where a shift is, for a person. */
export interface Situation {
  /** One or two words, with a sign: `● Step 3 of 7`. */
  readonly word: string;
  /** What happens, in one sentence without a full stop. */
  readonly sentence: string;
  /** When the sentence's time is over: milliseconds since 1970. @default - it has none */
  readonly until?: number;
  /** What else a person has to know, a line each. */
  readonly more: readonly string[];
  /** How it is shown. */
  readonly tone: 'moving' | 'waiting' | 'back';
}

/** Where a shift is that has not ended. */
export function situationOf(progress: ShiftProgress | undefined, now: number): Situation {
  if (!progress || progress.steps === 0) {
    return { word: '● Begins', sentence: 'The live weights are read', more: [], tone: 'moving' };
  }
  const { activity, step, steps, weights, heldBy, pausedAt, rollbackReason } = progress;
  const word = `● Step ${step} of ${steps}`;
  const live = weights === null ? 'weights that are not known' : formatWeights(weights);
  const asked =
    heldBy === null ? [] : [`${oneLine(heldBy)} asked it to hold: it pauses before its next step.`];
  const late = checksWaitedFor(progress, now).map(({ name }) => name);
  const waits = late.length === 0 ? [] : [`Waits for the checks to pass: ${late.join(', ')}.`];
  const more = [...asked, ...waits];
  switch (activity) {
    case 'starting':
      return { word: '● Begins', sentence: 'The live weights are read', more, tone: 'moving' };
    case 'preparing':
      return {
        ...{ word, more, tone: waits.length > 0 ? 'waiting' : 'moving' },
        sentence: `Checks are asked before step ${step + 1}`,
      };
    case 'writing':
      return { word, sentence: 'The next weights are written', more, tone: 'moving' };
    case 'standing':
      return timed(progress, now, `Live: ${live}`, {
        word,
        more,
        tone: waits.length > 0 ? 'waiting' : 'moving',
      });
    case 'baking':
      return timed(progress, now, `All of it has moved: ${live}`, {
        ...{ word: '● Bakes', more, tone: waits.length > 0 ? 'waiting' : 'moving' },
      });
    case 'paused':
      return {
        word: heldBy === null ? '⏸ Paused' : '⏸ On hold',
        sentence:
          heldBy === null
            ? `It waits for a person at ${pausedAt ?? 0} % of the way`
            : `${oneLine(heldBy)} holds it at ${pausedAt ?? 0} % of the way`,
        more: [`Live: ${live}.`],
        tone: 'waiting',
      };
    case 'rollingBack':
      return {
        word: '↩ Goes back',
        sentence: oneLine((rollbackReason ?? '').split('\n')[0] ?? '').replace(/\.$/, ''),
        more: ['The traffic is taken back to where it began.'],
        tone: 'back',
      };
    case 'ending':
      return { word: '● Ends', sentence: 'The live weights are read once more', more: [], tone: 'moving' };
  }
}

function timed(
  { standsUntil }: ShiftProgress,
  now: number,
  sentence: string,
  rest: Omit<Situation, 'sentence' | 'until'>,
): Situation {
  // Less than a second is no time to show.
  return standsUntil === null || standsUntil - now < 1_000
    ? { ...rest, sentence }
    : { ...rest, sentence, until: standsUntil };
}

/** `1m20s`: the time until a moment, nothing where it is over. */
export function timeLeft(until: number, now: number): string {
  return formatRoundedDuration(Math.max(0, until - now));
}
