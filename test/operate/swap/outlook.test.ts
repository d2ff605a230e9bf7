import { readSwap, swapPlan } from '../../../lib/operate/swap/file';
import { swapOutlook } from '../../../lib/operate/swap/outlook';
import type { SwapSeen } from '../../../lib/operate/swap';
import { leastSwap } from './file/swap-files';

const hour = 3_600_000;

/** A Tuesday, 12:00 in UTC. */
const now = Date.UTC(2026, 0, 6, 12);

const seen: SwapSeen = {
  configuration: { slots: { blue: '1.34' }, weights: { blue: 100 } },
  clusters: { blue: { version: '1.34', status: 'ACTIVE' } },
  live: { blue: 100 },
};

const planOf = (more = '') => swapPlan(readSwap(`${leastSwap}${more}`, 'swap.yaml'));

test('every phase in its order, with the earliest time of each', () => {
  const { end, swaps, first } = swapOutlook(planOf(), { seen, now });
  expect(end.verdict).toBe('completed');
  expect(swaps).toHaveLength(1);
  const [{ old, new: fresh, phases }] = swaps as [(typeof swaps)[0]];
  expect([old, fresh]).toEqual([
    { name: 'blue', version: '1.34' },
    { name: 'green', version: '1.36' },
  ]);
  expect(phases.map(({ phase, from }) => [phase, (from - now) / hour])).toEqual([
    ['ready', 0],
    ['create', 0],
    ['deliver', 0],
    ['try', 0],
    ['prescale', 0],
    ['shift', 0],
    ['soak', 0],
    ['drain', 24],
    ['delete', 24],
  ]);
  expect(first).toMatchObject({
    phase: 'create',
    configuration: { slots: { blue: '1.34', green: '1.36' }, weights: { blue: 100, green: 0 } },
  });
});

test('a window moves what changes something', () => {
  const window = 'windows: [{ days: [Wed], from: "09:00", to: "16:00" }]\n';
  const [swap] = swapOutlook(planOf(window), { seen, now }).swaps;
  const from = Object.fromEntries(swap!.phases.map(({ phase, from: at }) => [phase, (at - now) / hour]));
  // Tuesday noon to Wednesday 9:00; after the soak it is Thursday, and the next Wednesday is six days off.
  expect(from).toMatchObject({ ready: 0, create: 21, shift: 21, soak: 21 });
  expect(from['drain']).toBeGreaterThanOrEqual(45);
});

test('each version on the way is a swap of its own', () => {
  const { swaps, end } = swapOutlook(planOf('via: ["1.35"]\n'), { seen, now });
  expect(end.verdict).toBe('completed');
  expect(
    swaps.map(({ old, new: fresh }) => `${old.name} ${old.version} ${fresh.name} ${fresh.version}`),
  ).toEqual(['blue 1.34 green 1.35', 'green 1.35 blue 1.36']);
});

test('where it would not begin, it says why', () => {
  const split = { ...seen, live: { blue: 50, teal: 50 } };
  const { end, swaps, first } = swapOutlook(planOf(), { seen: split, now });
  expect([end.verdict, swaps, first]).toEqual(['aborted', [], undefined]);
});

test('it goes on with a swap that is open', () => {
  const record = {
    ...{ id: 'a', by: 'alex', startedAt: now - hour, phase: 'soak' as const, phaseStartedAt: now - hour },
    old: { name: 'blue', version: '1.34' },
    new: { name: 'green', version: '1.36' },
    setting: '1.36',
    before: seen.configuration,
    written: { slots: { blue: '1.34', green: '1.36' }, weights: { blue: 0, green: 100 } },
    done: [],
  };
  const shifted: SwapSeen = {
    configuration: record.written,
    clusters: { blue: { version: '1.34', status: 'ACTIVE' }, green: { version: '1.36', status: 'ACTIVE' } },
    live: { blue: 0, green: 100 },
  };
  const { swaps, first } = swapOutlook(planOf(), { seen: shifted, record, now });
  expect(swaps[0]!.phases.map(({ phase, from }) => [phase, (from - now) / hour])).toEqual([
    ['soak', -1],
    ['drain', 23],
    ['delete', 23],
  ]);
  expect(first).toMatchObject({ phase: 'delete', configuration: { slots: { green: '1.36' } } });
});
