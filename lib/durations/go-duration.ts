import type { Rule } from '../problems';

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

const term = String.raw`(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)`;

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
  if (!new RegExp(`^(?:${term})+$`).test(text)) {
    return undefined;
  }
  let milliseconds = 0;
  for (const [one] of text.matchAll(new RegExp(term, 'g'))) {
    const [amount = ''] = /^[\d.]+/.exec(one) ?? [];
    milliseconds += Number(amount) * millisecondsOf[one.slice(amount.length)]!;
  }
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

/** A duration as Go writes it. */
export const goDuration: Rule = {
  allowed: 'a duration such as "2160h" or "1h30m": numbers with the units h, m, s, ms, us or ns',
  accepts: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
};
