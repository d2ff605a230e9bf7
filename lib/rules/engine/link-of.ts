import { rulePage } from '../rule-page';
import { allRules } from '../rules';
import type { EngineRule } from './suppression-rules';

/** The page of a rule. @returns nothing for a rule of somebody else that names none */
export function linkOf(rule: EngineRule): string | undefined {
  // Who runs rules may wrap them, to count how many ran.
  const isOwn = allRules.some((own) => own === rule || Object.prototype.isPrototypeOf.call(own, rule));
  return rule.link ?? (isOwn ? rulePage(rule.id) : undefined);
}
