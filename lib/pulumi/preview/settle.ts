/** How a program's run ended. */
export type Ending =
  /** Its promise and every registration resolved. */
  | 'settled'
  /** It threw. */
  | 'failed'
  /** Nothing is left that could resolve what is pending. */
  | 'stuck'
  /** Its registrations are through, but something keeps the process alive. */
  | 'lingering'
  /** The deadline passed. */
  | 'late';

/** What is waited for. */
export interface Waiting {
  /** Resolves when the program's promise and every registration have. */
  readonly done: Promise<unknown>;
  /** Resolves with the first error of the program. */
  readonly failed: Promise<void>;
  /** Number of registrations so far. */
  readonly count: () => number;
  readonly timeoutSeconds: number;
  /** Whether to wait until the process has nothing else to do, as Pulumi does. */
  readonly untilIdle: boolean;
}

/** How long other errors of a program that threw are waited for, in milliseconds. */
const graceForMoreErrors = 1000;

/** Waits for the end of a program's run. */
export async function settle(waiting: Waiting): Promise<Ending> {
  const timers: NodeJS.Timeout[] = [];
  const after = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timers.push(timer);
      if (waiting.untilIdle) {
        // A timer of ours must not keep the process busy.
        timer.unref();
      }
    });
  let isDone = false;
  const done = waiting.done.then(() => {
    isDone = true;
  });
  const idle = waiting.untilIdle ? whenIdle(waiting.count) : undefined;
  const ending = await Promise.race([
    idle?.then((): Ending => (isDone ? 'settled' : 'stuck')) ?? done.then((): Ending => 'settled'),
    waiting.failed.then(async (): Promise<Ending> => {
      await Promise.race([idle ?? done, after(graceForMoreErrors)]);
      return 'failed';
    }),
    after(waiting.timeoutSeconds * 1000).then((): Ending => (isDone ? 'lingering' : 'late')),
  ]);
  timers.forEach(clearTimeout);
  // What is rejected in this turn is reported in the next one.
  await nextTurn();
  await nextTurn();
  return ending;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the event loop is empty, and again if that made the program register more. */
async function whenIdle(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count();
    await new Promise<void>((resolve) => {
      process.once('beforeExit', () => {
        // Keeps the process going past this event.
        setImmediate(resolve);
      });
    });
  }
}
