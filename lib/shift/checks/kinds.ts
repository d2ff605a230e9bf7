import { nearKey } from '../../core/validation/near-key';
import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';
import { placedBelow, problemsOf } from '../../core/validation/schema';
import type { JsonSchema, PlacedProblem } from '../../core/validation/schema';
import type { ShiftSubject } from '../engine';
import type { CheckKind, LaterArgs, CommonCheckArgs } from './check-kind';
import * as registered from './registry';

/** Kinds by names, and sources of several kinds. */
interface CheckSources {
  readonly [name: string]: AnyNamedKind | CheckSources;
}

interface AnyNamedKind {
  readonly word: string;
  readonly kind: object;
}

/** A kind of check, whatever its settings are. */
export type AnyCheckKind = CheckKind<CommonCheckArgs>;

/**
 * The kinds of a registry by their words, in the order of the alphabet; those of a source in its own.
 *
 * @throws Error where a word is not the path to its kind: `datadog.query`
 */
export function kindsIn(sources: CheckSources, before = ''): Readonly<Record<string, AnyCheckKind>> {
  // Compilers differ in the order of a module's exports.
  const names = before === '' ? Object.keys(sources).sort() : Object.keys(sources);
  const found = names.map((name) => {
    const each = sources[name]!;
    const path = `${before}${name}`;
    if (!isKind(each)) {
      return kindsIn(each, `${path}.`);
    }
    if (each.word !== path) {
      throw new Error(`the kind of check "${each.word}" is registered as "${path}"`);
    }
    return { [path]: each.kind as AnyCheckKind };
  });
  return Object.assign({}, ...found) as Readonly<Record<string, AnyCheckKind>>;
}

function isKind(each: CheckSources[string]): each is AnyNamedKind {
  return 'word' in each && 'kind' in each;
}

type NamedIn<Sources> = Sources extends { readonly word: string; readonly kind: unknown }
  ? Sources
  : { [Name in keyof Sources]: NamedIn<Sources[Name]> }[keyof Sources];

type ArgsOf<Each> = Each extends { readonly kind: CheckKind<infer Args> } ? Args : never;

type WordOf<Each> = Each extends { readonly word: infer Word extends string } ? Word : never;

/** What each kind of a registry takes, by its word. */
export type ArgumentsIn<Sources> = {
  readonly [Each in NamedIn<Sources> as WordOf<Each>]: ArgsOf<Each>;
};

/** What each kind of check takes, by its word: `CheckArguments['datadog.query']`. */
export type CheckArguments = ArgumentsIn<typeof registered>;

interface ForCanaries {
  readonly kind: { readonly canaryTimes: object };
}

/** Words of the kinds that canaries of applications can be evaluated by, too. */
export type MetricWord = WordOf<Extract<NamedIn<typeof registered>, ForCanaries>>;

/** The settings of one kind of check. */
export type CheckSettingsOf<Word extends keyof CheckArguments> = {
  readonly [Key in Word]: CheckArguments[Word];
};

/**
 * One check of a plan: an object with exactly one key, the kind. The same in a plan file and in a program, where
 * `checks.cloudWatch.errorShare({ max: 0.01 })` makes one.
 *
 * @example
 * { 'cloudWatch.errorShare': { max: 0.01, minRequests: 200 } }
 */
export type CheckSettings = { [Word in keyof CheckArguments]: CheckSettingsOf<Word> }[keyof CheckArguments];

/** What a kind of check takes, with values that are known later at any depth. */
export type DeferredArguments<Word extends keyof CheckArguments> = LaterArgs<CheckArguments[Word]>;

/** One check of a program, in which values stand that are known later. */
export type DeferredCheckSettings = {
  [Word in keyof CheckArguments]: { readonly [Key in Word]: DeferredArguments<Word> };
}[keyof CheckArguments];

/** Every kind of check, by its word. */
export const checkKinds = kindsIn(registered) as {
  readonly [Word in keyof CheckArguments]: CheckKind<CheckArguments[Word]>;
};

/** The kind of that word, of any settings; undefined for a word that is none. */
export function kindOf(word: string): AnyCheckKind | undefined {
  return Object.hasOwn(checkKinds, word)
    ? (checkKinds as unknown as Readonly<Record<string, AnyCheckKind>>)[word]
    : undefined;
}

/** What is allowed in the place of a word that is none, with those that it may stand for. */
export function allowedWords(given: string): string {
  const words = Object.keys(checkKinds);
  const longer = words.filter((word) => word.endsWith(`.${given}`));
  const near = longer.length > 0 ? undefined : nearKey(given, words);
  const meant = near === undefined ? longer : [near];
  const hint = meant.map((word) => `"${word}"`).join(' or ');
  return `one of ${words.join(', ')}${hint && ` (is ${hint} meant?)`}`;
}

/** One check of a plan as it was read: `- targetHealth:` of a YAML file has no settings. */
export interface ReadCheckSettings {
  /** Its only key. */
  readonly word: string;
  /** Its settings; undefined where they are no object. */
  readonly args: PlainObject | undefined;
}

/** Reads a check of a plan; undefined for what has not exactly one key. */
export function readCheckSettings(settings: unknown): ReadCheckSettings | undefined {
  const [entry, ...others] = isPlainObject(settings) ? Object.entries(settings) : [];
  if (entry === undefined || others.length > 0) {
    return undefined;
  }
  const args = entry[1] ?? {};
  return { word: entry[0], args: isPlainObject(args) ? args : undefined };
}

/** Everything that is wrong with the settings of a kind; paths are those within the settings: `max`. */
export function settingsProblems(
  kind: AnyCheckKind,
  args: PlainObject,
  subject: ShiftSubject,
): readonly PlacedProblem[] {
  const own = problemsOf(kind.args, args);
  return [...own, ...placedBelow([], kind.problems?.(args, subject) ?? [])].map(withoutKeys);
}

/** An address with a login, a query or a fragment is not shown: people put passwords and keys there. */
function withoutKeys(problem: PlacedProblem): PlacedProblem {
  const { value, ...hidden } = problem;
  const at = typeof value === 'string' ? value.indexOf('//') : -1;
  return at >= 0 && /[@?#]/.test((value as string).slice(at)) ? hidden : problem;
}

/** What a plan file may not have in a check, each with what it has instead. */
export function programOnlyProblems(settings: unknown): readonly PlacedProblem[] {
  const { word = '', args = {} } = readCheckSettings(settings) ?? {};
  const only: Readonly<Record<string, string>> = kindOf(word)?.programOnly ?? {};
  return Object.entries(only)
    .filter(([key]) => args[key] !== undefined)
    .map(([key, allowed]) => ({ path: `${word}.${key}`, allowed, steps: [word, key] }));
}

/** A check of a plan as a JSON Schema: exactly one kind, without what a plan file may not have. */
export function checkJson(kinds: Readonly<Record<string, AnyCheckKind>>): JsonSchema {
  const settings = Object.entries(kinds).map(([word, { asks, args, programOnly = {} }]) => {
    const { properties = {}, ...rest } = args.json;
    const inPlans = Object.entries(properties).filter(([key]) => !Object.hasOwn(programOnly, key));
    const json = { description: asks, ...rest, properties: Object.fromEntries(inPlans) };
    // `- targetHealth:` of a YAML file is null.
    const mayBeNull = problemsOf(args, {}).length === 0;
    return [word, mayBeNull ? { anyOf: [json, { type: 'null' }] } : json];
  });
  return {
    description: 'Exactly one kind of check, with its settings.',
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: Object.fromEntries(settings) as JsonSchema['properties'] & object,
  };
}
