import { mostCompared, nearKey } from './near-key';
import { valueAt } from './places';
import { isPlainObject, laterValue } from './problems';
import type { PlainObject } from './problems';
import {
  evaluating,
  hidden,
  issuesOf,
  kindMark,
  mapping,
  pathOf,
  raise,
  schemaOf,
  shownInPlace,
  step,
} from './schema';
import type {
  Entries,
  JsonSchema,
  OptionalSchema,
  PlacedProblem,
  Schema,
  PathSteps,
  Unevaluated,
} from './schema';
import { orNull, text } from './values';

/** In one list or mapping; nobody reads more, and each takes time on its way up. Those behind are found when these are mended. */
const mostWrong = 1_000;

/** A key that may be left out. */
export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  const all = schemaOf<T | undefined>(
    schema.allowed,
    (v) => v.optional(schema.evaluator()),
    () => schema.json,
  );
  return Object.assign(all, { isOptional: true } as const);
}

/** A key that may be left out; one without a value in YAML is null, and was left out as well. */
export function optionalOrNull<T>(schema: Schema<T>): OptionalSchema<T> {
  return optional(orNull(schema));
}

/**
 * A list.
 *
 * @param min how many items it has at least
 */
export function list<T>(
  item: Schema<T>,
  min = 0,
  allowed = min > 0 ? 'a list of at least one' : 'a list',
): Schema<readonly T[]> {
  return evaluating(
    allowed,
    (value, addIssue) => {
      if (Array.isArray(value) && value.length >= min) {
        let wrong = 0;
        // `forEach` would pass over what an array leaves open.
        for (const [index, each] of value.entries()) {
          const issues = issuesOf(item, each);
          issues.forEach(raise(addIssue, index));
          wrong += issues.length;
          if (wrong >= mostWrong) {
            break;
          }
        }
      } else {
        addIssue({ message: allowed, input: shownInPlace(value) });
      }
    },
    () => ({ type: 'array', items: item.json, ...(min > 0 && { minItems: min }) }),
  );
}

/** An object whose keys the user chooses; a key that is wrong is reported at the path of what it names. */
export function record<T>(
  value: Schema<T>,
  key: Schema<string> = text('a text'),
  allowed = 'an object',
): Schema<Readonly<Record<string, T>>> {
  return mapping(
    allowed,
    (given, addIssue) => {
      let wrong = 0;
      for (const [name, each] of Object.entries(given)) {
        const ofKey = laterValue(name) === undefined ? issuesOf(key, name) : [{ message: 'a plain text' }];
        for (const { message } of ofKey) {
          addIssue({ message, input: name, path: [step(name)] });
        }
        const ofValue = issuesOf(value, each);
        ofValue.forEach(raise(addIssue, name));
        wrong += ofKey.length + ofValue.length;
        if (wrong >= mostWrong) {
          break;
        }
      }
    },
    () => {
      const { type: _text, ...names } = key.json as { readonly type?: string };
      const isFree = Object.keys(names).length === 0;
      return {
        type: 'object',
        ...(!isFree && { propertyNames: names }),
        additionalProperties: value.json,
      };
    },
  );
}

/**
 * An object with these keys and no others.
 *
 * @param passedOver keys of others that may be there, too, and are not looked at; `any` where a newer release may have written
 * further ones
 */
export function object<T extends object>(
  entries: Entries<T>,
  allowed = `an object with ${Object.keys(entries).join(', ')}`,
  passedOver: readonly string[] | 'any' = [],
): Schema<T> {
  const known = Object.keys(entries);
  const named = passedOver === 'any' ? [] : passedOver;
  const schemas = Object.entries<Schema | OptionalSchema>(entries);
  return mapping(
    allowed,
    (value, addIssue) => {
      const given = value as Readonly<Record<string, unknown>>;
      const names = new Set([...known, ...named]);
      const others =
        passedOver === 'any'
          ? []
          : Object.keys(given).filter((key) => !names.has(key) && given[key] !== undefined);
      others.slice(0, mostWrong).forEach((key, position) => {
        const near = position < mostCompared ? nearKey(key, known) : undefined;
        const message = `${near === undefined ? '' : `, did you mean "${near}"?`}; known keys: ${known.join(', ')}`;
        // Its value may be a key or a password that a user took for a setting.
        addIssue({ message, input: hidden, path: [step(key)], expected: kindMark('unknown') });
      });
      for (const [key, schema] of schemas) {
        const each = Object.hasOwn(given, key) ? given[key] : undefined;
        if (each !== undefined) {
          issuesOf(schema, each).forEach(raise(addIssue, key));
        } else if (!('isOptional' in schema)) {
          const expected = kindMark('required');
          addIssue({ message: schema.allowed, input: undefined, path: [step(key)], expected });
        }
      }
    },
    () => {
      const required = schemas.filter(([, schema]) => !('isOptional' in schema)).map(([key]) => key);
      return {
        type: 'object',
        ...(required.length > 0 && { required }),
        additionalProperties: passedOver === 'any',
        properties: {
          ...Object.fromEntries(schemas.map(([key, { json }]) => [key, json])),
          ...Object.fromEntries(named.map((key) => [key, { description: 'Not looked at.' }])),
        },
      };
    },
  );
}

