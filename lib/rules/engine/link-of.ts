import { rulePage } from '../rule-page';
import { allRules } from '../rules';
import type { EngineRule } from './suppression-rules';

/** The page of a rule. @returns nothing for a rule of somebody else that names none */
export function linkOf(rule: EngineRule): string | undefined {
  const isOwn = allRules.some((own) => own === rule);
  return rule.link ?? (isOwn ? rulePage(rule.id) : undefined);
}
