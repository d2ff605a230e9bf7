/** Of the runs in order, the one in the middle and the one that 95 of a hundred don't exceed. */
export interface Percentiles {
  /** The one in the middle. */
  readonly p50: number;
  /** The one that 95 of a hundred don't exceed. */
  readonly p95: number;
}

/** The smallest of the values that this part of them does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

export function percentiles(values: readonly number[]): Percentiles {
  return { p50: percentile(values, 0.5), p95: percentile(values, 0.95) };
}

/** `Math.max` takes its values as arguments, of which there may not be a million. */
export function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity);
}

export function lowest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity);
}
