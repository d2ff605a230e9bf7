import type { Problems, Rule } from '../problems';
import { isMapping, knownKeys } from '../problems';

/** What a value from a file has to look like. */
export type Shape = Rule | RecordShape | { readonly list: Shape } | { readonly named: Shape };

/** An object with these keys and no others. */
export interface RecordShape {
  readonly record: Readonly<Record<string, Shape>>;
  /** Keys that must be there. @default - none */
  readonly needs?: readonly string[];
}

/** Adds what is wrong with a value, and with everything in it. */
export function checkShape(problems: Problems, path: string, value: unknown, shape: Shape): void {
  if ('accepts' in shape) {
    problems.check(path, value, shape);
  } else if ('list' in shape) {
    if (!Array.isArray(value)) {
      problems.add(path, value, 'a list');
      return;
    }
    value.forEach((each, index) => checkShape(problems, `${path}[${index}]`, each, shape.list));
  } else if ('named' in shape) {
    for (const [name, each] of entries(problems, path, value)) {
      checkShape(problems, join(path, name), each, shape.named);
    }
  } else {
    checkRecord(problems, path, value, shape);
  }
}

function checkRecord(problems: Problems, path: string, value: unknown, shape: RecordShape): void {
  if (!isMapping(value)) {
    problems.add(path, value, `an object with ${Object.keys(shape.record).join(', ')}`);
    return;
  }
  for (const [key, each] of Object.entries(knownKeys(problems, path, value, Object.keys(shape.record)))) {
    if (each !== undefined) {
      checkShape(problems, join(path, key), each, shape.record[key]!);
    }
  }
  for (const key of shape.needs ?? []) {
    if (value[key] === undefined) {
      problems.add(join(path, key), undefined, 'given');
    }
  }
}

function entries(problems: Problems, path: string, value: unknown): [string, unknown][] {
  if (isMapping(value)) {
    return Object.entries(value);
  }
  problems.add(path, value, 'an object');
  return [];
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
