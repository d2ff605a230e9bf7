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
  /** Takes what is to be told of every answer. */
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
