import type * as aws from '@pulumi/aws';
import type { Problem, Rule, OptionsOf } from '../problems';
import { Problems, wholeNumber } from '../problems';
import type { RuleConditions } from './conditions';
import { conditionProblems, ruleConditionsKeys } from './conditions';

/** How a rule stands on its listener. */
export interface RuleSettings extends RuleConditions {
  /** Place among the listener's rules, 1 to 50000: the lowest that matches wins. No two rules share one. */
  readonly priority: number;
  /**
   * Seconds for which a client stays with the slot that it got first, 1 to 604800.
   *
   * Clients that stay are not moved by new weights: stickiness delays a shift and a rollback alike.
   *
   * @default - off
   */
  readonly stickinessSeconds?: number;
  /**
   * ARN of a rule that exists: it is adopted (Pulumi's `import`) with the weights that are live, and then updated to the
   * program's, with a shift if weights differ. May stay in the program.
   *
   * @default - the rule is created
   * @see https://www.pulumi.com/docs/iac/concepts/options/import/
   */
  readonly adopt?: string;
  /**
   * Raw arguments of the listener rule, over everything else; with `conditions` in it no other condition is
   * needed.
   * @default - none
   */
  readonly ruleArgs?: Partial<aws.lb.ListenerRuleArgs>;
}

export const ruleSettingsKeys: OptionsOf<RuleSettings> = {
  ...ruleConditionsKeys,
  priority: 'plain',
  stickinessSeconds: 'plain',
  adopt: 'plain',
  ruleArgs: 'open',
};

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateRule.html
 */
const priority = wholeNumber(1, 50_000);

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupStickinessConfig.html
 */
const stickiness = wholeNumber(1, 604_800);

/**
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
const adoptedRule: Rule = {
  allowed:
    "the ARN of a rule of an Application Load Balancer's listener: arn:aws:elasticloadbalancing:REGION:ACCOUNT:listener-rule/app/NAME/ID/ID/ID",
  accepts: (value) =>
    typeof value === 'string' &&
    /^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\d{12}:listener-rule\/app(\/[^/\s]+){4}$/.test(value),
};

/**
 * What is wrong with a rule's settings.
 *
 * @param taken who has which priority of the listener already
 */
export function ruleSettingsProblems(
  settings: RuleSettings,
  taken: ReadonlyMap<number, string>,
): readonly Problem[] {
  const problems = new Problems('rule');
  if (problems.check('priority', settings.priority, priority)) {
    const other = taken.get(settings.priority);
    if (other !== undefined) {
      problems.add('priority', settings.priority, `free on the listener: ${other} has it`);
    }
  }
  if (settings.stickinessSeconds !== undefined) {
    problems.check('stickinessSeconds', settings.stickinessSeconds, stickiness);
  }
  if (settings.adopt !== undefined) {
    problems.check('adopt', settings.adopt, adoptedRule);
  }
  if (settings.ruleArgs?.conditions === undefined) {
    problems.addAll(conditionProblems(settings));
  }
  return problems.all;
}
