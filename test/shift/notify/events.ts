import type { FleetEvent, Sink } from '../../../lib/shift/notify';

const origin = {
  schemaVersion: 1,
  shift: 'r1',
  by: 'alex@laptop',
  route: 'traffic',
  source: 'plan.yaml',
  at: '2031-05-06T07:08:09.000Z',
  weights: { blue: 99, green: 1 },
  wanted: { blue: 0, green: 100 },
} as const;

/** Event number `index` of a run: a step. */
export function step(index: number): FleetEvent {
  return { ...origin, id: `r1/${index}`, type: 'stepWritten', step: index, steps: 7 };
}

/** An answer of a check. */
export function answered(index: number, changed = true): FleetEvent {
  const check = {
    at: origin.at,
    name: 'targetHealth',
    stage: 'after',
    status: 'pass',
    reason: 'all targets are healthy',
    figures: [],
  } as const;
  return { ...origin, id: `r1/${index}`, type: 'checkAnswered', check, changed };
}

/** The end of a run. */
export function ended(index: number): FleetEvent {
  return {
    ...{ ...origin, id: `r1/${index}`, type: 'ended', verdict: 'completed', reason: 'It is done.' },
    ...{ from: { blue: 100, green: 0 }, startedAt: origin.at, writes: 7, failed: [] },
  };
}

/** A sink that keeps what it gets, and does first what a test asks. */
export function toySink(
  before: (event: FleetEvent, signal: AbortSignal) => unknown = () => undefined,
): Sink & {
  readonly got: string[];
} {
  const got: string[] = [];
  return {
    name: 'toy',
    got,
    takes: () => true,
    deliver: async (event, signal) => {
      await before(event, signal);
      got.push(event.id);
    },
  };
}
