import fc from 'fast-check';
import type { ShiftRecord } from '../../../lib/shift/engine';
import { evacuationOf, evacuationRecord } from '../../../lib/shift/evacuate';
import type { EvacuatedRoute, EvacuationRequest } from '../../../lib/shift/evacuate';

const record = (over: Partial<ShiftRecord>): ShiftRecord => ({
  origin: { blue: 100, green: 0 },
  wanted: { blue: 0, green: 100 },
  written: { blue: 0, green: 100 },
  startedAt: 0,
  ...over,
});
const ended = (live: ShiftRecord['origin'] | null): ShiftRecord['ended'] => ({
  at: 1,
  verdict: 'completed',
  live,
});
const green: EvacuationRequest = { slot: 'green' };
const route = (live: Record<string, number>, over: Partial<EvacuatedRoute> = {}): EvacuatedRoute => ({
  live,
  healthy: Object.fromEntries(Object.keys(live).map((slot) => [slot, 3])),
  ...over,
});

test.each<[string, EvacuatedRoute, EvacuationRequest, Record<string, number>]>([
  ['the rest gets all of it', route({ blue: 90, green: 10 }), green, { blue: 100, green: 0 }],
  [
    'the rest in proportion, in whole percents',
    route({ blue: 30, green: 40, red: 15, gold: 15 }),
    green,
    { blue: 50, green: 0, red: 25, gold: 25 },
  ],
  ['weights on another scale', route({ blue: 1, green: 7, red: 2 }), green, { blue: 33, green: 0, red: 67 }],
  [
    'a slot that is asked for, whatever the others have',
    route({ blue: 90, green: 10, red: 0 }),
    { slot: 'green', to: 'red' },
    { blue: 0, green: 0, red: 100 },
  ],
  [
    'a slot without a healthy target gets nothing',
    route({ blue: 50, green: 25, red: 25 }, { healthy: { blue: 0, green: 1, red: 1 } }),
    green,
    { blue: 0, green: 0, red: 100 },
  ],
  [
    'unless it is forced',
    route({ blue: 50, green: 50 }, { healthy: { blue: 0, green: 1 } }),
    { slot: 'green', force: true },
    { blue: 100, green: 0 },
  ],
  [
    'health that is not known is no reason to leave it',
    route({ blue: 50, green: 50 }, { healthy: {} }),
    green,
    { blue: 100, green: 0 },
  ],
  [
    'where the traffic was before a shift that is complete',
    route({ blue: 0, green: 100 }, { record: record({ ended: ended({ blue: 0, green: 100 }) }) }),
    green,
    { blue: 100, green: 0 },
  ],
  [
    'the newest of several recorded weights',
    route(
      { blue: 0, green: 100, red: 0 },
      {
        record: record({
          origin: { blue: 100, green: 0, red: 0 },
          written: { blue: 0, green: 50, red: 50 },
          before: [{ blue: 80, green: 20, red: 0 }],
        }),
      },
    ),
    green,
    { blue: 0, green: 0, red: 100 },
  ],
  [
    'a recorded slot without a healthy target is passed over',
    route(
      { blue: 0, green: 100, red: 0 },
      {
        healthy: { blue: 2, green: 2, red: 0 },
        record: record({ written: { green: 50, red: 50 }, before: [{ blue: 80, green: 20 }] }),
      },
    ),
    green,
    { blue: 100, green: 0, red: 0 },
  ],
])('%s', (_name, given, request, weights) => {
  expect(evacuationOf(given, request)).toMatchObject({ kind: 'write', weights });
});

test('a slot without traffic needs nothing', () => {
  expect(evacuationOf(route({ blue: 100, green: 0 }), green)).toEqual({ kind: 'none' });
});

