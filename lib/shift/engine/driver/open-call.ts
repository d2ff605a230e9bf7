import { within } from '../../../core/async';

/** What ignores its signal a few times may still answer the next time; for ever it is not asked in vain. */
const mostRunning = 5;

/** One call at a time. It stays open while others go on, and is given up after its time. */
export class OpenCall<Value> {
  private controller: AbortController | undefined;
  /** Calls that have not come to their end, those among them that were given up. */
  private running = 0;

  /** @param timeoutMs how long a call may take, in milliseconds. @default - as long as it needs */
  public constructor(private readonly timeoutMs: number | undefined) {}

  /** Whether a call has neither answered nor been given up. */
  public get isOpen(): boolean {
    return this.controller !== undefined;
  }

  /** How many calls go on although they were given up, where these are too many to make another one; else 0. */
  public get stuck(): number {
    return !this.isOpen && this.running >= mostRunning ? this.running : 0;
  }

  /**
   * Makes a call. There must be none that is open.
   *
   * @returns `undefined` where it was dropped
   * @throws TookTooLong, or what the call throws
   */
  public async make(call: (signal: AbortSignal) => Promise<Value>): Promise<Value | undefined> {
    const controller = new AbortController();
    this.controller = controller;
    try {
      return await within(this.timeoutMs, controller.signal, (signal) => this.run(call, signal));
    } finally {
      if (this.controller === controller) {
        this.controller = undefined;
      }
    }
  }

  /** Gives up the open call, if there is one: its answer is not needed any more. */
  public drop(): void {
    this.controller?.abort();
    this.controller = undefined;
  }

  private async run(call: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal): Promise<Value> {
    this.running += 1;
    try {
      return await call(signal);
    } finally {
      this.running -= 1;
    }
  }
}

/** Most answers come sooner; what comes later is taken when it comes. */
const patienceMs = 5_000;

/** What is waited for. */
export interface Awaited {
  /** Whether nothing is to be waited for any more. */
  readonly isOver: () => boolean;
  /** Whether other calls are to be made again soon. */
  readonly isUrgent: () => boolean;
  /** How often they are made, in milliseconds. */
  readonly everyMs: number;
  /** Takes what is to be reported of every answer. */
  readonly onChange: (told: () => void) => void;
  readonly signal: AbortSignal;
}

/**
 * Waits until calls have answered, for some seconds at most; where it is urgent, for half of the time until other calls
 * are made again at most. Measured with this machine's timers whatever the clock of the shift: it is for calls that hang.
 */
export async function untilAnswered(awaited: Awaited): Promise<void> {
  const { isOver, isUrgent, everyMs, onChange, signal } = awaited;
  if (signal.aborted || isOver()) {
    return;
  }
  let stop: (() => void) | undefined;
  let isLate = false;
  const ends = new Promise<void>((resolve) => (stop = resolve));
  const look = (): void => {
    if (isOver() || (isLate && isUrgent())) {
      stop!();
    }
  };
  const timers = [
    setTimeout(stop!, patienceMs),
    setTimeout(
      () => {
        isLate = true;
        look();
      },
      Math.min(patienceMs, everyMs / 2),
    ),
  ];
  onChange(look);
  signal.addEventListener('abort', stop!);
  await ends;
  timers.forEach(clearTimeout);
  signal.removeEventListener('abort', stop!);
}
