import type { State } from 'js-yaml';
import { stepsOf } from '../json-pointer';
import { parseYaml } from './parse-yaml';

/** A value of a document, where it begins, and what was read inside of it, in the order of the text. */
interface Place {
  /** From 0. */
  readonly line: number;
  readonly inside: Place[];
  value: unknown;
}

/** Finds lines in one document. */
export interface Locator {
  /**
   * Line of what a JSON pointer names, from 0, or of the nearest value around it that is there. A value in a map begins
   * with its key.
   */
  lineOf(pointer: string): number;
}

/**
 * Reads a document again, this time with positions. It takes some times as long as without.
 *
 * @throws YAMLException where it is no YAML
 */
export function locate(text: string): Locator {
  const root: Place = { line: 0, inside: [], value: undefined };
  const open: Place[] = [root];
  const listener = (event: 'open' | 'close', state: State): void => {
    if (event === 'open') {
      const place: Place = { line: state.line, inside: [], value: undefined };
      open.at(-1)!.inside.push(place);
      open.push(place);
    } else if (open.length > 1) {
      open.pop()!.value = state.result;
    }
  };
  // JSON may be indented with tabs, which YAML refuses; a text in it never goes over a line.
  const readable = text.startsWith('{') ? text.replace(/^\t+/gm, (tabs) => ' '.repeat(tabs.length)) : text;
  root.value = parseYaml(readable, { repeatedKeys: true, listener });
  return { lineOf: (pointer) => lineOf(root, stepsOf(pointer)) };
}

function lineOf(root: Place, steps: readonly string[]): number {
  const document = root.inside.at(-1);
  if (document === undefined) {
    return 0;
  }
  let place = document;
  let line = firstLine(document);
  for (const step of steps) {
    const found = stepInto(place, step);
    if (found === undefined) {
      break;
    }
    ({ line, place } = found);
  }
  return line;
}

/** A map begins where its first key does, which is behind its anchor or tag. */
function firstLine(place: Place): number {
  return place.inside[0]?.line ?? place.line;
}

/**
 * The parser tells of values and not of pairs, and it may have taken a scalar for the beginning of a map before. So a pair
 * is taken for one only where both its values are those that the map has.
 */
function stepInto(place: Place, step: string): { line: number; place: Place } | undefined {
  const { inside, value } = unwrapped(place);
  if (Array.isArray(value)) {
    const wanted: unknown = value[Number(step)];
    const item = inside[inside.length - value.length + Number(step)];
    return item !== undefined && Object.is(item.value, wanted) ? { line: item.line, place: item } : undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
    return undefined;
  }
  const wanted = (value as Readonly<Record<string, unknown>>)[step];
  // Of a key that stands twice the last one counts.
  const found = positionsOf(inside).get(step) ?? [];
  for (let last = found.length - 1; last >= 0; last -= 1) {
    const [key, place] = [inside[found[last]!]!, inside[found[last]! + 1]!];
    if (Object.is(place.value, wanted)) {
      return { line: key.line, place };
    }
  }
  return undefined;
}

const positions = new WeakMap<readonly Place[], ReadonlyMap<string, readonly number[]>>();

/** Where each text is that may be a key. Made once: a map of many keys may have a finding at every one of them. */
function positionsOf(inside: readonly Place[]): ReadonlyMap<string, readonly number[]> {
  let found = positions.get(inside) as Map<string, number[]> | undefined;
  if (found === undefined) {
    found = new Map();
    for (let position = 0; position < inside.length - 1; position += 1) {
      const { value } = inside[position]!;
      // Keys of other kinds become a text in the value that was read, as they do here.
      const name = typeof value === 'object' && value !== null ? '[object Object]' : String(value);
      const known = found.get(name);
      if (known) {
        known.push(position);
      } else {
        found.set(name, [position]);
      }
    }
    positions.set(inside, found);
  }
  return found;
}

/** A map or list in braces is first taken for the key of a map: then it stands in itself. */
function unwrapped(place: Place): Place {
  const inner = place.inside.at(-1);
  return inner !== undefined && typeof inner.value === 'object' && inner.value === place.value
    ? unwrapped(inner)
    : place;
}
