// The package itself names types that it leaves out: a program without skipLibCheck would not compile.
import type { PolicyPackConfig } from '@pulumi/policy/policy';
import { PolicyPack } from '@pulumi/policy/policy';
import { refuseOptions } from '../problems';
import type { RulePoliciesOptions } from './options';
import { rulePoliciesOptionsKeys } from './options';
import { rulePolicies } from './rule-policies';

/**
 * A policy pack of the rules, over the Kubernetes objects of a stack. Pulumi serves it as soon as it is made, so a process
 * makes one; the version of the pack is that of the `package.json` in the working directory.
 *
 * @throws InvalidInput with everything that is wrong with the options
 *
 * @example
 * // index.ts beside a PulumiPolicy.yaml with `runtime: nodejs`
 * new RulesPolicyPack('cluster-canary', { enforcement: { WH12: 'mandatory', info: 'advisory' } });
 */
export class RulesPolicyPack extends PolicyPack {
  /**
   * @param name letters, digits, `-`, `_` and `.`
   * @param initialConfig of the policies, which configuration that is given to Pulumi goes before
   */
  public constructor(name: string, options: RulePoliciesOptions = {}, initialConfig?: PolicyPackConfig) {
    refuseOptions(`RulesPolicyPack "${name}"`, options, rulePoliciesOptionsKeys);
    super(
      name,
      {
        policies: rulePolicies(options),
        description: 'Webhooks, certificates, GitOps settings and retries that stop a cluster',
        displayName: 'Rules of cluster-canary',
        provider: 'kubernetes',
      },
      initialConfig,
    );
  }
}
