import type { Random } from '../../core/random';

/**
 * Logarithm and exponential from additions and divisions alone.
 *
 * ECMAScript leaves the last digits of `Math.log` and `Math.exp` to the engine; addition, multiplication, division and
 * square root it fixes by IEEE 754. A simulation made of these gives the same result in every version of Node.js.
 *
 * @see https://tc39.es/ecma262/#sec-function-properties-of-the-math-object
 */

const ln2 = 0.6931471805599453;

/** The upper bits of `ln2`, so that their product with a small whole number is exact, and what is left of it. */
const ln2High = 0.69314718036912381649;

const ln2Low = 1.90821492927058770002e-10;

const half = new Float64Array(1);

const bits = new Uint32Array(half.buffer);

const highWord = new Uint32Array(new Float64Array([1]).buffer)[0] === 0 ? 1 : 0;

/** Natural logarithm of a normal number above 0. */
export function ln(x: number): number {
  half[0] = x;
  let exponent = (bits[highWord]! >>> 20) - 1023;
  bits[highWord] = (bits[highWord]! & 0x000fffff) | 0x3ff00000;
  let mantissa = half[0];
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent += 1;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)), by its series.
  const s = (mantissa - 1) / (mantissa + 1);
  const square = s * s;
  let sum = 0;
  for (let divisor = 21; divisor >= 3; divisor -= 2) {
    sum = (sum + 1 / divisor) * square;
  }
  return exponent * ln2High + (2 * s * (1 + sum) + exponent * ln2Low);
}

/** e to the power of `x`; 0 below -700, where the result would be no normal number any more. */
export function exp(x: number): number {
  if (x < -700) {
    return 0;
  }
  const exponent = Math.round(x / ln2);
  const rest = x - exponent * ln2High - exponent * ln2Low;
  let sum = 1;
  for (let divisor = 14; divisor >= 1; divisor -= 1) {
    sum = 1 + (sum * rest) / divisor;
  }
  half[0] = 1;
  bits[highWord] = (exponent + 1023) << 20;
  return sum * half[0];
}

/** `base` to a whole power, zero or more. */
export function wholePower(base: number, power: number): number {
  let result = 1;
  for (let factor = base, rest = power; rest > 0; factor *= factor, rest = Math.floor(rest / 2)) {
    result *= rest % 2 === 1 ? factor : 1;
  }
  return result;
}

const halfLnTwoPi = 0.9189385332046728;

/** Where the asymptotic series is not exact enough. */
const smallFactorials: readonly number[] = [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880].map((each) =>
  ln(each),
);

/** Logarithm of the factorial of a whole number, zero or more, by Stirling's series. */
export function lnFactorial(n: number): number {
  if (n < smallFactorials.length) {
    return smallFactorials[n]!;
  }
  const square = n * n;
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / n;
  return halfLnTwoPi + (n + 0.5) * ln(n) - n + series;
}

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
