import {
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTargetGroupsCommand,
  ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Moto } from './moto';

/** What a test asks of load balancers, past the proxy. */
export class LoadBalancing {
  private readonly client: ElasticLoadBalancingV2Client;

  public constructor(aws: Moto) {
    this.client = new ElasticLoadBalancingV2Client(aws.directSettings);
  }

  /** Closes the connections. */
  public close(): void {
    this.client.destroy();
  }

  /** The weights on a listener's only rule beside the default, by the target group's name without what is random. */
  public async weights(listenerArn: string): Promise<Record<string, number>> {
    const { Rules } = await this.client.send(new DescribeRulesCommand({ ListenerArn: listenerArn }));
    const rules = Rules!.filter(({ IsDefault }) => !IsDefault);
    if (rules.length !== 1) {
      throw new Error(`${rules.length} rules on ${listenerArn}`);
    }
    const { TargetGroups } = await this.client.send(new DescribeTargetGroupsCommand({}));
    const nameOf = (arn?: string) =>
      TargetGroups!.find(({ TargetGroupArn }) => TargetGroupArn === arn)!.TargetGroupName!;
    return Object.fromEntries(
      rules[0]!.Actions![0]!.ForwardConfig!.TargetGroups!.map(({ TargetGroupArn, Weight }) => [
        nameOf(TargetGroupArn).replace(/-[0-9a-f]{7}$/, ''),
        Weight!,
      ]),
    );
  }

  /** Names of what is there. */
  public async left(): Promise<{ loadBalancers: string[]; targetGroups: string[] }> {
    const { LoadBalancers } = await this.client.send(new DescribeLoadBalancersCommand({}));
    const { TargetGroups } = await this.client.send(new DescribeTargetGroupsCommand({}));
    return {
      loadBalancers: LoadBalancers!.map(({ LoadBalancerName }) => LoadBalancerName!),
      targetGroups: TargetGroups!.map(({ TargetGroupName }) => TargetGroupName!),
    };
  }
}
