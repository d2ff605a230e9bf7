import type {
  Action,
  ElasticLoadBalancingV2,
  Listener,
  LoadBalancer,
  Rule,
  TargetGroup,
  TargetGroupTuple,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsClients } from './clients';
import { AwsError, callAws, present } from './errors';
import type { AwsCall } from './errors';
import { itemsOf, pageOf, withList } from './pages';
import type { Page } from './pages';
import { beforeEachRequest } from './requests';

/** Asks Elastic Load Balancing; the action and what it is asked of are for errors: `DescribeRules` of `listener arn:aws:…`. */
export type AskBalancing = <Answer>(
  action: string,
  call: (client: ElasticLoadBalancingV2) => Promise<Answer>,
  of: string,
) => Promise<Answer>;

/**
 * Asks with these clients.
 *
 * @param subject what it is about, for errors: `slot green of fleet apps`. @default - what is asked
 */
export function askBalancing(
  clients: Pick<AwsClients, 'elasticLoadBalancing' | 'region'>,
  subject?: string,
): AskBalancing {
  return (action, call, of) =>
    callAws(
      { action: `elasticloadbalancing:${action}`, subject: subject ?? of, region: clients.region },
      async () => call(await clients.elasticLoadBalancing()),
    );
}

/** Tags by key. */
export type TagsByKey = Readonly<Record<string, string>>;

/** What Elastic Load Balancing says; every list is whole. Each method throws an AwsError for what it does not answer. */
export class LoadBalancingReader {
  public constructor(private readonly ask: AskBalancing) {}

  /** @param arns @default - every load balancer of the region */
  public balancers(arns?: readonly string[], signal?: AbortSignal): Promise<readonly LoadBalancer[]> {
    return this.ask(
      'DescribeLoadBalancers',
      async (client) => {
        const { paginateDescribeLoadBalancers } = await import('@aws-sdk/client-elastic-load-balancing-v2');
        const input = arns ? { LoadBalancerArns: [...arns] } : {};
        const pages = paginateDescribeLoadBalancers({ client }, input, { abortSignal: signal });
        return itemsOf('LoadBalancers', pages, ({ NextMarker }) => NextMarker);
      },
      arns?.join(', ') ?? 'every load balancer',
    );
  }

  /** The listeners of a load balancer, with what they do by default. */
  public listeners(balancer: string, signal?: AbortSignal): Promise<readonly Listener[]> {
    return this.ask(
      'DescribeListeners',
      async (client) => {
        const { paginateDescribeListeners } = await import('@aws-sdk/client-elastic-load-balancing-v2');
        const input = { LoadBalancerArn: balancer };
        const pages = paginateDescribeListeners({ client }, input, { abortSignal: signal });
        return itemsOf('Listeners', pages, ({ NextMarker }) => NextMarker);
      },
      `load balancer ${balancer}`,
    );
  }

  /** The rules of a listener. Its default rule, which does what the listener does by default, is not among them. */
  public rules(listener: string, signal?: AbortSignal): Promise<readonly Rule[]> {
    return this.ask(
      'DescribeRules',
      async (client) => {
        const { paginateDescribeRules } = await import('@aws-sdk/client-elastic-load-balancing-v2');
        const input = { ListenerArn: listener };
        const pages = paginateDescribeRules({ client }, input, { abortSignal: signal });
        const rules = await itemsOf('Rules', pages, ({ NextMarker }) => NextMarker);
        return rules.filter(({ IsDefault }) => IsDefault !== true);
      },
      `listener ${listener}`,
    );
  }

  /** @param arns @default - every target group of the region */
  public targetGroups(arns?: readonly string[], signal?: AbortSignal): Promise<readonly TargetGroup[]> {
    return this.ask(
      'DescribeTargetGroups',
      async (client) => {
        const { paginateDescribeTargetGroups } = await import('@aws-sdk/client-elastic-load-balancing-v2');
        const input = arns ? { TargetGroupArns: [...arns] } : {};
        const pages = paginateDescribeTargetGroups({ client }, input, { abortSignal: signal });
        return itemsOf('TargetGroups', pages, ({ NextMarker }) => NextMarker);
      },
      arns?.join(', ') ?? 'every target group',
    );
  }

