import type { CheckRecord } from '../../../lib/shift/engine';
import type { EventType, FleetEvent, Sink } from '../../../lib/shift/notify';

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

const failed: CheckRecord = {
  at: origin.at,
  name: 'errors',
  stage: 'after',
  status: 'fail',
  reason: 'green: 12 of 90 requests failed',
  figures: [],
};

/** One event of each type, with all that it can say. */
export const samples: { readonly [Type in EventType]: Extract<FleetEvent, { readonly type: Type }> } = {
  started: {
    ...{ ...origin, id: 'r1-1', type: 'started', from: { blue: 100, green: 0 }, steps: 7 },
    endsAt: '2031-05-06T08:38:09.000Z',
  },
  stepWritten: {
    ...{ ...origin, id: 'r1-2', type: 'stepWritten', step: 2, steps: 7 },
    standsUntil: '2031-05-06T07:18:09.000Z',
  },
  checkAnswered: { ...origin, id: 'r1-3', type: 'checkAnswered', check: failed, changed: true },
  waiting: {
    ...{ ...origin, id: 'r1-4', type: 'waiting' },
    checks: [{ ...failed, name: 'capacity', status: 'inconclusive', reason: '3 of 9 targets' }],
  },
  paused: { ...origin, id: 'r1-5', type: 'paused', place: 50, how: 'touch go-50', heldBy: 'kim@desk' },
  resumed: { ...origin, id: 'r1-6', type: 'resumed', place: 50, by: 'kim@desk' },
  rollingBack: {
    ...{
      ...origin,
      id: 'r1-7',
      type: 'rollingBack',
      reason: 'A check has failed: errors.',
      failed: [failed],
    },
  },
  ended: {
    ...{ ...origin, id: 'r1-8', type: 'ended', verdict: 'rolledBack', reason: 'A check has failed: errors.' },
    ...{ at: '2031-05-06T07:20:39.000Z', startedAt: origin.at, from: { blue: 100, green: 0 } },
    ...{ writes: 3, failed: [failed] },
  },
};

/** An event whose texts are from outside, as far as they are. */
export function strangeEvent(
  event: FleetEvent,
  one: string,
  other: string,
  links: Readonly<Record<string, string>>,
): FleetEvent {
  const check = { ...samples.rollingBack.failed[0]!, name: one, reason: other };
  return {
    ...event,
    ...{ route: one, source: other, by: one, how: other, reason: other, heldBy: one },
    ...{ failed: Array.from({ length: 20 }, () => check), checks: [check], check, links },
  } as FleetEvent;
}
