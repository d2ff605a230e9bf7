import * as fc from 'fast-check';
import { Xoshiro128, derivedSeed } from '../../../lib/core/random';
import {
  beta,
  binomial,
  exp,
  gamma,
  ln,
  lnFactorial,
  poisson,
  wholePower,
} from '../../../lib/shift/simulation/random';

describe('portable mathematics', () => {
  const magnitude = fc.double({ min: -250, max: 250, noNaN: true });

  test('the logarithm is that of the engine, to a unit or two in the last place', () => {
    fc.assert(
      fc.property(magnitude, (power) => {
        const x = Math.exp(power);
        expect(Math.abs(ln(x) - Math.log(x))).toBeLessThanOrEqual(4e-16 * Math.max(1, Math.abs(Math.log(x))));
      }),
    );
    expect([ln(1), ln(2), ln(0.5)]).toEqual([0, Math.LN2, -Math.LN2]);
  });

  test('the exponential is that of the engine, to a unit or two in the last place', () => {
    fc.assert(fc.property(magnitude, (x) => expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(5e-16)));
    expect([exp(0), exp(-701), exp(-Infinity)]).toEqual([1, 0, 0]);
  });

  test('whole powers and factorials', () => {
    expect(wholePower(0.999, 60_000)).toBeCloseTo(Math.exp(60_000 * Math.log(0.999)), 30);
    expect([wholePower(3, 0), wholePower(3, 5)]).toEqual([1, 243]);
    let sum = 0;
    let worst = 0;
    for (let n = 1; n <= 2000; n += 1) {
      sum += Math.log(n);
      worst = Math.max(worst, Math.abs(lnFactorial(n) - sum) / Math.max(1, sum));
    }
    expect(worst).toBeLessThan(1e-12);
  });
});

describe('xoshiro128**', () => {
  test('gives the numbers of its reference implementation', () => {
    const random = new Xoshiro128([1, 2, 3, 4]);
    expect(Array.from({ length: 10 }, () => random.next())).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]);
  });

  test('is above 0 and below 1, and even', () => {
    const random = Xoshiro128.fromSeed(1);
    const bins = Array.from({ length: 16 }, () => 0);
    const values = Array.from({ length: 32_000 }, () => random.uniform());
    expect(values.every((value) => value > 0 && value < 1)).toBe(true);
    for (const value of values) {
      bins[Math.floor(value * 16)]! += 1;
    }
    // 99.9th percentile of chi-square with 15 degrees of freedom.
    expect(chiSquare(bins, () => 2000)).toBeLessThan(37.7);
  });

  test('derived seeds differ, by the part and by the seed', () => {
    const seeds = new Set<number>();
    for (let seed = 0; seed < 100; seed += 1) {
      for (let part = 0; part < 100; part += 1) {
        seeds.add(derivedSeed(seed, part));
      }
    }
    expect(seeds.size).toBeGreaterThan(9990);
  });
});

function chiSquare(observed: readonly number[], expected: (bin: number) => number): number {
  return observed.reduce((sum, count, bin) => sum + (count - expected(bin)) ** 2 / expected(bin), 0);
}

/** Chi-square of draws against exact probabilities, bins below 5 expected put together; and its 99.99th percentile. */
function goodnessOfFit(draw: () => number, lnProbability: (k: number) => number, largest: number) {
  const draws = 30_000;
  const counts = new Map<number, number>();
  for (let index = 0; index < draws; index += 1) {
    const value = draw();
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  let sum = 0;
  let bins = 0;
  let rest = { expected: draws, observed: draws };
  for (let k = 0; k <= largest; k += 1) {
    const expected = draws * Math.exp(lnProbability(k));
    if (expected >= 5) {
      const observed = counts.get(k) ?? 0;
      sum += (observed - expected) ** 2 / expected;
      bins += 1;
      rest = { expected: rest.expected - expected, observed: rest.observed - observed };
    }
  }
  sum += rest.expected >= 5 ? (rest.observed - rest.expected) ** 2 / rest.expected : 0;
  // Wilson and Hilferty's approximation.
  const freedom = bins;
  const limit = freedom * (1 - 2 / (9 * freedom) + 3.719 * Math.sqrt(2 / (9 * freedom))) ** 3;
  return { sum, limit };
}

const random = Xoshiro128.fromSeed(2);

test.each([
  [0, 0.5, 0],
  [50, 0, 0],
  [50, 1, 50],
])('binomial of %i trials with %d is %i', (n, p, k) => expect(binomial(random, n, p)).toBe(k));

test.each([
  [20, 0.3],
  [600, 0.001],
  [60, 0.4],
  [60, 0.85],
  [60_000, 0.0011],
  [60_000, 0.011],
])('binomial variates of %i trials with %d have the exact distribution', (n, p) => {
  const lnProbability = (k: number) =>
    lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k) + k * Math.log(p) + (n - k) * Math.log1p(-p);
  const { sum, limit } = goodnessOfFit(() => binomial(random, n, p), lnProbability, Math.min(n, 2000));
  expect(sum).toBeLessThan(limit);
});

test.each([0.12, 3, 9.9, 10.1, 60, 600])(
  'Poisson variates of mean %d have the exact distribution',
  (mean) => {
    const lnProbability = (k: number) => k * Math.log(mean) - mean - lnFactorial(k);
    const { sum, limit } = goodnessOfFit(() => poisson(random, mean), lnProbability, 2000);
    expect(sum).toBeLessThan(limit);
  },
);

/** Deviation of the sample's mean and second moment from the true ones, in standard errors. */
function deviations(draw: () => number, mean: number, square: number) {
  const draws = 40_000;
  const values = Array.from({ length: draws }, draw);
  const of = (sample: readonly number[], truth: number) => {
    const average = sample.reduce((sum, value) => sum + value, 0) / draws;
    const variance = sample.reduce((sum, value) => sum + (value - average) ** 2, 0) / draws;
    return Math.abs(average - truth) / Math.sqrt(variance / draws);
  };
  return Math.max(
    of(values, mean),
    of(
      values.map((value) => value * value),
      square,
    ),
  );
}

test.each([0.3, 1, 4.5, 80])('gamma variates of shape %d have its mean and variance', (shape) => {
  expect(deviations(() => gamma(random, shape), shape, shape + shape ** 2)).toBeLessThan(4);
});

test.each([
  [0.5, 499.5],
  [1, 999],
  [2, 3],
])('beta variates of %d and %d have its mean and variance', (a, b) => {
  const mean = a / (a + b);
  const square = (a * (a + 1)) / ((a + b) * (a + b + 1));
  expect(deviations(() => beta(random, a, b), mean, square)).toBeLessThan(4);
});
