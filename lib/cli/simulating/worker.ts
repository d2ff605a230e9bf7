import { parentPort, workerData } from 'node:worker_threads';
import type { Simulation } from '../../simulation';
import { simulate } from '../../simulation';

try {
  parentPort!.postMessage({ result: simulate(workerData as Simulation) });
} catch (error) {
  // The class of an error does not come through.
  const { name, message, stack } = error as Error;
  parentPort!.postMessage({ error: { name, message, stack } });
}
