import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { onCleanUp } from './clean-up';
import type { Moto } from './moto';

/** As the AWS Load Balancer Controller registers the pods of a Service in a slot's target groups; and what a test asks of those. */
export class TargetController {
  private readonly balancing: ElasticLoadBalancingV2;

  public constructor(aws: Moto) {
    this.balancing = new ElasticLoadBalancingV2(aws.directSettings);
    const timer = setInterval(() => void this.register().catch(() => undefined), 500);
    onCleanUp(() => {
      clearInterval(timer);
      this.balancing.destroy();
    });
  }

  /** Names of all target groups, without what is random. */
  public async groups(): Promise<string[]> {
    const { TargetGroups = [] } = await this.balancing.describeTargetGroups({});
    return TargetGroups.map(({ TargetGroupName }) => plainName(TargetGroupName!)).sort();
  }

  /** Weights on the rules that lead to a fleet, by the target group's name without what is random. */
  public async weights(fleet: string): Promise<Record<string, number>> {
    const rules = (await this.rules()).flatMap(({ Actions = [] }) => Actions);
    const groups = rules
      .flatMap(({ ForwardConfig }) => ForwardConfig?.TargetGroups ?? [])
      .map(({ TargetGroupArn, Weight }) => [nameOf(TargetGroupArn!), Weight ?? 1] as const);
    return Object.fromEntries(groups.filter(([name]) => name.startsWith(`${fleet}-`)));
  }

  /** Writes weights on the rule of a fleet, as a person does in the console; by slot. */
  public async write(fleet: string, weights: Readonly<Record<string, number>>): Promise<void> {
    const rule = (await this.rules()).find(({ Actions }) => JSON.stringify(Actions).includes(`/${fleet}-`))!;
    const { TargetGroups = [] } = rule.Actions![0]!.ForwardConfig!;
    const written = TargetGroups.map(({ TargetGroupArn }) => ({
      TargetGroupArn,
      Weight: weights[nameOf(TargetGroupArn!).split('-')[1]!] ?? 0,
    }));
    await this.balancing.modifyRule({
      RuleArn: rule.RuleArn,
      Actions: [{ Type: 'forward', ForwardConfig: { TargetGroups: written } }],
    });
  }

  private async register(): Promise<void> {
    const { TargetGroups = [] } = await this.balancing.describeTargetGroups({});
    for (const [index, { TargetGroupArn, LoadBalancerArns = [] }] of TargetGroups.entries()) {
      const { TargetHealthDescriptions = [] } = await this.balancing.describeTargetHealth({ TargetGroupArn });
      if (TargetHealthDescriptions.length === 0) {
        const Targets = [1, 2].map((pod) => ({ Id: `10.0.${index}.${pod}`, Port: 9898 }));
        await this.balancing.registerTargets({ TargetGroupArn, Targets });
      }
      if (LoadBalancerArns.length === 0) {
        await this.connect(TargetGroupArn!);
      }
    }
  }

  /** moto says what load balancer a target group has only where a rule was created with it, not where one was changed. */
  private async connect(group: string): Promise<void> {
    for (const ListenerArn of await this.listeners()) {
      const { Rules = [] } = await this.balancing.describeRules({ ListenerArn });
      const leads = Rules.some(({ Actions = [] }) => JSON.stringify(Actions).includes(group));
      if (leads) {
        const { Rules: [made] = [] } = await this.balancing.createRule({
          ListenerArn,
          Priority: 49_999,
          Conditions: [{ Field: 'path-pattern', Values: ['/none'] }],
          Actions: [{ Type: 'forward', TargetGroupArn: group }],
        });
        await this.balancing.deleteRule({ RuleArn: made!.RuleArn });
      }
    }
  }

  private async rules() {
    const found = await Promise.all(
      (await this.listeners()).map((ListenerArn) => this.balancing.describeRules({ ListenerArn })),
    );
    return found.flatMap(({ Rules = [] }) => Rules);
  }

  private async listeners(): Promise<string[]> {
    const { LoadBalancers = [] } = await this.balancing.describeLoadBalancers({});
    const found = await Promise.all(
      LoadBalancers.map(({ LoadBalancerArn }) => this.balancing.describeListeners({ LoadBalancerArn })),
    );
    return found.flatMap(({ Listeners = [] }) => Listeners.map(({ ListenerArn }) => ListenerArn!));
  }
}

function nameOf(arn: string): string {
  return plainName(arn.split('/').at(-2)!);
}

function plainName(name: string): string {
  return name.replace(/-[0-9a-f]{7}$/, '');
}
