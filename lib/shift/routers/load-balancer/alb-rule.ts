import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { awsClients } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import type { RightsStatement } from '../../../core/aws/iam';
import { beforeEachRequest, sentOnce } from '../../../core/aws/requests';
import { InvalidInput } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { machineClocks } from '../look-and-write';
import type { LookClocks } from '../look-and-write';
import type { AwsRouter } from '../router-kind';
import { ForwardRouter, actionsHolder, holderRights } from './forward-router';
import type { HolderKind, Listed } from './forward-router';
import {
  elasticLoadBalancingArn,
  loadBalancerSubject,
  regionOf,
  targetGroupSettingsProblems,
} from './settings';
import type { TargetGroupSettings } from './settings';

/** Settings of {@link albRule}. */
export interface AlbRuleSettings extends TargetGroupSettings {
  /** ARN of the listener's rule; not of the default one, which is the listener's default action. */
  readonly ruleArn: string;
}

const ruleArnRule = elasticLoadBalancingArn(
  'listener-rule/app',
  "a rule of an Application Load Balancer's listener",
);

const rule: HolderKind = {
  words: 'ALB rule',
  describe: 'DescribeRules',
  modify: 'ModifyRule',
  read: async (client, arn, { asked, ...options }) => {
    const { DescribeRulesCommand } = await import('@aws-sdk/client-elastic-load-balancing-v2');
    const command = beforeEachRequest(new DescribeRulesCommand({ RuleArns: [arn] }), asked);
    return actionsOf((await client.send(command, options)).Rules);
  },
  write: async (client, arn, actions, { before, ...options }) => {
    const { ModifyRuleCommand } = await import('@aws-sdk/client-elastic-load-balancing-v2');
    const command = sentOnce(new ModifyRuleCommand({ RuleArn: arn, Actions: actions }), before);
    return actionsOf((await client.send(command, options)).Rules);
  },
};

function actionsOf(rules: readonly Rule[] | undefined): Listed {
  return rules?.map(({ Actions = [] }) => Actions);
}

/** What is wrong with the settings, whatever they are. */
export function albRuleProblems(settings: unknown): readonly Problem[] {
  return targetGroupSettingsProblems(settings, 'albRule', 'ruleArn', ruleArnRule);
}

/**
 * The least rights that {@link albRule} needs. A rule that authenticates through Amazon Cognito needs
 * `cognito-idp:DescribeUserPoolClient` on the user pool, too.
 */
export function albRuleRights({ ruleArn }: AlbRuleSettings): readonly RightsStatement[] {
  return holderRights(rule, ruleArn);
}

/**
 * Weights on the rule of an Application Load Balancer's listener. Each write keeps the rule's conditions, transforms,
 * stickiness and other actions.
 *
 * @param clients @default - clients of the rule's region and the settings' role
 * @param clocks how long ago it has looked, before it writes @default - those of this machine
 * @throws InvalidInput with every problem of the settings
 * @example
 * const router = albRule({
 *   ruleArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee',
 *   targetGroupArns: { blue: blueArn, green: greenArn },
 * });
 * await router.write({ blue: 90, green: 10 });
 */
export function albRule(
  settings: AlbRuleSettings,
  clients?: AwsClients,
  clocks: LookClocks = machineClocks,
): AwsRouter {
  const problems = albRuleProblems(settings);
  if (problems.length > 0) {
    throw new InvalidInput('albRule', problems);
  }
  const { ruleArn, targetGroupArns, roleArn } = settings;
  const used = clients ?? awsClients({ region: regionOf(ruleArn), roleArn });
  return new ForwardRouter(
    actionsHolder(rule, ruleArn, used),
    targetGroupArns,
    used,
    loadBalancerSubject('http', ruleArn, settings),
    albRuleRights(settings),
    clocks,
  );
}
