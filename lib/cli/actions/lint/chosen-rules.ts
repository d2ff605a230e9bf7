import { nearKey } from '../../../core/validation/near-key';
import { InvalidInput } from '../../../core/validation/problems';
import type { EngineRule } from '../../../lint';

/**
 * The rules of some ids, in their own order; small letters are as good as capitals.
 *
 * @param flag that names the ids
 * @throws InvalidInput for ids that no rule has, each with the one that it may be meant for
 */
export function chosenRules<Known extends EngineRule>(
  rules: readonly Known[],
  ids: readonly string[],
  flag: '--rule' | '--explain',
): readonly Known[] {
  const known = rules.map(({ id }) => id);
  const wanted = new Set(ids.map((id) => id.trim().toUpperCase()));
  const unknown = ids.filter((id) => !known.includes(id.trim().toUpperCase()));
  if (unknown.length > 0) {
    throw new InvalidInput(
      'lint',
      unknown.map((value) => ({
        path: flag,
        value,
        allowed: `the id of a rule${isPath(value) ? words[flag] : hint(value, known)}`,
      })),
    );
  }
  return rules.filter(({ id }) => wanted.has(id));
}

/** What a path may have been taken for. */
const words = {
  '--rule': ', such as WH06: --list-rules has them all',
  '--explain': ': after --explain every word is one, and nothing is checked',
} as const;

function isPath(value: string): boolean {
  return value === '-' || /[./\\]/.test(value);
}

function hint(value: string, known: readonly string[]): string {
  const near = nearKey(value.trim(), known);
  return near === undefined ? ', such as WH06: --list-rules has them all' : `: did you mean ${near}?`;
}
