import type { SwapEnd } from '../machine/states';
import type { SwapOutcome } from '../swap-run';

/** How the swap of each fleet ended, by name; null where it did not run. */
export type WaveOutcomes = Readonly<Record<string, SwapOutcome | null>>;

/** What ends waves beside the outcomes of their swaps. */
export interface WavesStop {
  /** Whether swaps were to be taken back. */
  readonly isBack: boolean;
  /** Whether an interrupt came before the rest. */
  readonly isCut: boolean;
  /** The wave that begins later, where no run waits for it. @default - there is none */
  readonly later?: { readonly until: number; readonly wave: readonly string[] };
}

type Verdict = SwapEnd['verdict'];

/** From the best to the worst: the verdict of all is that of the worst. */
const order: Readonly<Record<'forward' | 'back', readonly Verdict[]>> = {
  forward: ['completed', 'held', 'rolledBack', 'aborted'],
  back: ['completed', 'rolledBack', 'held', 'aborted'],
};

/** How all swaps together have ended. */
export function endOfWaves(outcomes: WaveOutcomes, stop: WavesStop): SwapEnd {
  const { isBack, isCut, later } = stop;
  const ran = Object.values(outcomes).filter((outcome) => outcome !== null);
  if (isBack && ran.length === 0 && !isCut) {
    return { verdict: 'aborted', reason: 'No swap is open: there is nothing to go back from.' };
  }
  const verdicts = [...ran.map(({ verdict }) => verdict), ...(isCut || later ? (['held'] as const) : [])];
  const [verdict] = [...order[isBack ? 'back' : 'forward']]
    .reverse()
    .filter((each) => verdicts.includes(each));
  const isUnchanged = verdict !== 'held' && ran.every(({ unchanged }) => unchanged === true);
  const isUnread = ran.length > 0 && ran.every((each) => each.isUnread === true);
  const again = verdict === 'held' ? nextRun(ran, later?.until) : undefined;
  return {
    verdict: verdict!,
    ...(isUnchanged && { unchanged: true }),
    ...(isUnread && { isUnread }),
    reason: reasonOf(outcomes, stop),
    ...(again !== undefined && { again }),
  };
}

/** When it is of use to run it again. A swap that is held by a failure says no time: that needs a person. */
function nextRun(ran: readonly SwapOutcome[], until: number | undefined): number | undefined {
  const held = ran.filter(({ verdict }) => verdict === 'held');
  const times = [...held.map(({ again }) => again), ...(until === undefined ? [] : [until])];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 || known.length < times.length ? undefined : Math.min(...known);
}

function reasonOf(outcomes: WaveOutcomes, { isBack, isCut, later }: WavesStop): string {
  const all = Object.entries(outcomes);
  const good: Verdict = isBack ? 'rolledBack' : 'completed';
  const left = all.flatMap(([name, outcome]) => (outcome ? [] : [name]));
  const lines = [
    ...all.flatMap(([name, outcome]) =>
      outcome && outcome.verdict !== good ? [`${name}: ${outcome.reason}`] : [],
    ),
    ...(later
      ? [`The next wave (${later.wave.join(', ')}) begins at ${new Date(later.until).toISOString()}.`]
      : []),
    ...(isCut ? ['It was interrupted. Run it again: it goes on there.'] : []),
  ];
  const well = isBack ? 'All traffic is on the old cluster' : 'The wanted version, and no other cluster';
  const done = all.flatMap(([name, outcome]) => (outcome ? [name] : [])).join(', ');
  return [
    ...(lines.length > 0 ? lines : [`${well}: ${done}.`]),
    ...(left.length > 0
      ? [`${isBack && !isCut ? 'No open swap' : 'Not run this time'}: ${left.join(', ')}.`]
      : []),
  ].join('\n');
}
