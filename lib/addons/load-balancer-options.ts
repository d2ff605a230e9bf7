import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { Problem, OptionsOf } from '../problems';
import { Problems, oneOf, listOf } from '../problems';
import { podCount } from './catalogue';
import type { ChartOptions } from './chart-options';
import { chartProblems, chartOptionsKeys } from './chart-options';
import type { PolicyStatement } from './iam-policy';
import { policyStatementKeys } from './iam-policy';
import { loadBalancerControllerValueProblems } from './load-balancer-guards';
import type { LoadBalancerControllerManages } from './load-balancer-values';

/** Options of the AWS Load Balancer Controller add-on. */
export interface AwsLoadBalancerControllerOptions extends ChartOptions {
  /**
   * Version of the chart, which is that of the controller.
   * @default '3.5.0' - the version in which values, webhooks and AWS calls were read
   */
  readonly version?: string;
  /**
   * What the controller may do in AWS: fill target groups that it is told of by TargetGroupBindings, or make load
   * balancers for Ingresses, Services and Gateways as well.
   * @default 'targetGroupBindings' - a fleet's load balancer and target groups belong to the program
   */
  readonly manages?: LoadBalancerControllerManages;
  /**
   * ARNs of further target groups that the controller fills, beside the slot's.
   * @default - the slot's alone; where the slot does not know them, all of the account and region
   */
  readonly targetGroupArns?: readonly pulumi.Input<string>[];
  /**
   * Whether the controller may write rules of security groups that carry the cluster's tag, for TargetGroupBindings
   * with `spec.networking`.
   * @default false - a fleet's security group rules belong to the program
   */
  readonly managesSecurityGroups?: boolean;
  /**
   * Further statements of the role's policy, say `sts:AssumeRole` for target groups of another account.
   * @default - none
   */
  readonly policyStatements?: readonly PolicyStatement[];
  /** Arguments of the IAM role laid over ours. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /**
   * Pods of the controller, 1 to 10: one works, all serve webhooks.
   * @default 2
   */
  readonly replicas?: number;
}

export const awsLoadBalancerControllerOptionsKeys: OptionsOf<AwsLoadBalancerControllerOptions> = {
  ...chartOptionsKeys,
  version: 'plain',
  manages: 'plain',
  targetGroupArns: listOf('open'),
  managesSecurityGroups: 'plain',
  policyStatements: listOf(policyStatementKeys),
  roleArgs: 'open',
  replicas: 'plain',
};

/** Version of the chart where nothing else is said. */
export const controllerVersion = '3.5.0';

/** What is wrong with the options. */
export function loadBalancerControllerProblems(options: AwsLoadBalancerControllerOptions): Problem[] {
  const problems = new Problems('AWS Load Balancer Controller');
  problems.addAll(chartProblems(options.version ?? controllerVersion, options));
  problems.checkGiven('', options, {
    manages: oneOf('targetGroupBindings', 'ingresses'),
    replicas: podCount,
  });
  if (options.manages === 'ingresses') {
    const reason =
      "left out with manages: 'ingresses', whose policy covers every target group and security group";
    if (options.targetGroupArns !== undefined) {
      problems.addSecret('targetGroupArns', reason);
    }
    if (options.managesSecurityGroups !== undefined) {
      problems.add('managesSecurityGroups', options.managesSecurityGroups, reason);
    }
  }
  problems.addAll(loadBalancerControllerValueProblems(options.values ?? {}));
  return [...problems.all];
}
