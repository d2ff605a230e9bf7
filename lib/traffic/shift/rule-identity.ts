import type { LiveRule } from './live-rules';

/** Tag of a rule that says which rule of which program it is. */
export const ruleTag = 'cluster-canary/rule';

/** Tag of a target group that says which slot it is of. */
export const slotTag = 'cluster-canary/slot';

/** What a program knows of a rule before the engine has told it the rule's ARN. */
export interface RuleIdentity {
  /** Value of the tag. */
  readonly tag: string;
  /** Place among the listener's rules. */
  readonly priority: number;
}

/**
 * The value of the tag: project, stack and name of the rule, in characters that AWS takes.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Tag.html
 */
export function ruleTagValue(project: string, stack: string, name: string): string {
  return [project, stack, name]
    .join('/')
    .replace(/[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu, '_')
    .slice(0, 256);
}

/**
 * The live rule behind a rule of a program: the one with its tag; else the one at its priority that has no such tag and
 * forwards to nothing but the program's target groups, which is one from before the tag, or an imported one.
 *
 * @param own ARNs of the rule's target groups
 */
export function findRule(
  live: readonly LiveRule[],
  { tag, priority }: RuleIdentity,
  own: ReadonlySet<string>,
): LiveRule | undefined {
  return (
    live.find(({ tags }) => tags[ruleTag] === tag) ??
    live.find(
      (rule) =>
        rule.priority === priority &&
        rule.tags[ruleTag] === undefined &&
        rule.targets.length > 0 &&
        rule.targets.every(({ arn }) => arn !== undefined && own.has(arn)),
    )
  );
}
