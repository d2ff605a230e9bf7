import type { Rule } from '../rules';
import { allRules } from '../rules';

/** Rules that look at one object alone, so that it can be refused before it is made. */
const oneObjectRules: ReadonlySet<string> = new Set([
  ...['WH01', 'WH08', 'WH10', 'WH11', 'WH13'],
  ...['RT02', 'RT03', 'RT04'],
]);

/** Whether a rule is one of the library that finds the same in an object by itself as among others. */
export function judgesOneObject(rule: Rule): boolean {
  return oneObjectRules.has(rule.id) && allRules.includes(rule);
}