test.each<[EvacuatedRoute, EvacuationRequest, string]>([
  [route({ blue: 0, green: 100 }), green, 'no record says where the traffic was before'],
  [route({ blue: 90, green: 10 }), { slot: 'green', to: 'red' }, 'it has no other slot red'],
  [route({ blue: 90, green: 10 }), { slot: 'green', to: 'green' }, 'it has no other slot green'],
  [
    route({ blue: 90, green: 10 }, { healthy: { blue: 0, green: 1 } }),
    { slot: 'green', to: 'blue' },
    'blue has no healthy target; --force sends the traffic there all the same (blue: weight 90, 0 healthy targets; green: weight 10, 1 healthy target)',
  ],
  [
    // What was evacuated before gets no traffic by a record.
    route(
      { blue: 0, green: 100 },
      { record: record({ ended: ended(null), evacuated: { slots: ['blue'], by: 'alex' } }) },
    ),
    green,
    'no record says where',
  ],
])('refused, with what there is: %j', (given, request, why) => {
  expect(evacuationOf(given, request)).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) });
});

test('whatever there is, the slot gets nothing, and no other slot without a healthy target does', () => {
  const names = ['blue', 'green', 'red', 'gold'];
  const weights = fc.record(Object.fromEntries(names.map((name) => [name, fc.nat(999)])));
  const percents = fc.record(Object.fromEntries(names.map((name) => [name, fc.nat(100)])));
  const given = fc.record({
    live: weights,
    healthy: fc.record(Object.fromEntries(names.map((name) => [name, fc.nat(2)])), { requiredKeys: [] }),
    record: fc.option(
      fc.record({ origin: percents, wanted: percents, written: percents, startedAt: fc.constant(1) }),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(given, fc.constantFrom(undefined, ...names), fc.boolean(), (of, to, force) => {
      const request = { slot: 'green', force, ...(to !== undefined && { to }) };
      const decision = evacuationOf(of as EvacuatedRoute, request);
      if (decision.kind !== 'write') {
        return (of.live['green'] ?? 0) === 0 || decision.kind === 'refused';
      }
      const all = Object.entries(decision.weights);
      return (
        decision.weights['green'] === 0 &&
        all.reduce((sum, [, weight]) => sum + weight, 0) === 100 &&
        all.every(([slot, weight]) => weight === 0 || force || of.healthy[slot] !== 0) &&
        // A run that was killed and runs again finds nothing to do.
        evacuationOf({ ...of, live: decision.weights } as EvacuatedRoute, request).kind === 'none'
      );
    }),
  );
});

test('the record keeps where the traffic came from, and every slot that was evacuated', () => {
  const change = {
    before: { blue: 90, green: 10 },
    after: { blue: 100, green: 0 },
    wanted: { blue: 100, green: 0 },
    at: 7,
    by: 'alex@laptop',
  };
  const first = evacuationRecord(undefined, ['green'], change);
  expect(first).toEqual({
    origin: { blue: 90, green: 10 },
    wanted: { blue: 100, green: 0 },
    written: { blue: 100, green: 0 },
    startedAt: 7,
    ended: { at: 7, verdict: 'evacuated', live: { blue: 100, green: 0 } },
    evacuated: { slots: ['green'], by: 'alex@laptop' },
  });
  const same = { blue: 100, green: 0 };
  const again = evacuationRecord(first, ['red'], {
    before: same,
    after: same,
    wanted: same,
    at: 9,
    by: 'kim',
  });
  expect(again).toMatchObject({
    origin: { blue: 90, green: 10 },
    startedAt: 7,
    evacuated: { slots: ['green', 'red'], by: 'kim' },
  });
});

test('a slot that gets the traffic of another one is evacuated no more', () => {
  const before = { blue: 0, green: 100 };
  const earlier = record({ ended: ended(before), evacuated: { slots: ['blue', 'red'], by: 'alex' } });
  const after = { blue: 100, green: 0 };
  const change = { before, after, wanted: after, at: 2, by: 'sam' };
  expect(evacuationRecord(earlier, ['green'], change).evacuated).toEqual({
    slots: ['red', 'green'],
    by: 'sam',
  });
});
