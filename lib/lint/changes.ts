import { isPlainObject } from '../core/validation/problems';
import { Field, toJsonPointer, parseJsonPointer } from './object';
import type { ManifestObject } from './object';
import type { JsonPatchOperation } from './rule';

/**
 * The change that puts a value at a place of an object, whatever is there by now; maps on the way are made. A last step
 * `-` appends to a list, which is made too.
 *
 * @returns nothing where something on the way is no map
 *
 * @example
 * setValuePatch(object, ['spec', 'syncPolicy', 'syncOptions', '-'], 'ServerSideApply=true')
 */
export function setValuePatch(
  object: ManifestObject,
  steps: readonly (string | number)[],
  value: unknown,
): readonly JsonPatchOperation[] | undefined {
  const root = Field.of(object);
  const missing = steps.findIndex((_, position) => !root.get(...steps.slice(0, position + 1)).exists);
  if (missing < 0) {
    return [{ op: 'replace', path: toJsonPointer(...steps), value }];
  }
  const parent = root.get(...steps.slice(0, missing));
  const appends = steps[missing] === '-';
  const fits = appends ? Array.isArray(parent.value) : isPlainObject(parent.value);
  if (!fits) {
    return undefined;
  }
  const rest = steps.slice(missing + 1);
  const made = rest.reduceRight<unknown>(
    (inner, step) => (step === '-' ? [inner] : { [step]: inner }),
    value,
  );
  const path = toJsonPointer(...steps.slice(0, missing + 1));
  // A key that is there with null is replaced.
  const op = parent.get(steps[missing]!).value === null ? 'replace' : 'add';
  return [{ op, path, value: made }];
}

/**
 * A value after changes, by the rules of JSON Patch. The value itself stays as it is.
 *
 * @throws RangeError where a change names a place that is not there
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
export function applyPatch(value: unknown, changes: readonly JsonPatchOperation[]): unknown {
  return changes.reduce<unknown>(
    (current, change) => changedAt(current, parseJsonPointer(change.path), change),
    value,
  );
}

function changedAt(value: unknown, steps: readonly string[], change: JsonPatchOperation): unknown {
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
  change: JsonPatchOperation,
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
