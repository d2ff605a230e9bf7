import { parseDuration } from '../../../core/durations';
import { list, record } from '../../../core/validation/collections';
import { goDuration } from '../../../core/validation/formats';
import type { Schema } from '../../../core/validation/schema';
import { duration, fits, number, text } from '../../../core/validation/values';

/** A share above 0, up to 1. */
export const share = number('a share above 0, up to 1', { above: 0, max: 1 });

/** Text of any kind, on one line. */
export const line = text('text on one line', /^[^\S\r\n]*\S[^\r\n]*$/);

/** Any text with something in it. */
export const notEmpty = text('a text that is not empty', /\S/);

/** Any finite number. */
export const finiteNumber = number('a number');

/** A duration that is not zero. */
export const timeSpan = fits(
  {
    allowed: `${goDuration.allowed}, above zero`,
    accepts: (value) => typeof value === 'string' && (parseDuration(value) ?? 0) > 0,
  },
  { pattern: duration.json.pattern!.replace('^', '^(?=.*[1-9])') },
);

/** A list with at least one entry. */
export function listOf<T>(item: Schema<T>): Schema<readonly T[]> {
  return list(item, 1, `a list of at least one; each ${item.allowed}`);
}

/** An object by names of the user's own. */
export function mapOf<T>(value: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return record(value, text('a text'), `an object; each value ${value.allowed}`);
}
