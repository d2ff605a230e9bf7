import { sleep, within } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { equalWeights } from '../engine';
import type { Lease, ShiftObserver, ShiftOutcome, Weights, WriteRecord } from '../engine';
import { withAnswer } from './answer-record';
import type { ShiftAnswer, ShiftAnswers } from './answer-record';
import type { ShiftStatus } from './status-record';

/** What is known of a shift of another process. */
export interface WatchedShift {
  readonly status: ShiftStatus;
  /** Who runs it; unset once it has ended, or was killed. */
  readonly holder?: string;
}

/** In milliseconds. */
const callTimeout = 10_000;

/**
 * Reads where a shift is.
 *
 * @returns `undefined` where no shift has been watched here yet
 * @throws Error where it can't be read
 */
export async function readStatus(
  lease: Lease<ShiftStatus>,
  signal?: AbortSignal,
): Promise<WatchedShift | undefined> {
  const look = await within(callTimeout, signal, (own) => lease.look(own));
  if (look?.problem !== undefined) {
    throw new Error(`${lease.name}: ${look.problem}`);
  }
  return look?.record && { status: look.record, ...(look.holder !== undefined && { holder: look.holder }) };
}

/**
 * Leaves what a person asks, for the run to read.
 *
 * @throws Error where it can't be written
 */
export async function giveAnswer(
  lease: Lease<ShiftAnswers>,
  answer: ShiftAnswer,
  signal?: AbortSignal,
): Promise<void> {
  const isDone = await within(callTimeout, signal, async (own) => {
    const { record = { answers: [] }, problem } = await lease.acquire(own);
    // What is no list of answers answers nothing, and is written over.
    await lease.release(withAnswer(problem === undefined ? record : { answers: [] }, answer), own);
    return true;
  });
  if (isDone !== true) {
    throw new Error('it was interrupted');
  }
}

/** Makes of what is read, again and again, what an observer of the shift hears. */
export class StatusFeed {
  private weights: Weights | null = null;
  private readonly writes: WriteRecord[] = [];
  private readonly checked = new Map<string, string>();
  private isFirst = true;

  public constructor(private readonly observer: ShiftObserver) {}

  /** @returns the outcome, once it has ended */
  public take({ progress, ended, soFar }: ShiftStatus): ShiftOutcome | undefined {
    const { weights, from, at: now, checks, activity } = progress;
    const at = soFar?.writtenAt ?? now;
    // What was written before it is watched is known by the live weights.
    const before = this.isFirst ? (from ?? weights) : this.weights;
    if (weights !== null && (before === null || !equalWeights(weights, before))) {
      const isBack = activity === 'rollingBack' || ended?.verdict === 'rolledBack';
      const write = { at: iso(at), weights, ...(isBack && { rollback: true }) };
      if (!this.isFirst || soFar?.writtenAt !== undefined) {
        this.writes.push(write);
      }
      this.observer.written?.(write);
    }
    this.isFirst = false;
    this.weights = weights;
    for (const check of checks) {
      if (this.checked.get(check.name) !== check.at) {
        this.checked.set(check.name, check.at);
        this.observer.checked?.(check);
      }
    }
    this.observer.progress?.(progress);
    const outcome = ended && outcomeOf({ progress, ended }, this.writes);
    if (outcome) {
      this.observer.ended?.(outcome);
    }
    return outcome;
  }
}

/** How a shift ended, as far as it was watched. */
export function outcomeOf(
  { progress, ended: { verdict, reason } }: Required<Omit<ShiftStatus, 'soFar'>>,
  writes: readonly WriteRecord[],
): ShiftOutcome {
  const { from, wanted, weights, approvals, startedAt, at, checks } = progress;
  return {
    ...{ schemaVersion: 1, verdict, reason, from, to: wanted, final: weights },
    ...(approvals.length > 0 && { approvals }),
    ...{ startedAt: iso(startedAt ?? at), endedAt: iso(at), writes, checks, log: [] },
  };
}

/** How a shift is followed. */
export interface FollowOptions {
  readonly observer: ShiftObserver;
  /** Hears each status. @default - nothing */
  readonly onStatus?: (status: ShiftStatus) => void;
  /** Takes a line for a person. */
  readonly say: (line: string) => void;
  /** In milliseconds. @default 2000 */
  readonly everyMs?: number;
}

/**
 * Follows a shift to its end.
 *
 * @returns how it ended; `undefined` where its process ended without a word, or the signal was aborted
 */
export async function followShift(
  lease: Lease<ShiftStatus>,
  { observer, onStatus, say, everyMs = 2_000 }: FollowOptions,
  signal: AbortSignal,
): Promise<ShiftOutcome | undefined> {
  const feed = new StatusFeed(observer);
  let problem = '';
  while (!signal.aborted) {
    try {
      const seen = await readStatus(lease, signal);
      problem = '';
      if (seen) {
        onStatus?.(seen.status);
        const outcome = feed.take(seen.status);
        if (outcome || seen.holder === undefined) {
          return outcome;
        }
      }
    } catch (error) {
      const line = errorLine(error);
      if (line !== problem) {
        say(`It could not be read: ${line}`);
      }
      problem = line;
    }
    await sleep(everyMs, signal).catch(() => undefined);
  }
  return undefined;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
