export { RulesPolicyPack, rulePolicies } from './policy-pack';
export type { RuleEnforcement, RulePoliciesOptions } from './policy-pack';
