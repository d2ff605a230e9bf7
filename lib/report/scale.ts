const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const timeSteps = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((amount) => amount * second),
  ...[1, 2, 5, 10, 15, 30].map((amount) => amount * minute),
  ...[1, 2, 3, 6, 12, 24].map((amount) => amount * hour),
];

/** Places on a time axis from 0, at most `most` of them beside the first. */
export function timeTicks(span: number, most: number): readonly number[] {
  const day = 24 * hour;
  const step =
    timeSteps.find((each) => span / each <= most) ?? day * Math.ceil(span / day / Math.max(1, most));
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}

/** What is smaller has no power of ten left that is a number, and is nothing on any axis. */
const least = 1e-300;

/** The smallest 1, 2, 2.5 or 5 times a power of ten that is not below the value. */
export function niceCeiling(value: number): number {
  if (!(value >= least) || !Number.isFinite(value)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= value * (1 - 1e-9))!;
  return factor * power;
}

/** Moves labels apart that would overlap, and keeps them between two ends where there is room. */
export function spread(
  wanted: readonly number[],
  distance: number,
  least: number,
  most: number,
): readonly number[] {
  const order = wanted.map((_, index) => index).sort((one, other) => wanted[one]! - wanted[other]!);
  const placed = [...wanted];
  let floor = least;
  for (const index of order) {
    placed[index] = Math.max(placed[index]!, floor);
    floor = placed[index] + distance;
  }
  let ceiling = most;
  for (const index of order.reverse()) {
    placed[index] = Math.min(placed[index]!, ceiling);
    ceiling = placed[index] - distance;
  }
  return placed;
}

/** A coordinate, short: a tenth of a pixel is not seen. */
export function pixel(value: number): string {
  return String(Math.round(value * 10) / 10);
}
