import type { AwsClients, RightsStatement } from '../aws';
import { askAws, AwsError, awsClients } from '../aws';
import type { Problem } from '../problems';
import { InvalidInput } from '../problems';
import type { AwsRouter } from './aws-router';
import type { ActionsHolder } from './forward-router';
import { ForwardRouter } from './forward-router';
import type { TargetGroupSettings } from './forward-settings';
import {
  elasticLoadBalancingArn,
  forwardRights,
  loadBalancerSubject,
  regionOf,
  targetGroupSettingsProblems,
} from './forward-settings';

/** Settings of {@link albRule}. */
export interface AlbRuleSettings extends TargetGroupSettings {
  /** ARN of the listener's rule; not of the default one, which is the listener's default action. */
  readonly ruleArn: string;
}

const ruleArnRule = elasticLoadBalancingArn(
  'listener-rule/app',
  "a rule of an Application Load Balancer's listener",
);

/** What is wrong with the settings, whatever they are. */
export function albRuleProblems(settings: unknown): readonly Problem[] {
  return targetGroupSettingsProblems(settings, 'albRule', 'ruleArn', ruleArnRule);
}

/**
 * The least rights that {@link albRule} needs. A rule that authenticates through Amazon Cognito needs
 * `cognito-idp:DescribeUserPoolClient` on the user pool, too.
 */
export function albRuleRights({ ruleArn }: AlbRuleSettings): readonly RightsStatement[] {
  return forwardRights('DescribeRules', 'ModifyRule', ruleArn);
}

/**
 * Weights on the rule of an Application Load Balancer's listener. Each write keeps the rule's conditions, transforms,
 * stickiness and other actions.
 *
 * @param clients @default - clients of the rule's region and the settings' role
 * @throws InvalidInput with every problem of the settings
 * @example
 * const router = albRule({
 *   ruleArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee',
 *   targetGroupArns: { blue: blueArn, green: greenArn },
 * });
 * await router.write({ blue: 90, green: 10 });
 */
export function albRule(settings: AlbRuleSettings, clients?: AwsClients): AwsRouter {
  const problems = albRuleProblems(settings);
  if (problems.length > 0) {
    throw new InvalidInput('albRule', problems);
  }
  const { ruleArn, targetGroupArns, roleArn } = settings;
  const used = clients ?? awsClients({ region: regionOf(ruleArn), roleArn });
  return new ForwardRouter(
    new RuleHolder(ruleArn, used),
    targetGroupArns,
    used,
    loadBalancerSubject('http', ruleArn, settings),
    albRuleRights(settings),
  );
}

class RuleHolder implements ActionsHolder {
  public readonly name: string;
  public readonly region: string;

  public constructor(
    public readonly arn: string,
    private readonly clients: AwsClients,
  ) {
    this.name = `ALB rule ${arn}`;
    this.region = regionOf(arn);
  }

  public read: ActionsHolder['read'] = async (signal) => {
    const call = { action: 'elasticloadbalancing:DescribeRules', subject: this.name, region: this.region };
    const { Rules = [] } = await askAws(call, async () =>
      (await this.clients.elasticLoadBalancing()).describeRules(
        { RuleArns: [this.arn] },
        { abortSignal: signal },
      ),
    );
    const [rule] = Rules;
    if (!rule) {
      throw new AwsError(call, { kind: 'notFound' }, new Error('no such rule'));
    }
    return rule.Actions ?? [];
  };

  public write: ActionsHolder['write'] = async (actions, signal) => {
    const call = { action: 'elasticloadbalancing:ModifyRule', subject: this.name, region: this.region };
    await askAws(call, async () =>
      (await this.clients.elasticLoadBalancing()).modifyRule(
        { RuleArn: this.arn, Actions: [...actions] },
        { abortSignal: signal },
      ),
    );
  };
}
