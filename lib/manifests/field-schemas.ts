import type { LabelSelector, LabelSelectorRequirement } from '../core/kubernetes/label-selector';
import { hasMarker } from '../core/tokens';
import { argumentProblems } from '../core/validation/arguments';
import { across, list, object, optional, record } from '../core/validation/collections';
import {
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  oneOfWords,
  secretKey,
} from '../core/validation/formats';
import { placesIn, valueAt } from '../core/validation/places';
import { InvalidInput, isPlainObject, laterValue } from '../core/validation/problems';
import type { Format, Problem } from '../core/validation/problems';
import { pathText, problemsOf } from '../core/validation/schema';
import type { Entries, PlacedProblem, Schema } from '../core/validation/schema';
import { anything, following, text } from '../core/validation/values';
import type { NamedObject, PodMetadata } from './objects';

/** Who completes a text that is not final when the program runs. */
export type Completion = 'deployment' | 'deployment or controller';

/**
 * Whether a text is completed later, so that its format is not known yet: by a deployment (a marker is in it), or by the
 * ApplicationSet controller (a template expression is in it).
 */
export function isCompleted(value: unknown, by: Completion = 'deployment'): boolean {
  return (
    typeof value === 'string' &&
    (hasMarker(value) || (by === 'deployment or controller' && value.includes('{{')))
  );
}

/**
 * A value that follows a rule. Of a text that is completed later, only that it is there is checked.
 *
 * @param by who may complete it
 */
export function completed(rule: Format, by?: Completion): Schema<never> {
  return following({
    allowed: rule.allowed,
    accepts: (value) => isCompleted(value, by) || rule.accepts(value),
  });
}

type KeyOf<T> = T extends unknown ? keyof T : never;

/** The fields of all members of a union of objects, in one. */
export type FieldsOf<T> = {
  readonly [K in KeyOf<T>]: T extends unknown ? (K extends keyof T ? T[K] : undefined) : never;
};

type Texts = Schema<Readonly<Record<string, string>>>;

/** Labels of an object. */
export const labels: Texts = labelsOf(following(labelValue), following(labelKey));

/** Labels of an object that may be completed later. */
export function completedLabels(by?: Completion): Texts {
  return labelsOf(completed(labelValue, by), completed(labelKey, by));
}

function labelsOf(value: Schema<never>, key: Schema<never>): Texts {
  return record(value, key, 'an object of labels: { env: "production" }');
}

/** Annotations of an object. */
export const annotations: Texts = annotationsOf(following(labelKey));

/** Annotations of an object that may be completed later. */
export function completedAnnotations(by?: Completion): Texts {
  return annotationsOf(completed(labelKey, by));
}

/** A value is any text. */
function annotationsOf(key: Schema<never>): Texts {
  return record(text('a text'), key, 'an object of annotations: { "example.com/owner": "team" }');
}

/** Labels and annotations of an object, or of the pods that it makes. */
export const podMetadata: Schema<PodMetadata> = object<PodMetadata>({
  labels: optional(labels),
  annotations: optional(annotations),
});

/** One value of a Secret, by the Secret's name and its key. */
export const secretValue = object<{ readonly secret: string; readonly key: string }>({
  secret: following(dnsSubdomain),
  key: following(secretKey),
});

/** Entries for what an object is known by: its name and namespace have to be final. */
export function namedObject(nameRule: Format = dnsSubdomain): Entries<NamedObject> {
  return {
    name: following(nameRule),
    namespace: optional(following(dnsLabel)),
    labels: optional(labels),
    annotations: optional(annotations),
  };
}

/** A label selector, by default of an object's labels. */
export function labelSelector(
  by?: Completion,
  keyRule: Format = labelKey,
  valueRule: Format = labelValue,
): Schema<LabelSelector> {
  const [key, value] = [completed(keyRule, by), completed(valueRule, by)];
  const requirement = across(
    object<LabelSelectorRequirement>({
      key,
      operator: completed(oneOfWords('In', 'NotIn', 'Exists', 'DoesNotExist'), by),
      values: optional(list(value)),
    }),
    ({ operator, values }, { mustBe }) => {
      const amount = Array.isArray(values) ? values.length : 0;
      if (operator === 'In' || operator === 'NotIn') {
        if (amount === 0 && (values === undefined || Array.isArray(values))) {
          mustBe(['values'], `at least one value: the operator is "${operator}"`);
        }
      } else if (amount > 0) {
        mustBe(['values'], `left out: the operator is "${String(operator)}"`);
      }
    },
  );
  return object<LabelSelector>({
    matchLabels: optional(record(value, key)),
    matchExpressions: optional(list(requirement)),
  });
}

