import { knownKeys } from './known-keys';
import { InvalidInput, Problems, isPlainObject, laterValue } from './problems';
import type { Problem, PlainObject } from './problems';

/**
 * What an option holds:
 *
 * - `plain`: what the program knows when it runs; an Output is refused, at any depth
 * - `list`: a list of such values
 * - `open`: whatever its type allows: an `Input`, a resource, a function, data of a form of its own
 * - the keys of options within it
 * - `listOf`: a list of such options
 * - `mapOf`: such options by names of the user's own
 * - `byKind`: such options, with other keys for each value of `kind`
 * - `textOr`: such options, or a text or number in their place
 */
export type Option = 'plain' | 'list' | 'open' | OptionKeys | ListOf | MapOf | ByKind | TextOr;

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

type Has<V, Part> = [Extract<V, Part>] extends [never] ? false : true;

type ItemOf<V> = V extends readonly (infer Item)[] ? Item : never;

type NamedOf<V> = V extends Readonly<Record<string, infer Each>> ? Each : never;

type IsList<V> = [Exclude<V, undefined | readonly unknown[]>] extends [never] ? true : false;

/** Types that leave no choice: plain values are plain, lists are lists, and where an Output or a function may be it is open. */
type OptionOf<V> = [MoreThanPlain<V>] extends [never]
  ? IsList<V> extends true
    ? 'list'
    : 'plain'
  : Has<MoreThanPlain<V>, { apply: unknown }> extends true
    ? 'open'
    : IsList<V> extends true
      ? ListOf<OptionOf<ItemOf<V>>> | 'list'
      : Has<V, string | number> extends true
        ? TextOr<OptionsOf<Extract<V, object>>> | 'plain' | 'open'
        : OptionsOf<Extract<V, object>> | MapOf<OptionOf<NamedOf<V>>> | ByKind | 'plain' | 'open';

type KeyOf<T> = T extends unknown ? keyof T : never;

type ValueOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** Keys of a type of options: one that is missing, and one that is too many, does not compile. */
export type OptionsOf<T> = { readonly [K in KeyOf<T> & string]: OptionOf<ValueOf<T, K>> };

/** A list of options. */
class ListOf<Each = Option> {
  public constructor(public readonly each: Each) {}
}

/** A list of options. */
export function listOf<Each extends Option>(each: Each): ListOf<Each> {
  return new ListOf(each);
}

/** Options, or a text or number. */
class TextOr<Keys = OptionKeys> {
  public constructor(public readonly option: Keys) {}
}

/** Options, or a text or number in their place. */
export function textOr<Keys extends OptionKeys>(option: Keys): TextOr<Keys> {
  return new TextOr(option);
}

/** Options by names of the user's own. */
class MapOf<Each = Option> {
  public constructor(public readonly each: Each) {}
}

/** Options by names of the user's own. */
export function mapOf<Each extends Option>(each: Each): MapOf<Each> {
  return new MapOf(each);
}

/** Options of several kinds. */
class ByKind {
  public constructor(private readonly kinds: Readonly<Record<string, OptionKeys>>) {}

  /** Of a kind that is none, which another rule refuses, the keys of all. */
  public keysOf({ kind }: PlainObject): OptionKeys {
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
  if (options !== undefined && !isPlainObject(options) && laterValue(options) === undefined) {
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
  if (option === 'open' || value === undefined) {
    return;
  }
  if (
    (option === 'plain' || option === 'list') &&
    typeof value === 'object' &&
    laterValue(value) === undefined
  ) {
    if (seen.has(value)) {
      return;
    }
    seen.add(value);
  }
  if (laterValue(value) !== undefined) {
    problems.add(path === '' ? 'options' : path, value, 'a plain value');
  } else if (option instanceof TextOr) {
    check(search, path, value, isText(value) ? 'plain' : option.option);
  } else {
    const shape = path === '' ? undefined : shapeInPlaceOf(value, option);
    if (shape !== undefined) {
      // It may be a key or a password.
      problems.addSecret(path, shape);
    } else if (Array.isArray(value)) {
      const each = option instanceof ListOf ? option.each : 'plain';
      value.forEach((item, index) => check(search, `${path}[${index}]`, item, each));
    } else if (isOptions(value)) {
      checkEntries(search, path, value, option);
    }
  }
}

/**
 * What must be there in place of a value of another shape: a list, an object. Booleans in place of an object switch it on or
 * off, or are refused where they do not.
 */
function shapeInPlaceOf(value: unknown, option: Exclude<Option, 'open' | TextOr>): string | undefined {
  if (option === 'plain') {
    return undefined;
  }
  const isList = option === 'list' || option instanceof ListOf;
  const fits = isList ? Array.isArray(value) : isPlainObject(value) || typeof value === 'boolean';
  if (fits) {
    return undefined;
  }
  return `${wantedIn(option)}, and not ${shapeOf(value)}`;
}

function wantedIn(option: Exclude<Option, 'open' | 'plain'>): string {
  if (option === 'list' || option instanceof ListOf) {
    return 'a list';
  }
  if (option instanceof MapOf) {
    return 'an object, with a name for each';
  }
  const keys =
    option instanceof ByKind ? option.keysOf({}) : option instanceof TextOr ? option.option : option;
  return `an object with ${Object.keys(keys).join(', ')}`;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function shapeOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  return typeof value === 'object' ? 'an object' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
}

function checkEntries(
  search: Search,
  path: string,
  value: PlainObject,
  option: Exclude<Option, 'open' | TextOr>,
): void {
  const { problems } = search;
  const keys = option instanceof ByKind ? option.keysOf(value) : option;
  const isByName = keys === 'plain' || keys === 'list' || keys instanceof ListOf || keys instanceof MapOf;
  const known = isByName ? value : knownKeys(problems, path, value, Object.keys(keys));
  for (const [key, each] of Object.entries(known)) {
    if (laterValue(key) !== undefined) {
      problems.add(`${path}: a key`, key, 'a plain value');
    } else {
      const within = isByName ? (keys instanceof MapOf ? keys.each : 'plain') : keys[key]!;
      const at = path === '' ? key : `${path}.${key}`;
      if (each === undefined && keys instanceof MapOf && typeof within === 'object') {
        // A name of the user's own is no key that there could be with nothing to say.
        problems.addSecret(at, `${wantedIn(within)}, and not nothing`);
      }
      check(search, at, each, within);
    }
  }
}

/** Resources, constructs and other instances of classes have keys of their own. */
function isOptions(value: unknown): value is PlainObject {
  if (!isPlainObject(value)) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
