import { isDeepStrictEqual } from 'node:util';
import * as pulumi from '@pulumi/pulumi';
import { plainValue } from './plain-values';
import type { WeightedTarget, WeightsByArn } from './rule-weights';
import { ruleTargets, sharesDiffer, weightsByArn } from './rule-weights';

/** What is due to happen to a rule's actions. */
export interface RuleChange {
  /** Whether the provider is going to write the rule's actions. It writes nothing of what has not changed. */
  readonly writesActions: boolean;
  /** The weights in Pulumi's state. */
  readonly before: WeightsByArn;
  /** The new target groups; ARNs that a preview does not know are left out. */
  readonly after: readonly WeightedTarget[];
  readonly listenerArn: string | undefined;
}

/** Reads a hook's arguments. A secret somewhere in a property makes an output of all of it. */
export async function ruleChange({
  oldInputs = {},
  newInputs = {},
  oldOutputs = {},
}: Pick<pulumi.ResourceHookArgs, 'oldInputs' | 'newInputs' | 'oldOutputs'>): Promise<RuleChange> {
  const [given, found, wanted] = await Promise.all([
    known(oldInputs.actions),
    known(oldOutputs.actions),
    known(newInputs.actions),
  ]);
  const after = ruleTargets(wanted);
  const before = weightsByArn(ruleTargets(given ?? found));
  // The provider's last look may have found other weights than the program gave.
  const drifted = found !== undefined && sharesDiffer(weightsByArn(ruleTargets(found)), weightsByArn(after));
  const listenerArn = await known(newInputs.listenerArn);
  return {
    writesActions: drifted || !isDeepStrictEqual(given, wanted),
    before,
    after,
    listenerArn: typeof listenerArn === 'string' ? listenerArn : undefined,
  };
}

function known(property: unknown): Promise<unknown> {
  return pulumi.Output.isInstance(property) ? plainValue(property) : Promise.resolve(property);
}
