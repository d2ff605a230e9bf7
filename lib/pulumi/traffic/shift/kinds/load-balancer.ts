import type { Action, ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsClients } from '../../../../core/aws/clients';
import { askAws } from '../../../../core/aws/errors';
import type { AwsCall } from '../../../../core/aws/errors';
import { everyPage } from '../../../../core/aws/pages';
import { slotWeights } from '../live-splits';
import { actionsChange, listenerOf, loadBalancerOf } from '../split-kind';
import type { HookedResource, LiveRule, LiveRules, SplitKind } from '../split-kind';
import type { WeightedTarget } from '../weights';

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
 */
const mostArnsInOneCall = 20;

/** The rules of listeners. Every method throws an AwsError for what AWS does not answer. */
function liveListenerRules(clients: AwsClients): LiveRules {
  const ask = asking(clients);
  const at: LiveRules['at'] = async (listenerArn, signal) => {
    const found = await everyPage(
      { action: 'elasticloadbalancing:DescribeRules', subject: `listener ${listenerArn}` },
      async (Marker) => {
        const { Rules = [], NextMarker } = await ask('DescribeRules', `listener ${listenerArn}`, (client) =>
          client.describeRules({ ListenerArn: listenerArn, Marker }, { abortSignal: signal }),
        );
        return { items: Rules, next: NextMarker };
      },
    );
    const rules = found.filter(({ IsDefault }) => IsDefault !== true);
    return tagged(
      ask,
      rules.map(({ RuleArn: id = '', Priority, Actions }) => ({
        id,
        place: listenerArn,
        priority: Number(Priority),
        targets: liveTargets(Actions),
      })),
      signal,
    );
  };
  return {
    at,
    tagsOf: (arns, signal) => tagsOf(ask, arns, signal),
    around: async (targetGroupArns, signal) => {
      const rules: LiveRule[] = [];
      for (const loadBalancer of await loadBalancersOf(ask, targetGroupArns, signal)) {
        for (const { ListenerArn = '' } of await listenersAt(ask, loadBalancer, signal)) {
          rules.push(...(await at(ListenerArn, signal)));
        }
      }
      return rules;
    },
  };
}

/** Listeners by their default actions; of two with one port, which AWS allows by protocol, the tag tells. */
function liveListeners(clients: AwsClients): LiveRules {
  const ask = asking(clients);
  const at: LiveRules['at'] = async (loadBalancerArn, signal) =>
    tagged(
      ask,
      (await listenersAt(ask, loadBalancerArn, signal)).map(
        ({ ListenerArn: id = '', Port, DefaultActions }) => ({
          id,
          place: loadBalancerArn,
          priority: Port ?? 0,
          targets: liveTargets(DefaultActions),
        }),
      ),
      signal,
    );
  return {
    at,
    tagsOf: (arns, signal) => tagsOf(ask, arns, signal),
    around: async (targetGroupArns, signal) => {
      const found: LiveRule[] = [];
      for (const loadBalancer of await loadBalancersOf(ask, targetGroupArns, signal)) {
        found.push(...(await at(loadBalancer, signal)));
      }
      return found;
    },
  };
}

type Ask = <Answer>(
  action: string,
  subject: string,
  call: (client: ElasticLoadBalancingV2) => Promise<Answer>,
) => Promise<Answer>;

function asking(clients: AwsClients): Ask {
  return async (action, subject, call) => {
    const asked: AwsCall = { action: `elasticloadbalancing:${action}`, subject, region: clients.region };
    return askAws(asked, async () => call(await clients.elasticLoadBalancing()));
  };
}

async function tagged(
  ask: Ask,
  rules: readonly Omit<LiveRule, 'tags'>[],
  signal?: AbortSignal,
): Promise<readonly LiveRule[]> {
  const tags = await tagsOf(
    ask,
    rules.map(({ id }) => id),
    signal,
  );
  return rules.map((rule) => ({ ...rule, tags: tags.get(rule.id) ?? {} }));
}

async function tagsOf(
  ask: Ask,
  arns: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, LiveRule['tags']>> {
  const found = new Map<string, LiveRule['tags']>();
  for (let start = 0; start < arns.length; start += mostArnsInOneCall) {
    const some = arns.slice(start, start + mostArnsInOneCall);
    const { TagDescriptions = [] } = await ask('DescribeTags', `tags of ${some.join(', ')}`, (client) =>
      client.describeTags({ ResourceArns: some }, { abortSignal: signal }),
    );
    for (const { ResourceArn = '', Tags = [] } of TagDescriptions) {
      found.set(ResourceArn, Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])));
    }
  }
  return found;
}

function listenersAt(ask: Ask, loadBalancerArn: string, signal?: AbortSignal) {
  return everyPage(
    { action: 'elasticloadbalancing:DescribeListeners', subject: loadBalancerArn },
    async (Marker) => {
      const { Listeners = [], NextMarker } = await ask('DescribeListeners', loadBalancerArn, (client) =>
        client.describeListeners({ LoadBalancerArn: loadBalancerArn, Marker }, { abortSignal: signal }),
      );
      return { items: Listeners, next: NextMarker };
    },
  );
}

async function loadBalancersOf(
  ask: Ask,
  targetGroupArns: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { TargetGroups = [] } = await ask('DescribeTargetGroups', targetGroupArns.join(', '), (client) =>
    client.describeTargetGroups({ TargetGroupArns: [...targetGroupArns] }, { abortSignal: signal }),
  );
  return new Set(TargetGroups.flatMap(({ LoadBalancerArns = [] }) => LoadBalancerArns));
}

function liveTargets(actions: readonly Action[] = []): readonly WeightedTarget[] {
  const forward = actions.find(({ Type }) => Type === 'forward');
  const groups = forward?.ForwardConfig?.TargetGroups ?? [];
  if (groups.length === 0 && forward?.TargetGroupArn !== undefined) {
    return [{ arn: forward.TargetGroupArn, weight: 1 }];
  }
  return groups.map(({ TargetGroupArn, Weight }) => ({
    arn: TargetGroupArn,
    weight: Weight ?? (groups.length === 1 ? 1 : 0),
  }));
}

const onLoadBalancer = {
  hasParts: false,
  holdsTargets: true,
  idOf: ({ id }) => id,
  origin: slotWeights,
} satisfies Partial<SplitKind>;

/** Rules of the listeners of an Application Load Balancer: `aws.lb.ListenerRule`. */
export const listenerRules: SplitKind = {
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
