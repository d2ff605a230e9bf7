import type { AwsClients } from '../../../../core/aws/clients';
import { LoadBalancingReader, askBalancing, forwardTargets } from '../../../../core/aws/load-balancing';
import { slotWeights } from '../live-splits';
import { actionsChange, listenerOf, loadBalancerOf } from '../split-kind';
import type { HookedResource, LiveSplit, LiveSplits, SplitKind } from '../split-kind';

/** The rules of listeners. Every method throws an AwsError for what AWS does not answer. */
function liveListenerRules(clients: AwsClients): LiveSplits {
  const reader = new LoadBalancingReader(askBalancing(clients));
  const at: LiveSplits['at'] = async (listenerArn, signal) => {
    const rules = await reader.rules(listenerArn, signal);
    return tagged(
      reader,
      rules.map(({ RuleArn: id = '', Priority, Actions = [] }) => ({
        id,
        place: listenerArn,
        priority: Number(Priority),
        targets: forwardTargets(Actions),
      })),
      signal,
    );
  };
  return {
    at,
    tagsOf: (arns, signal) => reader.tags(arns, signal),
    around: async (targetGroupArns, signal) => {
      const rules: LiveSplit[] = [];
      for (const loadBalancer of await loadBalancersOf(reader, targetGroupArns, signal)) {
        for (const { ListenerArn = '' } of await reader.listeners(loadBalancer, signal)) {
          rules.push(...(await at(ListenerArn, signal)));
        }
      }
      return rules;
    },
  };
}

/** Listeners by their default actions; of two with one port, which AWS allows by protocol, the tag tells. */
function liveListeners(clients: AwsClients): LiveSplits {
  const reader = new LoadBalancingReader(askBalancing(clients));
  const at: LiveSplits['at'] = async (loadBalancerArn, signal) => {
    const listening = await reader.listeners(loadBalancerArn, signal);
    return tagged(
      reader,
      listening.map(({ ListenerArn: id = '', Port, DefaultActions = [] }) => ({
        id,
        place: loadBalancerArn,
        priority: Port ?? 0,
        targets: forwardTargets(DefaultActions),
      })),
      signal,
    );
  };
  return {
    at,
    tagsOf: (arns, signal) => reader.tags(arns, signal),
    around: async (targetGroupArns, signal) => {
      const found: LiveSplit[] = [];
      for (const loadBalancer of await loadBalancersOf(reader, targetGroupArns, signal)) {
        found.push(...(await at(loadBalancer, signal)));
      }
      return found;
    },
  };
}

async function tagged(
  reader: LoadBalancingReader,
  rules: readonly Omit<LiveSplit, 'tags'>[],
  signal?: AbortSignal,
): Promise<readonly LiveSplit[]> {
  const ids = rules.map(({ id }) => id);
  const tags = await reader.tags(ids, signal);
  return rules.map((rule) => ({ ...rule, tags: tags.get(rule.id) ?? {} }));
}

async function loadBalancersOf(
  reader: LoadBalancingReader,
  targetGroupArns: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const groups = await reader.targetGroups(targetGroupArns, signal);
  return new Set(groups.flatMap(({ LoadBalancerArns = [] }) => LoadBalancerArns));
}

const onLoadBalancer = {
  hasParts: false,
  holdsTargets: true,
  idOf: ({ id }) => id,
  origin: slotWeights,
} satisfies Partial<SplitKind>;

/** Rules of the listeners of an Application Load Balancer: `aws.lb.ListenerRule`. */
export const listenerRuleSplits: SplitKind = {
  ...onLoadBalancer,
  word: 'rule',
  property: 'actions',
  placeIn: (resource) => textIn(resource, 'listenerArn'),
  placeOf: listenerOf,
  change: (resource) => actionsChange(resource, 'actions'),
  live: liveListenerRules,
  routerAt: () => 'albRule',
  router: ({ id: ruleArn }, { roleArn }) => ({
    albRule: { ruleArn, ...(roleArn !== undefined && { roleArn }) },
  }),
};

/** Listeners of either load balancer with their default actions: `aws.lb.Listener`. */
export const listeners: SplitKind = {
  ...onLoadBalancer,
  word: 'listener',
  property: 'defaultActions',
  placeIn: (resource) => textIn(resource, 'loadBalancerArn'),
  placeOf: loadBalancerOf,
  change: (resource) => actionsChange(resource, 'defaultActions'),
  live: liveListeners,
  routerAt: (place) => (isNetwork(place) ? 'nlbListener' : 'albDefaultAction'),
  router: ({ id: listenerArn }, { roleArn }) => {
    const settings = { listenerArn, ...(roleArn !== undefined && { roleArn }) };
    return isNetwork(listenerArn) ? { nlbListener: settings } : { albDefaultAction: settings };
  },
};

function isNetwork(arn: string): boolean {
  return /:(listener|loadbalancer)\/net\//.test(arn);
}

function textIn({ newInputs }: HookedResource, property: string): string | undefined {
  const value: unknown = newInputs?.[property];
  return typeof value === 'string' ? value : undefined;
}
