import type { Change } from '../change';
import { stepsOf } from '../json-pointer';

/**
 * A value after changes, by the rules of JSON Patch. The value itself stays as it is.
 *
 * @throws RangeError where a change names a place that is not there
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
export function changed(value: unknown, changes: readonly Change[]): unknown {
  return changes.reduce<unknown>(
    (current, change) => changedAt(current, stepsOf(change.path), change),
    value,
  );
}

function changedAt(value: unknown, steps: readonly string[], change: Change): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) {
    return change.op === 'remove' ? undefined : change.value;
  }
  if (Array.isArray(value)) {
    return changedList(value, step, rest, change);
  }
  if (typeof value !== 'object' || value === null) {
    throw new RangeError(`${change.path} is not there`);
  }
  const map = { ...(value as Readonly<Record<string, unknown>>) };
  const there = Object.hasOwn(map, step);
  if (rest.length > 0) {
    if (!there) {
      throw new RangeError(`${change.path} is not there`);
    }
    return { ...map, [step]: changedAt(map[step], rest, change) };
  }
  if (change.op !== 'add' && !there) {
    throw new RangeError(`${change.path} is not there`);
  }
  if (change.op === 'remove') {
    delete map[step];
    return map;
  }
  return { ...map, [step]: change.value };
}

function changedList(
  list: readonly unknown[],
  step: string,
  rest: readonly string[],
  change: Change,
): unknown[] {
  const adds = rest.length === 0 && change.op === 'add';
  const position = adds && step === '-' ? list.length : Number(step);
  if (!Number.isInteger(position) || position < 0 || position >= list.length + (adds ? 1 : 0)) {
    throw new RangeError(`${change.path} is not there`);
  }
  const items = [...list];
  if (rest.length > 0) {
    items[position] = changedAt(items[position], rest, change);
  } else if (change.op === 'remove') {
    items.splice(position, 1);
  } else {
    items.splice(position, adds ? 0 : 1, change.value);
  }
  return items;
}