  /** Tags of load balancers, listeners, rules and target groups, by ARN. */
  public async tags(arns: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, TagsByKey>> {
    const found = new Map<string, TagsByKey>();
    for (let start = 0; start < arns.length; start += mostArnsInOneCall) {
      const some = arns.slice(start, start + mostArnsInOneCall);
      const { TagDescriptions } = await this.ask(
        'DescribeTags',
        (client) =>
          withList('TagDescriptions', client.describeTags({ ResourceArns: some }, { abortSignal: signal })),
        `tags of ${some.join(', ')}`,
      );
      for (const { ResourceArn = '', Tags = [] } of TagDescriptions) {
        found.set(ResourceArn, Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])));
      }
    }
    return found;
  }

  /** Attributes of a target group, by key. */
  public async attributes(targetGroup: string, signal?: AbortSignal): Promise<TagsByKey> {
    const { Attributes } = await this.ask(
      'DescribeTargetGroupAttributes',
      (client) =>
        withList(
          'Attributes',
          client.describeTargetGroupAttributes({ TargetGroupArn: targetGroup }, { abortSignal: signal }),
        ),
      `target group ${targetGroup}`,
    );
    return Object.fromEntries(Attributes.map(({ Key = '', Value = '' }) => [Key, Value]));
  }
}

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
 */
const mostArnsInOneCall = 20;

/** How the actions of one rule or listener are read. */
export interface ActionsLook {
  /** For errors: `ALB rule arn:aws:…`. */
  readonly subject: string;
  readonly region: string;
  /** What it is, for errors: `ALB rule`. */
  readonly words: string;
  /** Is called right before each request. @default - nothing is */
  readonly asked?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The actions of a rule, or what a listener does by default.
 *
 * @throws AwsError, also where it is not there
 */
export async function liveActions(
  clients: Pick<AwsClients, 'elasticLoadBalancing'>,
  arn: string,
  { subject, region, words, asked = () => undefined, signal }: ActionsLook,
): Promise<readonly Action[]> {
  const isRule = arn.includes(':listener-rule/');
  const action = isRule ? 'DescribeRules' : 'DescribeListeners';
  const call: AwsCall = { action: `elasticloadbalancing:${action}`, subject, region };
  const client = await callAws(call, () => clients.elasticLoadBalancing());
  asked();
  const found = await callAws(call, async () => {
    const { DescribeListenersCommand, DescribeRulesCommand } =
      await import('@aws-sdk/client-elastic-load-balancing-v2');
    const options = { abortSignal: signal };
    if (isRule) {
      const command = beforeEachRequest(new DescribeRulesCommand({ RuleArns: [arn] }), asked);
      return (await client.send(command, options)).Rules?.map(({ Actions = [] }) => Actions);
    }
    const command = beforeEachRequest(new DescribeListenersCommand({ ListenerArns: [arn] }), asked);
    return (await client.send(command, options)).Listeners?.map(({ DefaultActions = [] }) => DefaultActions);
  });
  const [actions] = present(call, words, found);
  if (!actions) {
    throw new AwsError(call, { kind: 'notFound' }, new Error(`no such ${words}`));
  }
  return actions;
}

/** One page of all target groups of the region, for those who keep count of every call. */
export function targetGroupPage(
  client: ElasticLoadBalancingV2,
  marker: string | undefined,
  options: { readonly abortSignal: AbortSignal },
): Promise<Page<TargetGroup, string>> {
  return pageOf('TargetGroups', client.describeTargetGroups({ Marker: marker }, options));
}

/** A target group that an action forwards to. */
export interface ForwardTarget {
  readonly arn: string;
  readonly weight: number;
}

/** The target groups that actions forward to. One that is alone may have no weight, and gets everything. */
export function forwardTargets(actions: readonly Action[]): readonly ForwardTarget[] {
  const forward = actions.find(({ Type }) => Type === 'forward');
  const { TargetGroups: several = [] } = forward?.ForwardConfig ?? {};
  const single: readonly TargetGroupTuple[] =
    forward?.TargetGroupArn === undefined ? [] : [{ TargetGroupArn: forward.TargetGroupArn }];
  const given = several.length > 0 ? several : single;
  return given.map(({ TargetGroupArn: arn = '', Weight }) => ({
    arn,
    weight: Weight ?? (given.length === 1 ? 1 : 0),
  }));
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