/** An object with exactly one of these keys. */
export function oneKeyOf<T extends object>(
  entries: { readonly [K in keyof T]: Schema<T[K]> },
  allowed?: string,
): Schema<{ [K in keyof T]: Readonly<Pick<T, K>> }[keyof T]> {
  const keys = Object.keys(entries);
  const one = allowed ?? `an object with exactly one of ${keys.map((key) => `"${key}"`).join(', ')}`;
  const each = Object.entries<Schema>(entries);
  const some = object<PlainObject>(
    Object.fromEntries(each.map(([key, schema]) => [key, optional(schema)])),
    one,
  );
  const all = across(
    some,
    (value, { mustBeSecretly }) => {
      const given = keys.filter((key) => value[key] !== undefined);
      const others = Object.keys(value).filter((key) => value[key] !== undefined && !keys.includes(key));
      // An unknown key in place of one that is known has its problem already.
      if (given.length > 1 || (given.length === 0 && others.length === 0)) {
        mustBeSecretly([], one);
      }
    },
    { minProperties: 1, maxProperties: 1 },
  );
  return all as Schema as Schema<never>;
}

/** One of several forms: the first that fits the value evaluates it. */
export function either<T>(
  allowed: string,
  ...forms: readonly { readonly when: (value: unknown) => boolean; readonly schema: Schema<T> }[]
): Schema<T> {
  return evaluating(
    allowed,
    (value, addIssue) => {
      const form = forms.find(({ when }) => when(value));
      if (form) {
        issuesOf(form.schema, value).forEach(raise(addIssue));
      } else {
        addIssue({ message: allowed, input: value });
      }
    },
    () => ({ anyOf: forms.map(({ schema }) => schema.json) }),
  );
}

/** Switched off. */
const off: Schema<false> = schemaOf(
  'false',
  (v) => v.literal(false),
  () => ({ const: false }),
);

/** `false`, or something. */
export function falseOr<T>(schema: Schema<T>, allowed: string): Schema<T | false> {
  return either<T | false>(
    allowed,
    { when: (value) => value === false, schema: off },
    { when: (value) => value !== true, schema },
  );
}

/** What a rule over several fields adds. */
export interface Objections {
  /**
   * This must be something else: `allowed` completes the sentence "… must be".
   *
   * @param shown what of it is wrong; @default - all of it
   */
  readonly mustBe: (steps: PathSteps, allowed: string, shown?: unknown) => void;
  /** The same of a value that may be a secret: it is not shown. */
  readonly mustBeSecretly: (steps: PathSteps, allowed: string) => void;
  /** This is missing: `allowed` says what it must be. */
  readonly required: (steps: PathSteps, allowed: string) => void;
  /** This may not be there beside something else: `other` completes "… conflicts with". Its value is not shown. */
  readonly conflicts: (steps: PathSteps, other: string) => void;
  /** What another schema has found in a part, at its place in the whole. */
  readonly add: (problem: PlacedProblem) => void;
}

/**
 * What several fields say together; asked also where other fields are wrong, so each has to be looked at with care.
 *
 * @param json what of it a JSON Schema can say, or what makes that where somebody asks for it; @default - nothing more
 */
export function across<T>(
  schema: Schema<T>,
  evaluate: (value: Unevaluated<T>, objections: Objections) => void,
  json: JsonSchema | (() => JsonSchema) = {},
): Schema<T> {
  return evaluating(
    schema.allowed,
    (value, addIssue) => {
      issuesOf(schema, value).forEach(raise(addIssue));
      if (!isPlainObject(value) || laterValue(value) !== undefined) {
        return;
      }
      const add = (steps: PathSteps, message: string, input: unknown, expected?: string): void =>
        addIssue({ message, input, path: pathOf(steps), ...(expected && { expected }) });
      evaluate(value, {
        mustBe: (steps, message, shown = valueAt(value, steps)) => add(steps, message, shown),
        required: (steps, message) => add(steps, message, hidden, kindMark('required')),
        mustBeSecretly: (steps, message) => add(steps, message, hidden),
        conflicts: (steps, message) => add(steps, message, hidden, kindMark('conflicts')),
        add: ({ steps, allowed, kind, ...problem }) =>
          add(steps, allowed, 'value' in problem ? problem.value : hidden, kind && kindMark(kind)),
      });
    },
    () => ({ ...schema.json, ...(typeof json === 'function' ? json() : json) }),
  );
}
