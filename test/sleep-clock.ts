import type { Clock } from '../lib/core/async';

/** A clock on which time passes only while its user sleeps: what really happens meanwhile may take a busy machine longer. */
export function sleepClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: (milliseconds) => {
      now += milliseconds;
      return Promise.resolve();
    },
  };
}
