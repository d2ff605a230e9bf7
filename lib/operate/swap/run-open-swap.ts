import { systemClock } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { userOnMachine } from '../../shift/leases';
import { historyOfLease, openHistory } from '../history';
import { askBack } from './ask-back';
import { observeBegin } from './begin';
import { runSwap } from './driver';
import type { CheckedSwapFile } from './file/swap-file';
import { swapHistory } from './history-entry';
import type { SwapStarted } from './machine/events';
import type { OpenSwap } from './open-swap';
import type { SwapRecord } from './record';
import type { Approvals, SwapLine, SwapOutcome, SwapRun } from './swap-run';

/** How an opened swap is run. */
export interface OpenSwapRun extends Pick<
  SwapRun,
  'ask' | 'adopt' | 'retry' | 'waits' | 'signal' | 'clock' | 'random'
> {
  readonly approvals: Approvals;
  /** Hears of each line of the log as it comes. */
  readonly say: (line: SwapLine) => void;
  /** Hears of each record before it is written. @default - nothing does */
  readonly onRecord?: (record: SwapRecord) => void;
  /** Who runs it. @default - user and machine */
  readonly by?: string;
  /** Whether the record is in a store of the caller's own: no answers are read from it, and no history is written. @default false */
  readonly hasOwnStore?: boolean;
}

/** How long the history may take, in milliseconds. */
const historyPatience = 30_000;

/** Runs an opened swap, and adds every swap that has ended to the history. */
export async function runOpenSwap(
  checked: CheckedSwapFile,
  open: OpenSwap,
  { say, onRecord, hasOwnStore = false, by = userOnMachine(), ...run }: OpenSwapRun,
): Promise<SwapOutcome> {
  const ended: SwapRecord[] = [];
  let written: SwapRecord | undefined;
  let started: SwapStarted | undefined;
  const { clock = systemClock } = run;
  const observe = observeBegin(
    open,
    () => started,
    () => clock.now(),
  );
  const { plan, program, runners, mover, store, region, answers } = open;
  if (!hasOwnStore) {
    await requested(open, { by, say, ...run });
  }
  const outcome = await runSwap({
    ...{ plan, program, observe, runners, store, by, ...(mover && { mover }) },
    ...(hasOwnStore ? {} : { askedBack: (id, signal) => answers.askedBack(id, signal) }),
    ...run,
    observer: {
      log: say,
      action: (action) => {
        if (action.type === 'record') {
          onRecord?.(action.record);
          written = action.record;
        }
      },
      event: (event) => {
        started ??= event.type === 'started' ? event : undefined;
        // A run before may have been killed when its swap had ended, and the history had no entry yet.
        const record =
          event.type === 'started' ? event.record : event.type === 'recorded' ? written : undefined;
        ended.push(...(record?.ended ? [record] : []));
      },
    },
  });
  const problems = hasOwnStore
    ? []
    : [await addHistory(checked, region, ended), await dropAnswers(open, ended)];
  for (const text of problems.filter((each) => each !== undefined)) {
    say({ at: Date.now(), text });
  }
  return outcome;
}

/** A swap that goes back while another process runs it: that one is asked first. */
async function requested(
  { store, answers }: Pick<OpenSwap, 'store' | 'answers'>,
  {
    ask = 'forward',
    by,
    say,
    clock = systemClock,
    signal,
  }: Pick<OpenSwapRun, 'ask' | 'say' | 'clock' | 'signal'> & {
    readonly by: string;
  },
): Promise<void> {
  if (ask === 'forward') {
    return;
  }
  const line = (text: string): void => say({ at: clock.now(), text });
  try {
    await askBack({
      ...{ store, answers, by, clock, say: line },
      then: ask === 'backAndDelete' ? 'delete' : 'keep',
      signal: signal ?? new AbortController().signal,
    });
  } catch (error) {
    line(`Whoever runs the swap could not be asked to go back: ${errorLine(error)}`);
  }
}

/** An answer must not count for a phase of the swap after this one. */
export async function dropAnswers(
  { answers }: Pick<OpenSwap, 'answers'>,
  ended: readonly SwapRecord[],
): Promise<string | undefined> {
  const last = ended.at(-1)?.ended;
  try {
    await (last && answers.drop(last.at, AbortSignal.timeout(historyPatience)));
    return undefined;
  } catch (error) {
    return `Answers to the swap that has ended could not be taken away: ${errorLine(error)}`;
  }
}

/**
 * Adds swaps that have ended to the history, beside the lease. That it can't be written changes nothing about them.
 *
 * @returns why it could not be written
 */
export async function addHistory(
  { fleet, lease }: CheckedSwapFile,
  region: string,
  ended: readonly SwapRecord[],
): Promise<string | undefined> {
  const place = historyOfLease(lease, { region });
  const entries = ended.flatMap((record) => swapHistory(record, { fleet, region }) ?? []);
  if (entries.length === 0 || !place) {
    return undefined;
  }
  try {
    const history = await openHistory(place);
    try {
      for (const entry of entries) {
        await history.store.add(entry, AbortSignal.timeout(historyPatience));
      }
    } finally {
      history.close();
    }
    return undefined;
  } catch (error) {
    return `The history could not be written: ${errorLine(error)}`;
  }
}
