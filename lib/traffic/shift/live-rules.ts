import type { RecordType } from '../../routers';
import type { WeightedTarget } from './rule-weights';

/** What holds weights, as it stands in AWS: a listener's rule, a listener, the records of one name. */
export interface LiveRule {
  /** ARN; of records the zone and the name. */
  readonly id: string;
  /** ARN of the listener, or of the load balancer; of records the zone. */
  readonly place: string;
  /** Of a listener its port; of records 0. */
  readonly priority: number;
  readonly targets: readonly WeightedTarget[];
  readonly tags: Readonly<Record<string, string>>;
  /** Of records the types that are there. */
  readonly types?: readonly RecordType[];
}

/** What AWS says of rules and of what stands on them, beside what a router asks. */
export interface LiveRules {
  /** What stands at one place: the rules of a listener without its default one, the listeners of a load balancer. */
  at(place: string, signal?: AbortSignal): Promise<readonly LiveRule[]>;
  /** The same of every load balancer that one of the target groups is used by. */
  around(targets: readonly string[], signal?: AbortSignal): Promise<readonly LiveRule[]>;
  /** Tags of target groups, by ARN. */
  tagsOf(targets: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, LiveRule['tags']>>;
}

/**
 * The ARN of the listener that a rule stands on.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html#awselasticloadbalancingv2-resources-for-iam-policies
 */
export function listenerOf(ruleArn: string): string {
  return ruleArn.replace(':listener-rule/', ':listener/').replace(/\/[^/]+$/, '');
}

/** The ARN of the load balancer that a listener stands on. */
export function loadBalancerOf(listenerArn: string): string {
  return listenerArn.replace(':listener/', ':loadbalancer/').replace(/\/[^/]+$/, '');
}
