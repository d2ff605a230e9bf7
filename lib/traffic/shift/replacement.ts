import { describeWeights } from '../../shift';
import type { LiveRule, LiveRules } from './live-rules';
import { ruleTag } from './rule-identity';
import type { NewRule, RuleShift } from './rule-shift';
import { hasWeights, shownWeights } from './shown-weights';

/**
 * Why a rule must not be created now: it takes the place of one whose live weights are not the wanted ones. The engine calls
 * no `beforeUpdate` when it replaces, and says nothing of the old resource in `beforeCreate`; so the old rule is looked for
 * by its tag, on the listeners of the load balancers that the slots' target groups are used by.
 *
 * @returns undefined where it may be created
 */
export async function replacementRefusal(
  { what, rules, wanted }: RuleShift,
  { tag, place, partOf }: NewRule,
  live: LiveRules,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const rule = rules.find((each) => each.tag === tag);
  if (!rule) {
    return undefined;
  }
  const arns = Object.values(rule.targets);
  const around = [...(await live.around(arns, signal)), ...(await live.at(place, signal))];
  const old = new Map(
    around.filter(({ id, tags }) => id !== partOf && tags[ruleTag] === tag).map((each) => [each.id, each]),
  );
  const different = [...old.values()].filter((each) => !hasWeights(each, rule.targets, wanted));
  return different.length === 0
    ? undefined
    : [
        `${what}: the rule would be replaced, and with it the traffic moved at once.`,
        ...different.map((each) => line(each, rule.targets)),
        `  wanted: ${describeWeights(wanted)}`,
        'Shift first: leave the rule where it is and change only its weights. Move the rule when they are live.',
      ].join('\n');
}

function line(rule: LiveRule, targets: Readonly<Record<string, string>>): string {
  return `  live on ${rule.id}: ${describeWeights(shownWeights(rule.targets, targets))}`;
}
