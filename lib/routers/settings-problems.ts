import type { Problems, Rule, Untyped } from '../problems';
import { dnsLabel, isMapping } from '../problems';

/** Fewest and most slots that a shift works on: AWS takes five target groups on a rule. */
const fewestSlots = 2;
const mostSlots = 5;

/** The settings if they are a mapping; else there is the one problem. */
export function untyped(settings: unknown, problems: Problems, path: string): Untyped | undefined {
  if (isMapping(settings)) {
    return settings;
  }
  problems.add(path, settings, 'a mapping');
  return undefined;
}

/** Checks a mapping with a value for every slot: 2 to 5, and no two the same. */
export function checkSlots(problems: Problems, path: string, slots: unknown, rule: Rule): void {
  const bySlot = untyped(slots, problems, path);
  if (!bySlot) {
    return;
  }
  const names = Object.keys(bySlot);
  if (names.length < fewestSlots || names.length > mostSlots) {
    problems.add(path, names, `a mapping of ${fewestSlots} to ${mostSlots} slots`);
  }
  for (const [slot, value] of Object.entries(bySlot)) {
    problems.check(`${path}: slot name`, slot, dnsLabel);
    const first = names.find((name) => bySlot[name] === value);
    if (problems.check(`${path}.${slot}`, value, rule) && first !== slot) {
      problems.add(`${path}.${slot}`, value, `another than that of the slot "${first}"`);
    }
  }
}
