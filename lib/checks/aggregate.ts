import type { Rule } from '../problems';
import { oneOf } from '../problems';

/** How the points of a series become one value. */
export type Aggregate = 'last' | 'avg' | 'sum' | 'max' | 'min';

export const aggregateRule: Rule = oneOf('last', 'avg', 'sum', 'max', 'min');

/** A point of a series: when, in milliseconds since 1970, and a value, or none. */
export type Point = readonly [at: number, value: number | null];

/** The value of a series; points without a value don't count. NaN, which is no figure, where none has one. */
export function aggregate(points: readonly Point[], how: Aggregate): number {
  const known = points.flatMap(([at, value]) =>
    value === null || Number.isNaN(value) ? [] : [{ at, value }],
  );
  if (known.length === 0) {
    return NaN;
  }
  const values = known.map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  switch (how) {
    case 'last':
      return known.reduce((newest, point) => (point.at >= newest.at ? point : newest)).value;
    case 'avg':
      return sum / values.length;
    case 'sum':
      return sum;
    case 'max':
      return Math.max(...values);
    case 'min':
      return Math.min(...values);
  }
}

/**
 * A value for each series, NaN for one of several that has no figure; none at all where no series has a point with a
 * value, which is silence.
 */
export function aggregateAll(series: readonly (readonly Point[])[], how: Aggregate): readonly number[] {
  const isSilent = series.every((points) => points.every(([, value]) => value === null));
  return isSilent ? [] : series.map((points) => aggregate(points, how));
}
