import { conditionsOf, World } from '../../../lib/shift/simulation';
import type { Scenario } from '../../../lib/shift/simulation';
import { minuteMs } from '../../../lib/shift/simulation/traffic';

const slots = ['blue', 'green'];
const half = { blue: 50, green: 50 };

function worldOf(scenario: Partial<Scenario>, live = half, seed = 1, historyMinutes = 0): World {
  return new World(
    conditionsOf({ requests: { perSecond: 1000 }, ...scenario }, slots),
    live,
    seed,
    historyMinutes,
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const minutes = (count: number) => count * minuteMs;
const after = (world: World, ms: number) => {
  world.advance(world.startedAt + ms);
  return world.traffic;
};

test('traffic is split by weight, and fails by the share of each slot', () => {
  const { counts, total, exposure } = after(
    worldOf({ errorShare: 0.001, slots: { green: { errorShare: 0.1 } } }, { blue: 90, green: 10 }),
    minutes(20),
  );
  expect(sum(counts[0]!.requests) / 1_080_000).toBeCloseTo(1, 2);
  expect(sum(counts[1]!.requests) / 120_000).toBeCloseTo(1, 1);
  expect(sum(counts[0]!.errors) / sum(counts[0]!.requests)).toBeCloseTo(0.001, 3);
  expect(sum(counts[1]!.errors) / sum(counts[1]!.requests)).toBeCloseTo(0.1, 2);
  expect(exposure.requests).toBe(sum(counts[1]!.requests));
  expect(exposure.failed).toBe(sum(counts[1]!.errors));
  expect(total.requests).toBe(sum(counts.flatMap(({ requests }) => requests)));
});

test('the same seed gives the same world, another seed another one', () => {
  const errors = (seed: number) => after(worldOf({ errorShare: 0.01 }, half, seed), minutes(5)).counts;
  expect(errors(3)).toEqual(errors(3));
  expect(errors(3)).not.toEqual(errors(4));
});

test('a seed gives these very numbers, in every version of Node.js', () => {
  const scenario = { errorShare: 0.01, slowShare: 0.2, bursts: { dispersion: 0.01, persistence: 0.5 } };
  const { counts } = after(worldOf(scenario, { blue: 99, green: 1 }, 42), minutes(4));
  expect(counts.map(({ requests, errors, slow }) => [requests, errors, slow])).toEqual([
    [
      [2020, 59341, 59547, 59602, 57582],
      [1, 1213, 132, 153, 110],
      [416, 11812, 11943, 11720, 11480],
    ],
    [
      [22, 595, 613, 591, 611],
      [0, 12, 2, 5, 2],
      [5, 120, 108, 115, 127],
    ],
  ]);
});

test('bursts and faults are the same whatever the weights are', () => {
  const scenario = { errorShare: 0.5, bursts: { dispersion: 0.2 }, metrics: { missing: 0.3 } };
  const seen = (live: { blue: number; green: number }) => {
    const world = worldOf(scenario, live, 5);
    const { requests, errors } = after(world, minutes(30)).counts[0]!;
    const missing = requests.map((_, minute) => world.source.isMissing(0, minute));
    return { shares: errors.map((each, minute) => each / requests[minute]!), missing };
  };
  const many = seen({ blue: 100, green: 0 });
  const few = seen({ blue: 40, green: 60 });
  many.shares.forEach((share, minute) => expect(few.shares[minute]!).toBeCloseTo(share, 1));
  expect(few.missing).toEqual(many.missing);
  expect(many.missing).toContain(true);
});

test('what changes, changes at its time', () => {
  const world = worldOf({
    requests: { perSecond: 100, changes: [{ from: '10m', until: '20m', perSecond: 5000 }] },
    slots: { green: { changes: [{ from: '5m', until: '7m', errorShare: 1 }] } },
  });
  after(world, minutes(5));
  expect([world.traffic.total.failed, world.traffic.exposure.since]).toEqual([0, undefined]);
  expect(after(world, minutes(5) + 1000).exposure.since).toBe(world.startedAt + minutes(5));
  const { failed } = after(world, minutes(10)).exposure;
  expect(failed / (50 * 120)).toBeCloseTo(1, 1);
  const before = world.traffic.total.requests;
  expect((after(world, minutes(20)).total.requests - before) / 3_000_000).toBeCloseTo(1, 2);
});

test('a cold slot does badly from its first request on, which does not make it a bad one', () => {
  const world = worldOf(
    { slots: { green: { cold: { lasts: '1m', errorShare: 1 } } } },
    { blue: 100, green: 0 },
  );
  after(world, minutes(3));
  world.weigh(half);
  after(world, minutes(4));
  const { failed } = world.traffic.total;
  expect(failed / 30_000).toBeCloseTo(1, 1);
  expect(after(world, minutes(9)).total.failed).toBe(failed);
  expect(world.traffic.exposure.requests).toBe(0);
});

test('what is beyond the capacity fails', () => {
  const { counts, exposure } = after(worldOf({ slots: { green: { capacity: 200 } } }), minutes(5));
  expect(sum(counts[1]!.errors) / sum(counts[1]!.requests)).toBeCloseTo(0.6, 2);
  expect(exposure.requests).toBe(sum(counts[1]!.requests));
});

/** Correlation of the two columns. */
function correlation(pairs: readonly (readonly [number, number])[]): number {
  const mean = (of: (pair: readonly [number, number]) => number) => sum(pairs.map(of)) / pairs.length;
  const [x, y] = [mean(([one]) => one), mean(([, other]) => other)];
  const covariance = mean(([one, other]) => (one - x) * (other - y));
  return covariance / Math.sqrt(mean(([one]) => (one - x) ** 2) * mean(([, other]) => (other - y) ** 2));
}

test('bursts have the variance of a beta-binomial, persist, and are shared if it says so', () => {
  const shares = (bursts: Scenario['bursts']) => {
    const { counts } = after(worldOf({ errorShare: 0.01, bursts }, half, 9), minutes(4000));
    return counts.map(({ errors, requests }) =>
      errors.map((each, minute) => each / requests[minute]!).slice(1, -1),
    );
  };
  const [blue, green] = shares({ dispersion: 0.01, persistence: 0.5 });
  const mean = sum(blue!) / blue!.length;
  const variance = sum(blue!.map((share) => (share - mean) ** 2)) / blue!.length;
  const requests = 30_000;
  expect(mean).toBeCloseTo(0.01, 2);
  const expected = ((0.01 * 0.99) / requests) * (1 + (requests - 1) * 0.01);
  expect(Math.abs(variance / expected - 1)).toBeLessThan(0.15);
  const lagged = blue!.slice(1).map((share, minute) => [share, blue![minute]!] as const);
  expect(Math.abs(correlation(lagged) - 0.5)).toBeLessThan(0.07);
  expect(Math.abs(correlation(blue!.map((share, minute) => [share, green![minute]!] as const)))).toBeLessThan(
    0.1,
  );
  const [one, other] = shares({ dispersion: 0.01, shared: true });
  expect(correlation(one!.map((share, minute) => [share, other![minute]!] as const))).toBeGreaterThan(0.95);
});

describe('metrics', () => {
  test('show a minute when it is over and the delay has passed', () => {
    const world = worldOf({ metrics: { delay: '90s' } });
    const boundary = world.traffic.startOf(3);
    after(world, minutes(10));
    expect(world.source.shownUntil(boundary + 90_000 - 1)).toBe(2);
    expect(world.source.shownUntil(boundary + 90_000)).toBe(3);
    expect(world.source.shownUntil(world.startedAt)).toBe(0);
    expect(world.source.sums(0, 1, 3).requests).toBe(sum(world.traffic.counts[0]!.requests.slice(1, 3)));
  });

  test('the first whole minute after a write leaves out the one that was under way', () => {
    const world = worldOf({});
    expect(world.source.firstWhole(world.traffic.startOf(2))).toBe(2);
    expect(world.source.firstWhole(world.traffic.startOf(2) + 1)).toBe(3);
  });

  test('minutes that are missing count for nothing', () => {
    const world = worldOf({ metrics: { missing: 0.3 } });
    after(world, minutes(1000));
    const { minutes: there, requests } = world.source.sums(0, 0, 1000);
    expect(there / 700).toBeCloseTo(1, 1);
    expect(requests / (there * 30_000)).toBeCloseTo(1, 1);
  });

  test('a source fails a share of the time, in spells', () => {
    const world = worldOf({ metrics: { failing: { share: 0.4, lasts: '20s', from: '1m', until: '100h' } } });
    const fails = (seconds: number) => world.source.fails(world.startedAt + seconds * 1000);
    expect(Array.from({ length: 60 }, (_, second) => fails(second))).not.toContain(true);
    const spells = Array.from({ length: 3000 }, (_, spell) =>
      [0, 19].map((second) => fails(60 + spell * 20 + second)),
    );
    expect(spells.every(([start, end]) => start === end)).toBe(true);
    expect(spells.filter(([start]) => start).length / 3000).toBeCloseTo(0.4, 1);
    expect(fails(100 * 3600)).toBe(false);
  });
});

test('somebody else writes weights at their time', () => {
  const world = worldOf({ router: { foreignWrite: { at: '2m', weights: { blue: 100 } } } });
  after(world, minutes(2) - 1);
  expect(world.weights).toEqual(half);
  const { requests } = world.traffic.counts[1]!;
  after(world, minutes(5));
  expect(world.weights).toEqual({ blue: 100 });
  expect(sum(requests) / 60_000).toBeCloseTo(1, 1);
});

test('a shift has a history, in which nothing is counted as exposed', () => {
  const world = worldOf({ slots: { green: { errorShare: 1 } } }, half, 1, 30);
  expect(world.traffic.minuteOf(world.startedAt)).toBe(30);
  expect(sum(world.traffic.counts[0]!.requests) / 900_000).toBeCloseTo(1, 1);
  expect(world.traffic.exposure.requests).toBe(0);
  expect(world.traffic.total.requests).toBe(0);
});
