import { isPlainObject } from './problems';
import type { PathSteps } from './schema';

/** What is at a place; undefined where the way there ends before. */
export function valueAt(value: unknown, steps: PathSteps): unknown {
  return steps.reduce<unknown>(
    (found, key) => (found as Readonly<Record<string, unknown>> | undefined)?.[key],
    value,
  );
}

/** Places in plain data of the values that are looked for; what is in instances of classes is their own. */
export function placesIn(value: unknown, isWanted: (value: unknown) => boolean): readonly PathSteps[] {
  const seen = new Set<unknown>();
  const within = (each: unknown, steps: PathSteps): readonly PathSteps[] => {
    if (isWanted(each)) {
      return [steps];
    }
    if (seen.has(each) || !(Array.isArray(each) || isData(each))) {
      return [];
    }
    seen.add(each);
    return Array.isArray(each)
      ? each.flatMap((item, position) => within(item, [...steps, position]))
      : Object.entries(each).flatMap(([key, below]) => within(below, [...steps, key]));
  };
  return within(value, []);
}

/** Whether a value is an object without a class of its own. */
function isData(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isPlainObject(value)) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
