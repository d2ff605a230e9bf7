import { setTimeout } from 'node:timers/promises';

/** Waits, in milliseconds; rejects where the signal is aborted. */
export async function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, signal ? { signal } : {});
}
