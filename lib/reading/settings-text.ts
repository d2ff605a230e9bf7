import type { Pair, YAMLMap } from 'yaml';
import { isScalar } from 'yaml';
import { InvalidInput } from '../problems';

/** Files of settings have some kilobytes; what is wrong in them is looked up in all of the file. In characters. */
const longest = 250_000;

/**
 * Refuses a file of settings that is longer than any that somebody writes.
 *
 * @throws InvalidInput where it has more than 250,000 characters
 */
export function checkLength(text: string, file: string): void {
  if (text.length > longest) {
    const allowed = `a file of at most ${longest} characters; it has ${text.length}`;
    throw new InvalidInput(file, [{ path: file, allowed }]);
  }
}

const pairs = new WeakMap<object, ReadonlyMap<string, Pair>>();

/** The pair of a map by its key, as text. Many are looked up in one map, one for every problem of a file. */
export function pairOf(map: YAMLMap, key: string): Pair | undefined {
  let known = pairs.get(map);
  if (known === undefined) {
    // Of a key that stands twice, the first one.
    known = new Map(
      map.items
        .filter((item) => isScalar(item.key))
        .map((item): [string, Pair] => [String((item.key as { value: unknown }).value), item])
        .reverse(),
    );
    pairs.set(map, known);
  }
  return known.get(key);
}
