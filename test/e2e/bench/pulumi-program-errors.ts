import { runInThisContext } from 'node:vm';

type Listener = (...args: unknown[]) => void;

const events = ['uncaughtException', 'unhandledRejection'] as const;

/** The process itself: a test file sees a copy, on which no error of a program ever arrives. */
const outer = runInThisContext('process') as NodeJS.Process;

const observers = new Set<(error: Error) => void>();

let running = 0;
let testRunners: Map<string, Listener[]> | undefined;

/**
 * Runs an operation of the engine. What fails behind the program's back (in an `apply`) goes to Pulumi, which listens on
 * the test file's process, and not to the test runner, which would fail the test for it. Pulumi's listeners that a
 * failed program leaves behind are taken away.
 */
export async function withProgramErrors<T>(
  operation: () => Promise<T>,
  onError: (error: Error) => void = () => undefined,
): Promise<T> {
  observers.add(onError);
  const before = new Map(events.map((event) => [event, new Set(listenersOf(process, event))]));
  if (running === 0) {
    redirect();
  }
  running += 1;
  try {
    return await operation();
  } finally {
    // Promises that were rejected last are told of after the others have run.
    await new Promise((resolve) => setTimeout(resolve, 10));
    observers.delete(onError);
    running -= 1;
    if (running === 0) {
      restore();
      for (const event of events) {
        listenersOf(process, event)
          .filter((each) => !before.get(event)!.has(each))
          .forEach((each) => process.off(event, each));
      }
    }
  }
}

function redirect(): void {
  testRunners = new Map(events.map((event) => [event, listenersOf(outer, event)]));
  for (const event of events) {
    outer.removeAllListeners(event);
    outer.on(event as never, (...args: unknown[]) => {
      observers.forEach((observe) => observe(args[0] as Error));
      const programs = listenersOf(process, event);
      const told = programs.length > 0 ? programs : testRunners!.get(event)!;
      told.forEach((each) => each(...args));
    });
  }
}

function restore(): void {
  for (const event of events) {
    outer.removeAllListeners(event);
    testRunners!.get(event)!.forEach((each) => outer.on(event as never, each));
  }
}

function listenersOf(emitter: NodeJS.Process, event: string): Listener[] {
  return emitter.listeners(event as never) as Listener[];
}
