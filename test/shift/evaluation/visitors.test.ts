import fc from 'fast-check';
import type { SlotCount } from '../../../lib/shift/evaluation';
import { withoutOwn } from '../../../lib/shift/evaluation';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1, 12);
const count = (at: number, requests: number, errors: number, more: Partial<SlotCount> = {}): SlotCount => ({
  slot: 'green',
  at: start + at * minute,
  requests,
  errors,
  ...more,
});
/** Own requests a second into a minute. */
const sent = (at: number, requests: number, errors = 0, slow = 0): SlotCount => ({
  ...count(at, requests, errors, { slow }),
  at: start + at * minute + 1_000,
});

test.each<[string, readonly SlotCount[], readonly SlotCount[], readonly SlotCount[]]>([
  ['what was sent in the period', [count(0, 312, 3)], [sent(0, 300, 2)], [count(0, 12, 1)]],
  [
    'nothing of another slot',
    [{ ...count(0, 312, 3), slot: 'blue' }],
    [sent(0, 300)],
    [{ ...count(0, 312, 3), slot: 'blue' }],
  ],
  [
    'what was counted a period later',
    [count(0, 290, 0), count(1, 330, 1)],
    [sent(0, 300, 1), sent(1, 300, 0)],
    [count(0, 0, 0), count(1, 20, 0)],
  ],
  [
    'what was counted a period earlier',
    [count(0, 330, 1), count(1, 290, 0)],
    [sent(0, 300, 0), sent(1, 300, 1)],
    [count(0, 20, 0), count(1, 0, 0)],
  ],
  [
    'nothing that was counted much later',
    [count(0, 10, 0), count(3, 310, 0)],
    [sent(0, 300)],
    [count(0, 0, 0), count(3, 310, 0)],
  ],
  ['no error for one that was not counted', [count(0, 310, 0)], [sent(0, 305, 5)], [count(0, 10, 0)]],
  [
    'answers that come late from those without an answer so far, once there are no others',
    [count(0, 312, 102, { failures: 2 })],
    [sent(0, 300, 1)],
    [count(0, 12, 12, { failures: 1 })],
  ],
  ['slow ones', [count(0, 312, 0, { slow: 20 })], [sent(0, 300, 0, 15)], [count(0, 12, 0, { slow: 5 })]],
  [
    'requests where errors are not known',
    [count(0, 312, 0, { errors: null })],
    [sent(0, 300)],
    [count(0, 12, 0, { errors: null })],
  ],
  ['nothing of periods that are not there', [count(5, 12, 1)], [sent(0, 300, 3)], [count(5, 12, 1)]],
])('takes %s', (_, counts, own, expected) => {
  expect(withoutOwn(counts, own, minute)).toEqual(expected);
});

const periods = fc
  .array(
    fc.record({
      visitors: fc.nat(50),
      failed: fc.nat(50),
      own: fc.nat(300),
      ownFailed: fc.nat(300),
      slow: fc.nat(50),
      ownSlow: fc.nat(300),
      late: fc.nat(20),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((list) =>
    list.map(({ visitors, failed, own, ownFailed, slow, ownSlow, late }) => ({
      visitors,
      failed: Math.min(failed, visitors),
      own,
      ownFailed: Math.min(ownFailed, own),
      slow: Math.min(slow, visitors),
      ownSlow: Math.min(ownSlow, own),
      late: Math.min(late, own - Math.min(ownFailed, own)),
    })),
  );

test('with clocks that agree, what is left is what visitors sent, to the request', () => {
  fc.assert(
    fc.property(periods, (list) => {
      const counts = list.map(({ visitors, failed, own, ownFailed, slow, ownSlow }, at) =>
        count(at, visitors + own, failed + ownFailed, { slow: slow + ownSlow }),
      );
      const own = list.map(({ own: requests, ownFailed, ownSlow }, at) =>
        sent(at, requests, ownFailed, ownSlow),
      );
      const expected = list.map(({ visitors, failed, slow }, at) => count(at, visitors, failed, { slow }));
      expect(withoutOwn(counts, own, minute)).toEqual(expected);
    }),
  );
});

test('with some counted a period later, no request and no error of visitors is made up in all', () => {
  fc.assert(
    fc.property(periods, (list) => {
      const lateBefore = (at: number): number => list[at - 1]?.late ?? 0;
      const counts = [...list, { visitors: 0, failed: 0, own: 0, ownFailed: 0, late: 0 }].map(
        ({ visitors, failed, own, ownFailed, late }, at) =>
          count(at, visitors + own - late + lateBefore(at), failed + ownFailed),
      );
      const own = list.map(({ own: requests, ownFailed }, at) => sent(at, requests, ownFailed));
      const left = withoutOwn(counts, own, minute);
      const sum = (of: readonly SlotCount[], key: 'requests' | 'errors'): number =>
        of.reduce((total, each) => total + each[key]!, 0);
      const visitors = list.map((each, at) => count(at, each.visitors, each.failed));
      expect(sum(left, 'requests')).toBe(sum(visitors, 'requests'));
      expect(sum(left, 'errors')).toBe(sum(visitors, 'errors'));
    }),
  );
});

test('whatever the figures are: never below zero, never more than there was, errors among requests', () => {
  const any = fc.array(fc.tuple(fc.nat(20), fc.nat(400), fc.nat(400), fc.nat(400)), { maxLength: 20 });
  fc.assert(
    fc.property(any, any, (found, own) => {
      const byMinute = new Map(found.map((each) => [each[0], each]));
      const counts = [...byMinute.values()].map(([at, requests, errors, failures]) => {
        const bad = Math.min(errors, requests);
        return count(at, requests, bad, { failures: Math.min(failures, bad) });
      });
      const given = own.map(([at, requests, errors]) => sent(at, requests, Math.min(errors, requests)));
      withoutOwn(counts, given, minute).forEach((left, index) => {
        const { requests, errors, failures } = counts[index]!;
        expect(left.at).toBe(counts[index]!.at);
        expect(left.requests).toBeGreaterThanOrEqual(0);
        expect(left.requests).toBeLessThanOrEqual(requests);
        expect(left.errors).toBeLessThanOrEqual(Math.min(errors!, left.requests));
        expect(left.failures).toBeGreaterThanOrEqual(0);
        expect(left.failures).toBeLessThanOrEqual(Math.min(failures!, left.errors!));
      });
    }),
  );
});
