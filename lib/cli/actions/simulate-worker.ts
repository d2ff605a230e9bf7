import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from '../../shift/simulation';
import type { Simulation, SimulationResult } from '../../shift/simulation';

/** Time between two messages of how many runs are done, in milliseconds. */
const interval = 500;

const say = (message: WorkerMessage): void => parentPort!.postMessage(message);

let last = performance.now();

function onRun(done: number): void {
  const now = performance.now();
  if (now - last >= interval) {
    last = now;
    say({ done });
  }
}

try {
  say({ result: simulate(workerData as Simulation, onRun) });
} catch (error) {
  // The class of an error does not come through.
  const { name, message, stack } = error as Error;
  say({ error: { name, message, stack } });
}

/** What the thread that simulates says: how many runs are done, and at last what came of them. */
export type WorkerMessage =
  | { readonly done: number }
  | { readonly result: SimulationResult }
  | { readonly error: ErrorText };

/** What is left of an error that comes from another thread. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}
