import type {
  Action,
  ElasticLoadBalancingV2,
  RuleCondition,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { everyPage, withList } from '../aws';

/** Asks Elastic Load Balancing; the action is for errors: `DescribeRules`. */
export type AskBalancing = <Answer>(
  action: string,
  call: (client: ElasticLoadBalancingV2) => Promise<Answer>,
) => Promise<Answer>;

/** A rule of a listener, or the listener itself with what it does by default. */
export interface ListenerRule {
  /** ARN of the rule or listener. */
  readonly where: string;
  /** ARN of the load balancer. */
  readonly balancer: string;
  /** The lowest that matches wins; `Infinity` for what a listener does by default. */
  readonly priority: number;
  /** All of them have to hold. */
  readonly conditions: readonly RuleCondition[];
  readonly actions: readonly Action[];
}

/** Kinds of listeners that have rules; those of a Network Load Balancer tell addresses of IPv4 and IPv6 apart. */
const withRules = /:listener\/(app|net)\//;

/**
 * The rules of each listener of a load balancer, with its default.
 *
 * @throws AwsError
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/network/create-rule.html
 */
export async function listenerRules(
  ask: AskBalancing,
  balancer: string,
): Promise<readonly (readonly ListenerRule[])[]> {
  const listeners = await everyPage(
    { action: 'elasticloadbalancing:DescribeListeners', subject: balancer },
    async (Marker) => {
      const { Listeners, NextMarker } = await ask('DescribeListeners', (client) =>
        withList('Listeners', client.describeListeners({ LoadBalancerArn: balancer, Marker })),
      );
      return { items: Listeners, next: NextMarker };
    },
  );
  const found: (readonly ListenerRule[])[] = [];
  for (const { ListenerArn: where = '', DefaultActions: actions = [] } of listeners) {
    const byDefault = { where, balancer, priority: Infinity, conditions: [], actions };
    found.push([...(withRules.test(where) ? await rules(ask, balancer, where) : []), byDefault]);
  }
  return found;
}

async function rules(ask: AskBalancing, balancer: string, listener: string): Promise<ListenerRule[]> {
  const found = await everyPage(
    { action: 'elasticloadbalancing:DescribeRules', subject: listener },
    async (Marker) => {
      const { Rules, NextMarker } = await ask('DescribeRules', (client) =>
        withList('Rules', client.describeRules({ ListenerArn: listener, Marker })),
      );
      return { items: Rules, next: NextMarker };
    },
  );
  // The default rule does what the listener does by default.
  return found
    .filter(({ IsDefault }) => !IsDefault)
    .map(({ RuleArn: where = '', Priority, Conditions: conditions = [], Actions: actions = [] }) => ({
      ...{ where, balancer, priority: Number(Priority), conditions, actions },
    }));
}

/** A target group that an action forwards to. */
export interface ForwardedTo {
  readonly arn: string;
  readonly weight: number;
}

/** The target groups that actions forward to; one that is alone gets everything, whatever its weight. */
export function forwardedTo(actions: readonly Action[]): readonly ForwardedTo[] {
  const forward = actions.find(({ Type }) => Type === 'forward');
  const groups = forward?.ForwardConfig?.TargetGroups ?? [];
  if (groups.length < 2) {
    const arn = groups[0]?.TargetGroupArn ?? forward?.TargetGroupArn;
    return arn === undefined ? [] : [{ arn, weight: 1 }];
  }
  return groups.map(({ TargetGroupArn = '', Weight = 0 }) => ({ arn: TargetGroupArn, weight: Weight }));
}

/** For how many seconds a client stays with the target group that it got first; undefined where it does not. */
export function stickySeconds(actions: readonly Action[]): number | undefined {
  const config = actions.find(({ Type }) => Type === 'forward')?.ForwardConfig?.TargetGroupStickinessConfig;
  return config?.Enabled ? (config.DurationSeconds ?? longestStickiness) : undefined;
}

/**
 * In seconds.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupStickinessConfig.html
 */
const longestStickiness = 604_800;
