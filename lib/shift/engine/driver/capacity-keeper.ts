import { within } from '../../../core/async';
import { errorLine } from '../../../core/validation/problems';
import { capacityCheckName, capacityLeftText, giveBackMs, giveBackRaised } from '../capacity';
import type { Capacity, CapacityLeft, CapacityRecord } from '../capacity';
import type { Check } from '../check';
import type { Weights } from '../weights';
import type { ShiftRecord } from '../lease';
import type { ShiftEnded } from '../machine/states';
import type { Interruption } from './interruption';
import type { LeaseKeeper } from './lease-keeper';

const pressedMs = 2_000;

/**
 * Raises capacity before each step, as a check that the step waits for, and gives it back once nothing of the shift is left to
 * do. What is raised is in the lease before it is raised.
 */
export class CapacityKeeper {
  /** What asks the API servers, until it has come to its end. */
  private readonly open = new Set<Promise<unknown>>();
  private isOver = false;

  public constructor(
    private readonly capacity: Capacity | undefined,
    private readonly lease: LeaseKeeper,
    /** The shift as it is now, for the first record. */
    private readonly current: () => ShiftRecord | undefined,
  ) {}

  /** The check that raises it; none without access to the clusters. */
  public get checks(): readonly Check[] {
    const { capacity } = this;
    return capacity
      ? [
          {
            name: capacityCheckName,
            stages: ['before'],
            evaluate: async ({ origin, wanted, live, next = wanted, ahead }, signal) => {
              const left = await this.tracked(this.giveBackEarlier(capacity, live, signal));
              if (left !== undefined) {
                return { status: 'inconclusive', reason: left, figures: [], holds: true };
              }
              const { raised } = this.lease;
              const remember = (more: CapacityRecord): Promise<void> => this.remember(more, signal);
              const request = {
                origin,
                wanted,
                next,
                remember,
                ...(ahead && { ahead }),
                ...(raised && { raised }),
              };
              return this.tracked(capacity.prepare(request, signal));
            },
          },
        ]
      : [];
  }

  /**
   * Gives back what this run or an earlier one has raised, unless the shift is to go on.
   *
   * @returns what is left, for a person
   */
  public async end(
    { end, live }: ShiftEnded,
    keepsRecord: boolean,
    { isPressed, killed, killSignal }: Interruption,
  ): Promise<string | undefined> {
    this.isOver = true;
    if (!end.finished || (keepsRecord && end.verdict === 'completed')) {
      return undefined;
    }
    await this.lease.settle();
    const { raised } = this.lease;
    if (!raised) {
      return undefined;
    }
    if (!this.capacity) {
      return capacityLeftText('this run has no access to the clusters: run it once more with shift.capacity');
    }
    const { capacity } = this;
    const ended = await within(
      isPressed ? pressedMs : giveBackMs,
      killed ? undefined : killSignal,
      async (signal) => {
        // A write that is under way would come after the one that gives back.
        await Promise.allSettled(this.open);
        return { left: await this.giveBack(capacity, raised, live, signal) };
      },
    ).catch((error: unknown) => ({ left: { problem: errorLine(error), raised } }));
    if (!ended) {
      return capacityLeftText('interrupted');
    }
    this.lease.raised = ended.left?.raised;
    return ended.left && capacityLeftText(ended.left.problem);
  }

  /**
   * Gives back what an earlier shift has left: its counts are none of this one.
   *
   * @returns why it can't begin yet
   */
  private async giveBackEarlier(
    capacity: Capacity,
    live: Weights,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const record = this.current();
    const { raised } = this.lease;
    if (!raised || !record || !this.lease.isOfEarlierShift(record)) {
      return undefined;
    }
    const left = await giveBackRaised(capacity, raised, live, signal);
    if (!left) {
      this.lease.raised = undefined;
    }
    return left && `An earlier shift has raised capacity that could not be given back yet: ${left.problem}`;
  }

  /** Gives back as long as the lease is held: the next holder may need what it raises. */
  private giveBack(
    capacity: Capacity,
    raised: CapacityRecord,
    live: Weights | null,
    signal: AbortSignal,
  ): Promise<CapacityLeft | undefined> {
    const lost = new AbortController();
    const keep = async (): Promise<void> => {
      if ((await this.lease.keepLast())?.type === 'leaseTaken') {
        lost.abort();
      }
    };
    return this.lease.during(
      giveBackRaised(capacity, raised, live, AbortSignal.any([signal, lost.signal])),
      () => void keep(),
    );
  }

  private async remember(raised: CapacityRecord, signal: AbortSignal | undefined): Promise<void> {
    const record = this.current();
    if (this.isOver || !record) {
      throw new Error('the shift has ended');
    }
    // Another call may have put something newer on record since this one was given up.
    signal?.throwIfAborted();
    await this.lease.remember(record, raised);
  }

  private async tracked<T>(call: Promise<T>): Promise<T> {
    this.open.add(call);
    try {
      return await call;
    } finally {
      this.open.delete(call);
    }
  }
}
