import { isDeepStrictEqual } from 'node:util';
import * as pulumi from '@pulumi/pulumi';
import { plainValue } from '../../bridge';
import type { HookedResource } from './hooked-resource';
import type { WeightedTarget, WeightsByArn } from './rule-weights';
import { ruleTargets, sharesDiffer, weightsByArn } from './rule-weights';

/** What is due to happen to a rule's weights. */
export interface RuleChange {
  /** Whether the provider is going to write weights. */
  readonly writesWeights: boolean;
  /** The weights in Pulumi's state. */
  readonly before: WeightsByArn;
  /** The new target groups; ARNs that a preview does not know are left out. */
  readonly after: readonly WeightedTarget[];
}

/**
 * Reads a hook's arguments, of a rule or a listener. Of actions that have not changed the provider writes nothing. A secret
 * somewhere in a property makes an output of all of it.
 *
 * @param property that has the actions
 */
export async function actionsChange(
  { oldInputs = {}, newInputs = {}, oldOutputs = {} }: Omit<HookedResource, 'id' | 'name'>,
  property: 'actions' | 'defaultActions',
): Promise<RuleChange> {
  const [given, found, wanted] = await Promise.all([
    known(oldInputs[property]),
    known(oldOutputs[property]),
    known(newInputs[property]),
  ]);
  const after = ruleTargets(wanted);
  const before = weightsByArn(ruleTargets(given ?? found));
  // The provider's last look may have found other weights than the program gave.
  const drifted = found !== undefined && sharesDiffer(weightsByArn(ruleTargets(found)), weightsByArn(after));
  return {
    writesWeights: drifted || !isDeepStrictEqual(given, wanted),
    before,
    after,
  };
}

/** The value of a hook's property. */
export function known(property: unknown): Promise<unknown> {
  return pulumi.Output.isInstance(property) ? plainValue(property) : Promise.resolve(property);
}
