import { isDeepStrictEqual } from 'node:util';
import type { Properties } from './resource-kind';

/** What changes between two sets of inputs. */
export interface Difference {
  /** Top-level properties with another value. */
  readonly changed: string[];
  /** Those of the fixed paths with another value. */
  readonly replaces: string[];
}

/** Compares inputs; a value that is not known yet counts as another one. */
export function difference(before: Properties, after: Properties, fixed: readonly string[] = []): Difference {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return {
    changed: keys.filter((key) => !isDeepStrictEqual(before[key], after[key])),
    replaces: fixed.filter((path) => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path))),
  };
}

function valueAt(properties: Properties, path: string): unknown {
  return path.split('.').reduce<any>((value, key) => value?.[key], properties);
}
