import { attachingRouter } from '../../plans';
import { liveListenerRules, liveListeners } from './live-elb';
import { listenerOf, loadBalancerOf } from './live-rules';
import { actionsChange } from './rule-change';
import type { RuleKind } from './rule-kind';
import type { HookedResource } from './hooked-resource';
import { slotWeights } from './rule-slots';

const onLoadBalancer = {
  hasParts: false,
  holdsTargets: true,
  idOf: ({ id }) => id,
  origin: slotWeights,
  plannedSlot: (targetGroupArn) => ({ targetGroupArn }),
  attaching: (router, _rule, _wanted, weights) => attachingRouter(router, weights),
} satisfies Partial<RuleKind>;

/** Rules of the listeners of an Application Load Balancer: `aws.lb.ListenerRule`. */
export const listenerRules: RuleKind = {
  ...onLoadBalancer,
  word: 'rule',
  property: 'actions',
  placeIn: (resource) => textIn(resource, 'listenerArn'),
  placeOf: listenerOf,
  change: (resource) => actionsChange(resource, 'actions'),
  live: liveListenerRules,
  layer: () => 'http',
  router: ({ id }, targetGroupArns, { roleArn }) => ({
    albRule: { ruleArn: id, targetGroupArns, ...(roleArn !== undefined && { roleArn }) },
  }),
  planned: (ruleArn, roleArn) => ({ albRule: { ruleArn, ...(roleArn !== undefined && { roleArn }) } }),
};

/** Listeners of either load balancer with their default actions: `aws.lb.Listener`. */
export const listeners: RuleKind = {
  ...onLoadBalancer,
  word: 'listener',
  property: 'defaultActions',
  placeIn: (resource) => textIn(resource, 'loadBalancerArn'),
  placeOf: loadBalancerOf,
  change: (resource) => actionsChange(resource, 'defaultActions'),
  live: liveListeners,
  layer: (place) => (isNetwork(place) ? 'connections' : 'http'),
  router: ({ id }, targetGroupArns, { roleArn }) =>
    listenerRouter(id, { targetGroupArns, ...(roleArn !== undefined && { roleArn }) }),
  planned: (id, roleArn) => listenerRouter(id, roleArn === undefined ? {} : { roleArn }),
};

function listenerRouter<Settings extends object>(listenerArn: string, settings: Settings) {
  const all = { listenerArn, ...settings };
  return isNetwork(listenerArn) ? { nlbListener: all } : { albDefaultAction: all };
}

function isNetwork(arn: string): boolean {
  return /:(listener|loadbalancer)\/net\//.test(arn);
}

function textIn({ newInputs }: HookedResource, property: string): string | undefined {
  const value: unknown = newInputs?.[property];
  return typeof value === 'string' ? value : undefined;
}
