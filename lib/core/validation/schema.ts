import type * as Valibot from 'valibot';
import { builtInClass, isPlainObject, laterValue } from './problems';
import type { Problem, ProblemKind } from './problems';

/** What a value of this type has to look like. */
export interface Schema<out T = unknown> {
  /** What evaluates a value: made at its first use, as most schemas of a module are used by no run. */
  readonly evaluator: () => Valibot.GenericSchema<unknown, T>;
  /** What it accepts, as a phrase that completes "… must be". */
  readonly allowed: string;
  /** The same, as far as a JSON Schema can say it. */
  readonly json: JsonSchema;
}

/** What an optional key of an object holds. */
export interface OptionalSchema<out T = unknown> extends Schema<T | undefined> {
  readonly isOptional: true;
}

/**
 * A schema.
 *
 * @param make with Valibot, which is loaded where a value is first evaluated
 * @param json made where somebody asks for it
 */
export function schemaOf<T>(
  allowed: string,
  make: (v: typeof Valibot) => Valibot.GenericSchema<unknown, T>,
  json: () => JsonSchema,
): Schema<T> {
  let evaluator: Valibot.GenericSchema<unknown, T> | undefined;
  let said: JsonSchema | undefined;
  return {
    evaluator: () => (evaluator ??= make(valibot())),
    allowed,
    get json() {
      return (said ??= json());
    },
  };
}

/** A schema of a function that finds everything that is wrong with a value. */
export function evaluating<T>(
  allowed: string,
  evaluate: (value: unknown, addIssue: AddIssue) => void,
  json: () => JsonSchema,
): Schema<T> {
  return schemaOf<T>(
    allowed,
    (v) =>
      v.pipe(
        v.custom<T>(() => true),
        v.rawCheck(({ dataset, addIssue }) => evaluate(dataset.value, addIssue)),
      ),
    json,
  );
}

let loaded: typeof Valibot | undefined;

function valibot(): typeof Valibot {
  return (loaded ??= require('valibot') as typeof Valibot);
}

/** A schema for each key of a type: one that is missing, and one that is too many, does not compile. */
export type Entries<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? OptionalSchema<Exclude<T[K], undefined>> : Schema<T[K]>;
};

/** Fields of a value that may be wrong. */
export type Unevaluated<T> = { readonly [K in keyof T]?: unknown };

/** A place in a value: keys of objects and positions in lists. */
export type PathSteps = readonly (string | number)[];

/** A problem, with its place also as keys and positions. */
export interface PlacedProblem extends Problem {
  readonly steps: PathSteps;
}

/** Takes the place of a value that is not shown. */
export const hidden = Symbol('hidden');

/** Kind of a problem, in a text that Valibot hands on. */
export function kindMark(kind: ProblemKind): string {
  return `problem: ${kind}`;
}

const kinds = ['required', 'unknown', 'conflicts'] as const;

/** Everything that is wrong with a value. */
export function problemsOf(schema: Schema, value: unknown): readonly PlacedProblem[] {
  const told = new Set<string>();
  return issuesOf(schema, value).flatMap(
    ({ message, input, expected, path: items = [] }): PlacedProblem[] => {
      const steps = items.map(({ key }) => key as string | number);
      const kind = kinds.find((each) => kindMark(each) === expected);
      const path = pathText(steps);
      // Of keys of the user's own, several may be wrong in one place. The lengths keep texts with any characters apart.
      const given = typeof input === 'string' ? `"${input}` : '';
      const same = `${path.length} ${message.length} ${kind} ${path}${message}${given}`;
      if (told.has(same)) {
        return [];
      }
      told.add(same);
      return [
        {
          ...{ path, allowed: message, ...(kind && { kind }) },
          ...(input !== hidden && { value: input }),
          steps,
        },
      ];
    },
  );
}

/** A place as it is written in messages: `slots.green.changes[0].until`. */
export function pathText(steps: PathSteps): string {
  return steps.reduce<string>(
    (before, key) =>
      typeof key === 'number'
        ? `${before}[${key}]`
        : key === ''
          ? `${before}[""]`
          : before === ''
            ? key
            : `${before}.${key}`,
    '',
  );
}

/**
 * Problems of a part, at their places in the whole.
 *
 * @param problems whose places may be told by their paths alone, where no key in these has a dot
 */
export function placedBelow(
  above: PathSteps,
  problems: readonly (Problem & Partial<PlacedProblem>)[],
): readonly PlacedProblem[] {
  return problems.map((problem) => {
    const steps = [...above, ...(problem.steps ?? stepsIn(problem.path))];
    return { ...problem, path: pathText(steps), steps };
  });
}

function stepsIn(path: string): PathSteps {
  const parts = path.match(/\[\d+\]|[^.[\]]+/g) ?? [];
  return parts.map((part) => (part.startsWith('[') ? Number(part.slice(1, -1)) : part));
}

/** A problem of a part, on its way up. */
export interface Issue {
  readonly message: string;
  readonly input: unknown;
  readonly path?: [Valibot.IssuePathItem, ...Valibot.IssuePathItem[]];
  /** Kind of the problem: Valibot hands this text on. */
  readonly expected?: string | null | undefined;
}

export type AddIssue = (issue: Issue & { readonly expected?: string }) => void;

/** What Valibot says of a value. */
export function issuesOf(schema: Schema, value: unknown): readonly Issue[] {
  return valibot().safeParse(schema.evaluator(), value).issues ?? [];
}

/** Adds issues of a part, with its key before their paths. */
export function raise(addIssue: AddIssue, ...key: [] | [string | number]): (issue: Issue) => void {
  return ({ message, input, expected, path = [] as const }) => {
    const [first, ...rest] = [...key.map(step), ...path];
    addIssue({ message, input, ...(expected && { expected }), ...(first && { path: [first, ...rest] }) });
  };
}

/** An object. Valibot takes a list for one, stops at the first key that it does not know, and passes over some names. */
export function mapping<T>(
  allowed: string,
  evaluate: (value: object, addIssue: AddIssue) => void,
  json: () => JsonSchema,
): Schema<T> {
  return evaluating(
    allowed,
    (value, addIssue) => {
      if (isPlainObject(value) && laterValue(value) === undefined && builtInClass(value) === undefined) {
        evaluate(value, addIssue);
      } else {
        addIssue({ message: allowed, input: shownInPlace(value) });
      }
    },
    json,
  );
}

/** What no one has for a secret: words that switch something, and versions. */
const plainWord = /^(on|off|yes|no|true|false|null|none|all|auto|default|\d{1,3}(\.\d{1,3}){0,2})$/;

/**
 * What is shown of a value in the place of an object or a list: a text may be a key or a password, or have one in it, unless it is
 * one of a few words such as `off`, or a version.
 */
export function shownInPlace(value: unknown): unknown {
  const isFilled =
    typeof value === 'object' && value !== null
      ? Object.keys(value).length > 0
      : typeof value === 'string' && !plainWord.test(value);
  return isFilled && laterValue(value) === undefined ? hidden : value;
}

export function step(key: string | number): Valibot.IssuePathItem {
  return { type: 'unknown', origin: 'value', input: undefined, key, value: undefined };
}

export function pathOf(steps: PathSteps): Issue['path'] {
  const [first, ...rest] = steps.map(step);
  return first && [first, ...rest];
}

/** A JSON Schema of the draft 2020-12, as far as settings need it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly dependentSchemas?: Readonly<Record<string, JsonSchema>>;
  readonly oneOf?: readonly JsonSchema[];
}
