import { isMapping } from '../problems';
import type { Change } from './change';
import { Field } from './field';
import { pointerTo } from './json-pointer';
import type { JudgedObject } from './judged-object';

/**
 * The change that puts a value at a place of an object, whatever is there by now; maps on the way are made. A last step
 * `-` appends to a list, which is made too.
 *
 * @returns nothing where something on the way is no map
 *
 * @example
 * settingChanges(object, ['spec', 'syncPolicy', 'syncOptions', '-'], 'ServerSideApply=true')
 */
export function settingChanges(
  object: JudgedObject,
  steps: readonly (string | number)[],
  value: unknown,
): readonly Change[] | undefined {
  const root = Field.of(object);
  const missing = steps.findIndex((_, position) => !root.get(...steps.slice(0, position + 1)).exists);
  if (missing < 0) {
    return [{ op: 'replace', path: pointerTo(...steps), value }];
  }
  const parent = root.get(...steps.slice(0, missing));
  const appends = steps[missing] === '-';
  const fits = appends ? Array.isArray(parent.value) : isMapping(parent.value);
  if (!fits) {
    return undefined;
  }
  const rest = steps.slice(missing + 1);
  const made = rest.reduceRight<unknown>(
    (inner, step) => (step === '-' ? [inner] : { [step]: inner }),
    value,
  );
  const path = pointerTo(...steps.slice(0, missing + 1));
  // A key that is there with null is replaced.
  const op = parent.get(steps[missing]!).value === null ? 'replace' : 'add';
  return [{ op, path, value: made }];
}
