import { within } from '../../core/async';
import type { Clock } from '../../core/async';
import { oneLine } from '../../core/printable-text';
import type { AnswerStore } from './answers/answers';
import { deleteHasBegun } from './machine/back';
import type { SwapLook, SwapStore } from './store';

/** What is needed to ask another process for the way back. */
export interface AskBack {
  readonly store: Pick<SwapStore, 'look'>;
  readonly answers: Pick<AnswerStore, 'askBack'>;
  /** Who asks: user and machine. */
  readonly by: string;
  /** What becomes of the new cluster. */
  readonly then: 'keep' | 'delete';
  readonly say: (line: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How often it looks whether the other process has ended. */
const everyMs = 5_000;

const sayEveryMs = 60_000;

const timeoutMs = 10_000;

/**
 * Asks the process that runs a swap to take it back, and waits until that process has ended or its lease has expired: what is left
 * of the way back is done then. Where none runs it, or it can't go back any more, nothing is asked.
 *
 * @throws what store and answers throw before anything is asked
 */
export async function askBack({ store, answers, by, then, say, clock, signal }: AskBack): Promise<void> {
  const look = (): Promise<SwapLook | undefined> => within(timeoutMs, signal, (own) => store.look(own));
  const first = await look();
  const record = first?.record;
  if (first?.holder === undefined || !record || record.ended || deleteHasBegun(record)) {
    return;
  }
  await answers.askBack({ swap: record.id, by, then }, signal);
  say(
    `${oneLine(first.holder)} runs swap ${record.id}: it is asked to go back, and this run waits until it has ended.`,
  );
  let asked = record.id;
  let saidAt = clock.now();
  // What can't be read is looked at again: the run that comes after says so, too.
  const lookAgain = (now: SwapLook): Promise<SwapLook> =>
    look().then(
      (found) => found ?? now,
      () => now,
    );
  for (let now = first; now.holder !== undefined && !signal.aborted; now = await lookAgain(now)) {
    const open = now.record;
    if (open && open.id !== asked && !open.ended && !deleteHasBegun(open)) {
      // It came too late for the version on the way.
      asked = await answers.askBack({ swap: open.id, by, then }, signal).then(
        () => open.id,
        () => asked,
      );
      say(`Swap ${open.id} has begun meanwhile${asked === open.id ? ': it is asked to go back' : ''}.`);
    }
    if (clock.now() - saidAt >= sayEveryMs) {
      saidAt = clock.now();
      const until =
        now.expiresAt === undefined ? '' : `; its lease lasts until ${new Date(now.expiresAt).toISOString()}`;
      say(`${oneLine(now.holder)} still runs it, at ${now.record?.phase ?? record.phase}${until}.`);
    }
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}
