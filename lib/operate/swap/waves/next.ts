import { isDeepStrictEqual } from 'node:util';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { SlotSetting } from '../configuration';
import type { SwapEnd } from '../machine/states';
import type { SwapPlan } from '../plan';
import type { SwapRecord } from '../record';

/** Which swaps run when. */
export interface SwapWavesPlan {
  /** Names of swaps: those of a wave run side by side, once every swap of the wave before has completed. */
  readonly waves: readonly (readonly string[])[];
  /** The least time between the end of one wave and the begin of the next, in milliseconds. @default 0 */
  readonly waitMs?: number;
}

/** What is known of one of the swaps. */
export interface WaveSwapState {
  /** A swap that has begun and has not ended; on the way back, one that can be taken back. @default - there is none */
  readonly open?: OpenWaveSwap;
  /** Whether its newest swap has completed, and led to the version that the plan ends at. @default false */
  readonly isDone?: boolean;
  /** How its run ended. @default - it has not run */
  readonly verdict?: SwapEnd['verdict'];
  /** When the fleet's newest swap completed, in milliseconds since 1970. @default - not known */
  readonly completedAt?: number;
}

/** A swap that has begun. */
export interface OpenWaveSwap {
  /** What it leads to, where that is not the version that the plan ends at. @default - it is */
  readonly only?: SlotSetting;
}

/** What is done next. */
export type SwapWavesStep =
  | { readonly do: 'run'; readonly swaps: readonly WaveRun[] }
  /** @param until milliseconds since 1970 */
  | { readonly do: 'wait'; readonly until: number; readonly wave: number }
  | { readonly do: 'end' };

/** A swap that is to be run. */
export interface WaveRun {
  readonly name: string;
  /** What its open swap leads to, and no further: later versions come with its wave. @default - as far as its plan says */
  readonly only?: SlotSetting;
}

/**
 * What is done next, when nothing runs. It is a function of each fleet's own record and outcome: a run that goes on after a kill
 * starts from the same.
 *
 * Swaps that are open in another wave than the one whose turn it is go on first, whatever became of others: two clusters cost
 * money, and a file that asks for a newer version by now must not keep them waiting. No other swap begins after one that has
 * not completed.
 *
 * @param now milliseconds since 1970
 */
export function nextSwapWave(
  { waves, waitMs = 0 }: SwapWavesPlan,
  swaps: Readonly<Record<string, WaveSwapState>>,
  now: number,
): SwapWavesStep {
  const of = (name: string): WaveSwapState => swaps[name] ?? {};
  const hasRun = (name: string): boolean => of(name).verdict !== undefined;
  const isOpen = (name: string): boolean => of(name).open !== undefined && !hasRun(name);
  const isStopped = waves.flat().some((name) => hasRun(name) && of(name).verdict !== 'completed');
  // The wave whose turn it is, as far as records say. Those before it are asked all the same.
  const turn = waves.findIndex((names) => !names.every((name) => isComplete(of(name))));
  const ended = (waves[turn - 1] ?? []).map((name) => of(name).completedAt ?? -Infinity);
  const until = Math.max(-Infinity, ...ended) + waitMs;
  const opened = waves.find(
    (names, index) => names.some(isOpen) && (index !== turn || isStopped || until > now),
  );
  if (opened) {
    return { do: 'run', swaps: opened.filter(isOpen).map((name) => ({ name, ...of(name).open })) };
  }
  const wave = waves.findIndex((names) => !names.every(hasRun));
  if (isStopped || wave < 0) {
    return { do: 'end' };
  }
  return wave === turn && until > now
    ? { do: 'wait', until, wave }
    : { do: 'run', swaps: waves[wave]!.filter((name) => !hasRun(name)).map((name) => ({ name })) };
}

function isComplete({ verdict, isDone }: WaveSwapState): boolean {
  return verdict === undefined ? isDone === true : verdict === 'completed';
}

/**
 * What is done next on the way back: the last wave first, and one that can't be taken back keeps none from it.
 *
 * @param swaps those that can be taken back are `open`
 */
export function nextWaveBack(
  { waves }: SwapWavesPlan,
  swaps: Readonly<Record<string, WaveSwapState>>,
): SwapWavesStep {
  const isLeft = (name: string): boolean =>
    swaps[name]?.open !== undefined && swaps[name].verdict === undefined;
  const wave = [...waves].reverse().find((names) => names.some(isLeft));
  return wave ? { do: 'run', swaps: wave.filter(isLeft).map((name) => ({ name })) } : { do: 'end' };
}

/**
 * What a record says of a fleet before its swap runs.
 *
 * @param isBack whether swaps are to be taken back: one that went back may have kept its new cluster
 */
export function waveStateOf(
  record: SwapRecord | undefined,
  { versions }: Pick<SwapPlan, 'versions'>,
  isBack: boolean,
): WaveSwapState {
  if (!record) {
    return {};
  }
  const { ended, setting } = record;
  const isLast = isDeepStrictEqual(setting, versions.at(-1));
  if (!ended || (isBack && ended.verdict === 'rolledBack')) {
    return { open: isLast ? {} : { only: setting } };
  }
  return ended.verdict === 'completed' ? { isDone: isLast, completedAt: ended.at } : {};
}

/** What is known of a fleet once its swap has run. */
export function waveStateAfter(
  { only }: WaveRun,
  { verdict, record }: { readonly verdict: SwapEnd['verdict']; readonly record?: SwapRecord },
): WaveSwapState {
  const ended = record?.ended;
  return {
    // The swap that was open has ended: the versions after it come with its wave.
    ...((only === undefined || verdict !== 'completed') && { verdict }),
    ...(ended?.verdict === 'completed' && { completedAt: ended.at }),
  };
}

/** What is wrong with waves of these swaps. */
export function swapWavesPlanProblems(plan: SwapWavesPlan, names: readonly string[]): readonly Problem[] {
  const problems = new Problems('waves');
  const placed = new Set<string>();
  for (const [index, wave] of plan.waves.entries()) {
    for (const [place, name] of wave.entries()) {
      if (!names.includes(name)) {
        problems.add(`waves[${index}][${place}]`, name, `one of ${names.join(', ')}`);
      } else if (placed.has(name)) {
        problems.add(`waves[${index}][${place}]`, name, 'in one wave only');
      }
      placed.add(name);
    }
  }
  for (const name of names.filter((each) => !placed.has(each))) {
    problems.add('waves', name, 'complete: this swap is in no wave');
  }
  return problems.all;
}
