import { setTimeout } from 'node:timers/promises';
import { mayPass } from '../may-pass';

/** Between two looks, in milliseconds. */
const pause = 2_000;

/**
 * Looks until a gate is open, or the time is up: then what was seen last. What is no gate's report is seen once.
 *
 * @param milliseconds how long; 0 looks once
 * @param signal ends the waiting
 */
export async function waitUntilOpen<R extends object>(
  look: () => Promise<R>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<R> {
  const end = Date.now() + milliseconds;
  for (;;) {
    try {
      const report = await look();
      if (!('open' in report) || report.open === true || Date.now() + pause > end) {
        return report;
      }
    } catch (error) {
      if (!mayPass(error) || Date.now() + pause > end) {
        throw error;
      }
    }
    await setTimeout(pause, undefined, { signal });
  }
}
