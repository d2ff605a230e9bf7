import { isPlainObject } from '../../validation/problems';

/** A field that should be a mapping; an empty one where it is none. */
export function mapping(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}

/** A field that should be a list; an empty one where it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field that should be a text; an empty one where it is none. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
