import type { Problem } from './invalid-input';
import { InvalidInput } from './invalid-input';
import { knownKeys } from './known-keys';
import { laterValue } from './later-value';
import type { Untyped } from './mapping';
import { isMapping } from './mapping';
import { Problems } from './problems';

/**
 * What an option holds:
 *
 * - `plain`: what the program knows when it runs; an Output is refused, at any depth
 * - `open`: whatever its type allows: an `Input`, a resource, a function, data of a form of its own
 * - the keys of options within it, or within each item of its list
 * - `mapOf`: the same, by names of the user's own
 * - `byKind`: the same, with other keys for each value of `kind`
 */
export type Option = 'plain' | 'open' | OptionKeys | MapOf | ByKind;

/** The keys of an options object, each with what it holds. */
export interface OptionKeys {
  readonly [key: string]: Option;
}

type Scalar = string | number | boolean | null | undefined;

/** What of a type is more than plain values and lists and maps of them. */
type MoreThanPlain<V> = V extends Scalar | readonly Scalar[]
  ? never
  : string extends keyof V
    ? V[keyof V] extends Scalar
      ? never
      : V
    : V;

/** Types that leave no choice: plain values are plain, and where an Output or a function may be it is open. */
type OptionOf<V> = [MoreThanPlain<V>] extends [never]
  ? 'plain'
  : [Extract<MoreThanPlain<V>, { apply: unknown }>] extends [never]
    ? Option
    : 'open';

type KeyOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** Keys of a type of options: one that is missing, and one that is too many, does not compile. */
export type OptionsOf<T> = { readonly [K in KeyOf<T> & string]: OptionOf<ValueOf<T, K>> };

/** Options by names of the user's own. */
class MapOf {
  public constructor(public readonly each: Option) {}
}

/** Options by names of the user's own. */
export function mapOf(each: Option): MapOf {
  return new MapOf(each);
}

/** Options of several kinds. */
class ByKind {
  public constructor(private readonly kinds: Readonly<Record<string, OptionKeys>>) {}

  /** Of a kind that is none, which another rule refuses, the keys of all. */
  public keysOf({ kind }: Untyped): OptionKeys {
    const known = typeof kind === 'string' && Object.hasOwn(this.kinds, kind);
    const all = known ? [this.kinds[kind]] : Object.values(this.kinds);
    return Object.assign({ kind: 'plain' }, ...all) as OptionKeys;
  }
}

/** Options of several kinds, told by the key `kind`, with the keys that each has beside it. */
export function byKind(kinds: Readonly<Record<string, OptionKeys>>): ByKind {
  return new ByKind(kinds);
}

/**
 * Refuses keys that there are not, and Outputs where plain values are needed. The other rules come after it: what they would
 * say follows from a misspelled key, and they take plain values for granted.
 *
 * @param subject whose options they are, for the error's first line: `ClusterFleet "apps"`
 * @returns the options
 * @throws InvalidInput with all of them
 */
export function refuseOptions<T>(subject: string, options: T, keys: OptionKeys): T {
  const problems = optionKeyProblems(options, keys);
  if (problems.length > 0) {
    throw new InvalidInput(subject, problems);
  }
  return options;
}

/** Keys that there are not, and Outputs where plain values are needed, in options and in the options within them. */
export function optionKeyProblems(options: unknown, keys: OptionKeys): readonly Problem[] {
  const problems = new Problems('options');
  if (options !== undefined && !isMapping(options) && laterValue(options) === undefined) {
    problems.add('options', options, `an object with ${Object.keys(keys).join(', ')}`);
    return problems.all;
  }
  check({ problems, seen: new Set() }, '', options, keys);
  return problems.all;
}

interface Search {
  readonly problems: Problems;
  /** Plain values that were looked through: one may contain itself, or stand in many places. */
  readonly seen: Set<unknown>;
}

function check(search: Search, path: string, value: unknown, option: Option): void {
  const { problems, seen } = search;
  if (option === 'open') {
    return;
  }
  if (laterValue(value) !== undefined) {
    problems.add(path === '' ? 'options' : path, value, 'a plain value');
    return;
  }
  if (option === 'plain' && typeof value === 'object') {
    if (seen.has(value)) {
      return;
    }
    seen.add(value);
  }
  if (value === null && option !== 'plain') {
    problems.add(path, value, objectWith(option));
  } else if (Array.isArray(value)) {
    value.forEach((each, index) => check(search, `${path}[${index}]`, each, option));
  } else if (isPlainObject(value)) {
    checkEntries(search, path, value, option);
  }
}

function checkEntries(search: Search, path: string, value: Untyped, option: Exclude<Option, 'open'>): void {
  const { problems } = search;
  const keys = option instanceof ByKind ? option.keysOf(value) : option;
  const isByName = keys === 'plain' || keys instanceof MapOf;
  const known = isByName ? value : knownKeys(problems, path, value, Object.keys(keys));
  for (const [key, each] of Object.entries(known)) {
    if (laterValue(key) !== undefined) {
      problems.add(`${path}: a key`, key, 'a plain value');
    } else {
      const within = keys === 'plain' ? keys : keys instanceof MapOf ? keys.each : keys[key]!;
      if (each === undefined && keys instanceof MapOf && typeof within === 'object') {
        // A name of the user's own is no key that there could be with nothing to say.
        problems.add(`${path}.${key}`, each, objectWith(within));
      }
      check(search, path === '' ? key : `${path}.${key}`, each, within);
    }
  }
}

function objectWith(option: Exclude<Option, 'open' | 'plain'>): string {
  if (option instanceof MapOf) {
    return "an object with names of one's own, or left out";
  }
  const keys = option instanceof ByKind ? option.keysOf({}) : option;
  return `an object with ${Object.keys(keys).join(', ')}, or left out`;
}

/** Resources, constructs and other instances of classes have keys of their own. */
function isPlainObject(value: unknown): value is Untyped {
  if (!isMapping(value)) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
