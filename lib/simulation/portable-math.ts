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
