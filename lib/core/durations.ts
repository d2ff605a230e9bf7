const millisecondsOf: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Go counts durations in nanoseconds, as signed integers of 64 bits. */
const longestMilliseconds = 2 ** 63 / 1e6;

/** No digit can belong to two parts of it: texts of any length are read in one go. Both letters that look like µ count. */
const term = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/**
 * The milliseconds of a duration as Go writes it, without a sign: `2160h`, `1h30m`, `1.5s`. The longest unit is the
 * hour.
 *
 * @returns undefined for any other text, and for a duration that Go can't hold (over 292 years)
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') {
    return 0;
  }
  let [at, milliseconds] = [0, 0];
  do {
    term.lastIndex = at;
    const [one, amount, unit] = term.exec(text) ?? [];
    if (one === undefined) {
      return undefined;
    }
    milliseconds += Number(amount) * millisecondsOf[unit!]!;
    at += one.length;
  } while (at < text.length);
  return milliseconds < longestMilliseconds ? milliseconds : undefined;
}

/**
 * A duration as Go reads it, with the units that are needed and no others: `2160h`, `1h30m`, `0s`.
 *
 * @param milliseconds a whole number, zero or more
 * @throws RangeError for any other number
 */
export function formatDuration(milliseconds: number): string {
  if (!Number.isSafeInteger(milliseconds) || milliseconds < 0) {
    throw new RangeError(`a duration must be a whole number of milliseconds, zero or more: ${milliseconds}`);
  }
  let rest = milliseconds;
  let text = '';
  for (const unit of ['h', 'm', 's', 'ms']) {
    const whole = Math.floor(rest / millisecondsOf[unit]!);
    rest -= whole * millisecondsOf[unit]!;
    text += whole > 0 ? `${whole}${unit}` : '';
  }
  return text || '0s';
}
