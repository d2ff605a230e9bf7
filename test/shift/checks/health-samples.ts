import type { CheckContext } from '../../../lib/shift/checks';
import type { CheckWindow, ShiftSubject, Weights } from '../../../lib/shift/engine';

/** Two slots, and a load balancer's target group and a cluster for each. */
export const subject: ShiftSubject = {
  layer: 'http',
  slots: {
    blue: { targetGroupArn: 'arn:blue', clusterName: 'apps-blue' },
    green: { targetGroupArn: 'arn:green', clusterName: 'apps-green' },
  },
};

/** A window of a shift from blue to green. */
export function windowOf(live: Weights, next?: Weights, more: Partial<CheckWindow> = {}): CheckWindow {
  return {
    stage: next ? 'before' : 'after',
    from: 1_000_000,
    to: 1_060_000,
    startedAt: 1_000_000,
    origin: { blue: 100, green: 0 },
    live,
    wanted: { blue: 0, green: 100 },
    ...(next ? { next } : {}),
    writes: [],
    ...more,
  };
}

/** A context in which nothing works but what a test gives. */
export function contextOf(given: Partial<CheckContext>): CheckContext {
  return { subject, ...given } as CheckContext;
}
