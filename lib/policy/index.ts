export type { RuleEnforcement, RulePoliciesOptions } from './options';
export { rulePolicies } from './rule-policies';
export { RulesPolicyPack } from './rules-policy-pack';
