import { dnsLabel, goDuration } from './formats';
import { laterValue } from './problems';
import type { Format } from './problems';
import { evaluating, hidden, issuesOf, raise, schemaOf } from './schema';
import type { JsonSchema, Schema } from './schema';

/**
 * A text, and none made of an Output.
 *
 * @param form of all of it
 * @param longest in characters
 */
export function text(allowed: string, form?: RegExp, longest?: number): Schema<string> {
  return schemaOf(
    allowed,
    (v) => {
      const checks = [
        v.check<string, string>((value) => laterValue(value) === undefined, allowed),
        ...(form ? [v.regex<string, string>(form, allowed)] : []),
        ...(longest === undefined ? [] : [v.maxLength<string, number, string>(longest, allowed)]),
      ];
      return v.pipe(v.string(allowed), ...(checks as []));
    },
    () => ({
      type: 'string',
      ...(form && { pattern: form.source }),
      ...(longest !== undefined && { maxLength: longest }),
    }),
  );
}

/**
 * A text that a rule accepts.
 *
 * @param json what of the rule a JSON Schema can say; @default - nothing more
 */
export function fits(rule: Format, json: JsonSchema = {}): Schema<string> {
  return that(text(rule.allowed), rule.allowed, (value) => rule.accepts(value), json);
}

/** A duration as Go writes it. */
export const duration: Schema<string> = fits(goDuration, {
  pattern: '^(0|((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)$',
});

/** A name of Kubernetes of the DNS label kind. */
export const dnsLabelText: Schema<string> = fits(dnsLabel, {
  pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
});

/** Bounds of a number; `above` and `below` are not among the numbers themselves. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
  readonly whole?: boolean;
}

/** A finite number. */
export function number(
  allowed: string,
  { min, max, above, below, whole: isWhole }: Bounds = {},
): Schema<number> {
  return schemaOf(
    allowed,
    (v) => {
      const checks = [
        v.finite<number, string>(allowed),
        ...(isWhole ? [v.integer<number, string>(allowed)] : []),
        ...(min === undefined ? [] : [v.minValue<number, number, string>(min, allowed)]),
        ...(max === undefined ? [] : [v.maxValue<number, number, string>(max, allowed)]),
        ...(above === undefined ? [] : [v.gtValue<number, number, string>(above, allowed)]),
        ...(below === undefined ? [] : [v.ltValue<number, number, string>(below, allowed)]),
      ];
      return v.pipe(v.number(allowed), ...(checks as unknown as []));
    },
    () => ({
      type: isWhole ? 'integer' : 'number',
      ...(min !== undefined && { minimum: min }),
      ...(max !== undefined && { maximum: max }),
      ...(above !== undefined && { exclusiveMinimum: above }),
      ...(below !== undefined && { exclusiveMaximum: below }),
    }),
  );
}

/** A whole number within bounds, both included. */
export function whole(min: number, max: number): Schema<number> {
  return number(`a whole number from ${min} to ${max}`, { min, max, whole: true });
}

/** True or false. */
export const flag: Schema<boolean> = schemaOf(
  'true or false',
  (v) => v.boolean('true or false'),
  () => ({ type: 'boolean' }),
);

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Schema<Word> {
  const allowed = `one of ${words.map((word) => `"${word}"`).join(', ')}`;
  return schemaOf(
    allowed,
    (v) => v.picklist(words, allowed),
    () => ({ enum: words }),
  );
}

/** Anything: data of a form that is not ours, or a value that its own code evaluates. It fits every type. */
export const anything: Schema<never> = evaluating(
  'anything',
  () => undefined,
  () => ({}),
);

/** A function. It fits every type of one. */
export const callback: Schema<never> = evaluating(
  'a function',
  (value, addIssue) => {
    if (typeof value !== 'function') {
      addIssue({ message: 'a function', input: value });
    }
  },
  () => ({}),
);

/**
 * A rule that the other functions can not say.
 *
 * @param json what of it a JSON Schema can say; @default - nothing more
 */
export function that<T>(
  schema: Schema<T>,
  allowed: string,
  accepts: (value: T) => boolean,
  json: JsonSchema = {},
): Schema<T> {
  return schemaOf(
    allowed,
    (v) =>
      v.pipe(
        schema.evaluator(),
        v.rawCheck(({ dataset, addIssue }) => {
          // What is not even of the type can't be asked.
          const isOfType = dataset.typed && dataset.issues?.some(({ path }) => path === undefined) !== true;
          if (isOfType && !accepts(dataset.value)) {
            addIssue({ message: allowed, input: dataset.value });
          }
        }),
      ),
    () => ({ ...schema.json, ...json }),
  );
}

/** A value that follows a rule, and is no text made of an Output. It fits every type. */
export function following(rule: Format, json: JsonSchema = { type: 'string' }): Schema<never> {
  const accepts = (value: unknown): boolean => laterValue(value) === undefined && rule.accepts(value);
  return that<never>(anything, rule.allowed, accepts, json);
}

/** A value that counts as left out where it is null, which is what YAML has for a key without a value. */
export function orNull<T>(schema: Schema<T>): Schema<T> {
  return evaluating(
    schema.allowed,
    (value, addIssue) => {
      if (value !== null) {
        issuesOf(schema, value).forEach(raise(addIssue));
      }
    },
    () => {
      const { type, enum: words, anyOf, ...rest } = schema.json;
      return {
        ...(type !== undefined && { type: [type, 'null'].flat() }),
        ...(words && { enum: [...words, null] }),
        ...(anyOf && { anyOf: [...anyOf, { type: 'null' }] }),
        ...rest,
      };
    },
  );
}

/** A field whose value is never shown. */
export function secret<T>(schema: Schema<T>): Schema<T> {
  // Of an Output it is said that it is one, and no more.
  const shown = (input: unknown): unknown => (laterValue(input) === undefined ? hidden : input);
  return evaluating(
    schema.allowed,
    (value, addIssue) =>
      issuesOf(schema, value).forEach((issue) => raise(addIssue)({ ...issue, input: shown(issue.input) })),
    () => schema.json,
  );
}

/** A value that may also be known later, as an Output or a Promise; then it is not evaluated. It fits every type. */
export function later(schema: Schema): Schema<never> {
  return evaluating(
    schema.allowed,
    (value, addIssue) => {
      if (laterValue(value) === undefined) {
        issuesOf(schema, value).forEach(raise(addIssue));
      }
    },
    () => schema.json,
  );
}
