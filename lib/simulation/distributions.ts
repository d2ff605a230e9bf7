import { exp, ln, lnFactorial, wholePower } from './portable-math';
import type { Random } from './random';

/** Below this mean, counting up from 0 is quicker than rejection. */
const smallMean = 10;

/**
 * How many events there were, where `mean` are expected: a Poisson variate.
 *
 * Inversion for a small mean; else PTRS, transformed rejection with squeeze, exact for every mean.
 *
 * @see https://doi.org/10.1016/0167-6687(93)90997-4 W. Hörmann, "The transformed rejection method for generating Poisson
 *   random variables", 1993
 */
export function poisson(random: Random, mean: number): number {
  if (mean < smallMean) {
    return smallPoisson(random, mean);
  }
  const b = 0.931 + 2.53 * Math.sqrt(mean);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const squeeze = 0.9277 - 3.6224 / (b - 2);
  let lnMean: number | undefined;
  for (;;) {
    const u = random.uniform() - 0.5;
    const v = random.uniform();
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) {
      return k;
    }
    if (k < 0 || (us < 0.013 && v > us)) {
      continue;
    }
    lnMean ??= ln(mean);
    if (ln((v * inverseAlpha) / (a / (us * us) + b)) <= k * lnMean - mean - lnFactorial(k)) {
      return k;
    }
  }
}

function smallPoisson(random: Random, mean: number): number {
  let rest = random.uniform();
  let probability = exp(-mean);
  let k = 0;
  while (rest > probability && probability > 0) {
    rest -= probability;
    k += 1;
    probability *= mean / k;
  }
  return k;
}

/**
 * How many of `n` trials came out, each with the probability `p`: a binomial variate.
 *
 * Inversion (BINV) for a small mean; else BTRS, transformed rejection with squeeze, exact for every `n` and `p`.
 *
 * @see https://doi.org/10.1145/42372.42381 V. Kachitvichyanukul, B. W. Schmeiser, "Binomial random variate generation", 1988
 * @see https://doi.org/10.1080/00949659308811496 W. Hörmann, "The generation of binomial random variates", 1993
 */
export function binomial(random: Random, n: number, p: number): number {
  if (p <= 0 || n === 0) {
    return 0;
  }
  if (p >= 1) {
    return n;
  }
  if (p > 0.5) {
    return n - binomial(random, n, 1 - p);
  }
  return n * p < smallMean ? smallBinomial(random, n, p) : largeBinomial(random, n, p);
}

function smallBinomial(random: Random, n: number, p: number): number {
  const odds = p / (1 - p);
  let rest = random.uniform();
  let probability = wholePower(1 - p, n);
  let k = 0;
  while (rest > probability && k < n) {
    rest -= probability;
    k += 1;
    probability *= odds * ((n + 1 - k) / k);
  }
  return k;
}

function largeBinomial(random: Random, n: number, p: number): number {
  const deviation = Math.sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const centre = n * p + 0.5;
  const squeeze = 0.92 - 4.2 / b;
  const alpha = (2.83 + 5.1 / b) * deviation;
  const mode = Math.floor((n + 1) * p);
  for (;;) {
    const u = random.uniform() - 0.5;
    const v = random.uniform();
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + centre);
    if (k < 0 || k > n) {
      continue;
    }
    if (us >= 0.07 && v <= squeeze) {
      return k;
    }
    const odds = ln(p / (1 - p));
    const bound =
      lnFactorial(mode) + lnFactorial(n - mode) - lnFactorial(k) - lnFactorial(n - k) + (k - mode) * odds;
    if (ln((v * alpha) / (a / (us * us) + b)) <= bound) {
      return k;
    }
  }
}

/** A standard normal variate, by Marsaglia's polar method. */
function normal(random: Random): number {
  for (;;) {
    const x = 2 * random.uniform() - 1;
    const y = 2 * random.uniform() - 1;
    const square = x * x + y * y;
    if (square < 1 && square > 0) {
      return x * Math.sqrt((-2 * ln(square)) / square);
    }
  }
}

/**
 * A gamma variate with scale 1.
 *
 * @see https://doi.org/10.1145/358407.358414 G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000
 */
export function gamma(random: Random, shape: number): number {
  if (shape < 1) {
    return gamma(random, shape + 1) * exp(ln(random.uniform()) / shape);
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const root = 1 + c * x;
    if (root <= 0) {
      continue;
    }
    const v = root * root * root;
    if (ln(random.uniform()) < 0.5 * x * x + d - d * v + d * ln(v)) {
      return d * v;
    }
  }
}

/** A beta variate: the share that one gamma variate has in the sum of two. */
export function beta(random: Random, alpha: number, betaShape: number): number {
  const x = gamma(random, alpha);
  const y = gamma(random, betaShape);
  return x + y > 0 ? x / (x + y) : alpha / (alpha + betaShape);
}
