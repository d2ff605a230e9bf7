import { InvalidInput } from './invalid-input';

/** Files of settings have some kilobytes; readers of YAML take a time that grows faster than the text. In characters. */
const longest = 250_000;

/** Each is looked up in the whole file. */
const mostAliases = 500;

/** Something that a reader of YAML passes over, in the form of its own errors. */
export interface SettingsFault {
  readonly pos: readonly [number, number];
  readonly code: 'DUPLICATE_KEY' | 'BAD_ALIAS';
  readonly message: string;
}

/** What a reader of YAML makes of a text, as far as it matters here. */
interface Node {
  readonly range?: readonly number[] | null;
  readonly items?: readonly unknown[];
  readonly source?: string;
  readonly value?: unknown;
}

interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

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

/**
 * Keys that stand twice in their map, and more aliases than a file of settings needs. The reader of YAML holds every key
 * against every other one: it is called with `uniqueKeys: false`, and this comes after it, in proportion to the text.
 *
 * @param contents of a document of `yaml`
 */
export function settingsFaults(contents: unknown): SettingsFault[] {
  const found: SettingsFault[] = [];
  const add = (node: Node | null | undefined, code: SettingsFault['code'], message: string): void => {
    found.push({ pos: [node?.range?.[0] ?? 0, node?.range?.[1] ?? 0], code, message });
  };
  let aliases = 0;
  const left: unknown[] = [contents];
  while (left.length > 0) {
    const node = left.pop() as Node | null | undefined;
    const seen = new Set<unknown>();
    for (const item of node?.items ?? []) {
      if (!isPair(item)) {
        left.push(item);
        continue;
      }
      const key = item.key as Node | null;
      if (isScalar(key)) {
        if (seen.has(key.value)) {
          add(key, 'DUPLICATE_KEY', 'Map keys must be unique');
        }
        seen.add(key.value);
      }
      left.push(item.value, item.key);
    }
    if (isAlias(node)) {
      aliases += 1;
      if (aliases === mostAliases + 1) {
        add(node, 'BAD_ALIAS', `more than ${mostAliases} aliases`);
      }
    }
  }
  return found.sort((one, other) => one.pos[0] - other.pos[0]);
}

const pairs = new WeakMap<object, ReadonlyMap<string, Pair>>();

/** The pair of a map of `yaml` by its key, as text. Many are looked up in one map, one for every problem of a file. */
export function pairOf(map: { readonly items: readonly unknown[] }, key: string): Pair | undefined {
  let known = pairs.get(map);
  if (known === undefined) {
    // Of a key that stands twice, the first one.
    known = new Map(
      map.items
        .filter((item) => isPair(item) && isScalar(item.key as Node | null))
        .map((item): [string, Pair] => [String(((item as Pair).key as Node).value), item as Pair])
        .reverse(),
    );
    pairs.set(map, known);
  }
  return known.get(key);
}

function isPair(item: unknown): item is Pair {
  return typeof item === 'object' && item !== null && 'key' in item;
}

function isScalar(node: Node | null): node is Node {
  return typeof node === 'object' && node !== null && 'value' in node;
}

/** An alias has a source, and no value. */
function isAlias(node: Node | null | undefined): boolean {
  return typeof node === 'object' && node !== null && 'source' in node && !('value' in node);
}
