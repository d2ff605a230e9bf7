import { createHash } from 'node:crypto';
import { isPlainObject } from '../../../../core/validation/problems';

/** A short name of data, the same for the same data in any order of its keys. */
export function hash(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(value)))
    .digest('hex')
    .slice(0, 10);
}

/** The same data in one order of its keys. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  if (!isPlainObject(value)) {
    return value;
  }
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, ordered(each)]));
}
