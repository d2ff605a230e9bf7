import { parentPort, workerData } from 'node:worker_threads';
import type { Simulation } from '../../simulation';
import { simulate } from '../../simulation';
import type { WorkerMessage } from './worker-message';

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
