import type { Action, ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsCall, AwsClients } from '../../aws';
import { askAws } from '../../aws';
import type { WeightedTarget } from './rule-weights';

/** A listener's rule as it stands in AWS. */
export interface LiveRule {
  readonly arn: string;
  readonly listenerArn: string;
  readonly priority: number;
  readonly targets: readonly WeightedTarget[];
  readonly tags: Readonly<Record<string, string>>;
}

/** What AWS says of rules and target groups, beside what a router asks. */
export interface LiveRules {
  /** The rules of a listener, without its default one. */
  onListener(listenerArn: string, signal?: AbortSignal): Promise<readonly LiveRule[]>;
  /** The rules on every listener of every load balancer that one of the target groups is used by. */
  around(targetGroupArns: readonly string[], signal?: AbortSignal): Promise<readonly LiveRule[]>;
  /** Tags of target groups, by ARN. */
  tagsOf(arns: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, LiveRule['tags']>>;
}

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
 */
const mostArnsInOneCall = 20;

/** Asks AWS. Every method throws an AwsError for what AWS does not answer. */
export function liveRules(clients: AwsClients): LiveRules {
  const asking = async <Answer>(
    action: string,
    subject: string,
    ask: (client: ElasticLoadBalancingV2) => Promise<Answer>,
  ): Promise<Answer> => {
    const call: AwsCall = { action: `elasticloadbalancing:${action}`, subject, region: clients.region };
    return askAws(call, async () => ask(await clients.elasticLoadBalancing()));
  };

  const tagsOf: LiveRules['tagsOf'] = async (arns, signal) => {
    const found = new Map<string, LiveRule['tags']>();
    for (let start = 0; start < arns.length; start += mostArnsInOneCall) {
      const some = arns.slice(start, start + mostArnsInOneCall);
      const { TagDescriptions = [] } = await asking('DescribeTags', `tags of ${some.join(', ')}`, (client) =>
        client.describeTags({ ResourceArns: some }, { abortSignal: signal }),
      );
      for (const { ResourceArn = '', Tags = [] } of TagDescriptions) {
        found.set(ResourceArn, Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])));
      }
    }
    return found;
  };

  const onListener: LiveRules['onListener'] = async (listenerArn, signal) => {
    const found = await everyPage(async (Marker) => {
      const { Rules = [], NextMarker } = await asking('DescribeRules', `listener ${listenerArn}`, (client) =>
        client.describeRules({ ListenerArn: listenerArn, Marker }, { abortSignal: signal }),
      );
      return { items: Rules, next: NextMarker };
    });
    const rules = found.filter(({ IsDefault }) => IsDefault !== true);
    const tags = await tagsOf(
      rules.map(({ RuleArn = '' }) => RuleArn),
      signal,
    );
    return rules.map(({ RuleArn = '', Priority, Actions }) => ({
      arn: RuleArn,
      listenerArn,
      priority: Number(Priority),
      targets: liveTargets(Actions),
      tags: tags.get(RuleArn) ?? {},
    }));
  };

  const listenersOf = (loadBalancerArn: string, signal?: AbortSignal): Promise<readonly string[]> =>
    everyPage(async (Marker) => {
      const { Listeners = [], NextMarker } = await asking('DescribeListeners', loadBalancerArn, (client) =>
        client.describeListeners({ LoadBalancerArn: loadBalancerArn, Marker }, { abortSignal: signal }),
      );
      return { items: Listeners.map(({ ListenerArn = '' }) => ListenerArn), next: NextMarker };
    });

  return {
    onListener,
    tagsOf,
    around: async (targetGroupArns, signal) => {
      const { TargetGroups = [] } = await asking(
        'DescribeTargetGroups',
        targetGroupArns.join(', '),
        (client) =>
          client.describeTargetGroups({ TargetGroupArns: [...targetGroupArns] }, { abortSignal: signal }),
      );
      const rules: LiveRule[] = [];
      for (const arn of new Set(TargetGroups.flatMap(({ LoadBalancerArns = [] }) => LoadBalancerArns))) {
        for (const listener of await listenersOf(arn, signal)) {
          rules.push(...(await onListener(listener, signal)));
        }
      }
      return rules;
    },
  };
}

async function everyPage<Item>(
  page: (marker: string | undefined) => Promise<{ items: readonly Item[]; next: string | undefined }>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let marker: string | undefined;
  do {
    const { items, next } = await page(marker);
    all.push(...items);
    marker = next;
  } while (marker !== undefined && marker !== '');
  return all;
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

/**
 * The ARN of the listener that a rule stands on.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html#awselasticloadbalancingv2-resources-for-iam-policies
 */
export function listenerOf(ruleArn: string): string {
  return ruleArn.replace(':listener-rule/', ':listener/').replace(/\/[^/]+$/, '');
}