/** Data without null, which cdk8s leaves out of the manifest without a word. */
export const dataWithoutNull: Schema<Readonly<Record<string, never>>> = across(
  record(anything),
  (value, { mustBe }) =>
    placesIn(value, (each) => each === null).forEach((steps) =>
      mustBe(steps, 'a value: cdk8s leaves null out of the manifest'),
    ),
);

/** An object that has exactly one of these keys, or at least or at most one. A list without an item is not at least one. */
export function withKeys<T extends object>(
  amount: 'exactly one' | 'at least one' | 'at most one',
  keys: readonly (keyof T & string)[],
  schema: Schema<T>,
): Schema<T> {
  return across(schema, (value, { mustBe, mustBeSecretly }) => {
    const given = keys.filter((key) => value[key] !== undefined);
    const fits = {
      'exactly one': given.length === 1,
      'at least one': given.some((key) => !Array.isArray(value[key]) || value[key].length > 0),
      'at most one': given.length < 2,
    };
    const allowed = `an object with ${amount} of ${keys.map((key) => `"${key}"`).join(', ')}`;
    if (!fits[amount] && given.length > 1) {
      mustBe([], allowed, given);
    } else if (!fits[amount]) {
      mustBeSecretly([], allowed);
    }
  });
}

/** Positions in a list of what the list has before already. */
export function repeatedIn(
  values: unknown,
  identityOf: (value: never) => unknown = (value) => value,
): number[] {
  const seen = new Set<string>();
  return (Array.isArray(values) ? values : []).flatMap((value, position) => {
    const identity = JSON.stringify(identityOf(value as never)) ?? '';
    const isNew = !seen.has(identity);
    seen.add(identity);
    return isNew ? [] : [position];
  });
}

/**
 * Everything that is wrong with props of a construct. They are plain data: an Output is refused at any depth, also where a
 * schema takes anything.
 *
 * @param together is given the props without those that are wrong by themselves, so that a required one may be missing
 */
export function propsProblems<T>(
  schema: Schema<T>,
  props: unknown,
  together?: (sound: Partial<T>) => readonly Problem[],
): readonly Problem[] {
  if (!isPlainObject(props) || laterValue(props) !== undefined) {
    return problemsOf(schema, props).map(({ steps: _, ...problem }) => ({ ...problem, path: 'props' }));
  }
  const found = argumentProblems(schema, props, together).map(
    ({ steps: _, ...problem }: Partial<PlacedProblem> & Problem) => problem,
  );
  const places = new Set(found.map(({ path }) => path));
  const later = placesIn(props, (value) => laterValue(value) !== undefined)
    .map((steps) => ({ path: pathText(steps), value: valueAt(props, steps), allowed: 'a plain value' }))
    .filter(({ path }) => !places.has(path));
  return [...found, ...later];
}

/**
 * Refuses props of a construct.
 *
 * @param subject whose props they are, for the error's first line: `Application "podinfo"`
 * @throws InvalidInput with everything that is wrong
 */
export function refuseProps<T>(
  subject: string,
  schema: Schema<T>,
  props: unknown,
  together?: (sound: Partial<T>) => readonly Problem[],
): void {
  const problems = propsProblems(schema, props, together);
  if (problems.length > 0) {
    throw new InvalidInput(subject, problems);
  }
}

/**
 * Refuses keys of options that there are not, Outputs, and what is no object or list where one is wanted: the rest is evaluated
 * with what the options become a part of.
 *
 * @param subject whose options they are: `generators.list`
 * @returns the options
 * @throws InvalidInput with all of them
 */
export function withKnownKeys<T>(subject: string, schema: Schema, options: T): T {
  if (!isPlainObject(options) || laterValue(options) !== undefined) {
    refuseProps(subject, schema, options);
    return options;
  }
  const problems = [
    ...propsProblems(anything, options),
    ...problemsOf(schema, options)
      .filter(
        ({ kind, allowed, steps }) =>
          kind === 'unknown' || (kind !== 'required' && isOtherShape(allowed, valueAt(options, steps))),
      )
      .map(({ steps: _, ...problem }) => problem),
  ];
  if (problems.length > 0) {
    throw new InvalidInput(subject, problems);
  }
  return options;
}

function isOtherShape(allowed: string, value: unknown): boolean {
  return (
    laterValue(value) === undefined &&
    ((/^an object\b/.test(allowed) && !isPlainObject(value)) ||
      (/^a list\b/.test(allowed) && !Array.isArray(value)))
  );
}

/** A construct as an error names it: by its object's name, where it has one. */
export function constructSubject(
  kind: string,
  id: string,
  props: { readonly name?: unknown } | undefined,
): string {
  const name = isPlainObject(props) && typeof props.name === 'string' ? props.name : id;
  return `${kind} "${name}"`;
}
