/** Middle, least and greatest of several values. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The middle value; between two, their mean. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Each value divided by the one that was measured beside it, so that what slows both down cancels out. */
export function quotients(values: readonly number[], beside: readonly number[]): number[] {
  return values.map((value, round) => value / beside[round]!);
}

/**
 * Lets contenders take turns, in the opposite order every other round.
 *
 * @returns the samples of each contender, by round
 */
export function rounds<Name extends string, Sample>(
  what: string,
  times: number,
  contenders: Readonly<Record<Name, () => Sample>>,
): Record<Name, Sample[]> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>;
  for (let round = 0; round < times; round += 1) {
    process.stderr.write(`${what}: round ${round + 1} of ${times}\n`);
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      samples[name].push(contenders[name]());
    }
  }
  return samples;
}
