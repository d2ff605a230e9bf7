import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { awsAccess } from '../../../core/aws/access-schema';
import type { AwsAccess } from '../../../core/aws/arns';
import { sentOnce } from '../../../core/aws/requests';
import { object } from '../../../core/validation/collections';
import { forwardKind } from './forward-router';
import type { OwnerKind, Listed } from './forward-router';
import { elasticLoadBalancingArn } from './settings';

/** Settings of `albRule`. */
export interface AlbRuleSettings extends AwsAccess {
  /** ARN of the listener's rule; not of the default one, which is the listener's default action. */
  readonly ruleArn: string;
}

const rule: OwnerKind = {
  words: 'ALB rule',
  describe: 'DescribeRules',
  modify: 'ModifyRule',
  write: async (client, arn, actions, { before, ...options }) => {
    const { ModifyRuleCommand } = await import('@aws-sdk/client-elastic-load-balancing-v2');
    const command = sentOnce(new ModifyRuleCommand({ RuleArn: arn, Actions: actions }), before);
    return actionsOf((await client.send(command, options)).Rules);
  },
};

function actionsOf(rules: readonly Rule[] | undefined): Listed {
  return rules?.map(({ Actions = [] }) => Actions);
}

/**
 * Weights on the rule of an Application Load Balancer's listener. Each write keeps the rule's conditions, transforms,
 * stickiness and other actions.
 *
 * A rule that authenticates through Amazon Cognito needs the permission `cognito-idp:DescribeUserPoolClient` on the user
 * pool, too.
 */
export const albRule = forwardKind<'ruleArn', AlbRuleSettings>({
  title: "a rule of an Application Load Balancer's listener",
  layer: 'http',
  arn: 'ruleArn',
  settings: object<AlbRuleSettings>({
    ruleArn: elasticLoadBalancingArn(
      'listener-rule/app',
      "a rule of an Application Load Balancer's listener",
    ),
    ...awsAccess,
  }),
  holder: rule,
});
