import type { Action, RuleCondition, Tag } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Clock } from '../../../lib/core/async';
import type { AwsClients } from '../../../lib/core/aws/clients';
import { balancingClient } from '../../core/aws/recording-clients';

const minute = 60_000;

/** A rule of a listener of {@link BalancingWorld}. */
export interface WorldRule {
  readonly arn: string;
  readonly priority: number;
  readonly conditions?: readonly RuleCondition[];
  /** Tags of the rule. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Weights by target group; those of its slots are `blue` and `green`. */
  weights: Record<string, number>;
  readonly stickySeconds?: number;
}

/**
 * A load balancer with visitors, and the CloudWatch that counts them: a visitor who has a cookie goes on to its target group
 * while the cookie lasts, whatever the weights are; a minute's figures are complete two minutes after its end.
 */
export class BalancingWorld {
  /** Milliseconds since 1970. */
  public now = Date.UTC(2026, 10, 22, 12);
  public readonly asked: string[] = [];
  /** Target groups that have a tag of the fleet. */
  public readonly groups = ['blue', 'green'];
  private readonly requests: { readonly at: number; readonly group: string }[] = [];
  private readonly visitors: {
    cookie?: { readonly group: string; readonly until: number };
    back?: number;
  }[] = [];

  public constructor(
    public readonly rules: WorldRule[],
    private readonly kind: 'app' | 'net' = 'app',
    private readonly defaultActions: Action[] = [{ Type: 'fixed-response' }],
  ) {}

  /** Visitors who ask once a minute. */
  public visit(count: number): void {
    for (let index = 0; index < count; index += 1) {
      this.visitors.push({});
    }
  }

  /** Lets minutes pass, with the requests of all visitors on the first rule. */
  public pass(minutes: number): void {
    const [rule] = this.rules;
    for (let passed = 0; passed < minutes; passed += 1) {
      this.visitors.forEach((visitor, index) => {
        const { cookie } = visitor;
        const isKept = cookie !== undefined && cookie.until > this.now && cookie.group in rule!.weights;
        const group = isKept ? cookie.group : this.byWeight(rule!, index);
        this.requests.push({ at: this.now, group });
        if (!isKept && rule!.stickySeconds !== undefined) {
          visitor.cookie = { group, until: this.now + rule!.stickySeconds * 1000 };
        }
      });
      this.now += minute;
    }
  }

  /** Visitors go away. */
  public leave(): void {
    this.visitors.length = 0;
  }

  /** Its time; waiting for it lets it pass, with its visitors. */
  public get clock(): Clock {
    return {
      now: () => this.now,
      sleep: (milliseconds) => Promise.resolve(this.pass(Math.ceil(milliseconds / minute))),
    };
  }

  public get clients(): AwsClients {
    const answer =
      <Input>(name: string, reply: (input: Input) => object) =>
      (input: Input) => {
        this.asked.push(name);
        return Promise.resolve(reply(input));
      };
    const balancing = {
      describeTargetGroups: answer('DescribeTargetGroups', () => ({
        TargetGroups: this.groups.map((group) => ({
          TargetGroupArn: arnOf(group),
          LoadBalancerArns: [this.balancer],
        })),
      })),
      describeTags: answer('DescribeTags', ({ ResourceArns }: { ResourceArns: string[] }) => ({
        TagDescriptions: ResourceArns.map((ResourceArn) => ({
          ResourceArn,
          Tags: ResourceArn.includes(':listener-rule/')
            ? this.tagsOfRule(ResourceArn)
            : [
                { Key: 'cluster-canary/fleet', Value: 'apps' },
                { Key: 'cluster-canary/slot', Value: ResourceArn.split('/')[1] },
              ],
        })),
      })),
      describeListeners: answer('DescribeListeners', () => ({
        Listeners: [{ ListenerArn: this.arn('listener', 'one'), DefaultActions: this.defaultActions }],
      })),
      describeRules: answer('DescribeRules', () => ({
        Rules: [
          ...this.rules.map((rule) => ({
            RuleArn: this.arn('listener-rule', rule.arn),
            Priority: String(rule.priority),
            Conditions: rule.conditions ?? [],
            Actions: [forward(rule)],
          })),
          { RuleArn: 'default', Priority: 'default', IsDefault: true, Actions: this.defaultActions },
        ],
      })),
    };
    const dns = { listHostedZones: () => Promise.resolve({ HostedZones: [], IsTruncated: false }) };
    const cloudWatch = {
      getMetricData: answer('GetMetricData', (input: MetricInput) => this.figures(input)),
    };
    return {
      elasticLoadBalancing: () => Promise.resolve(balancingClient(balancing)),
      route53: () => Promise.resolve(dns),
      cloudWatch: () => Promise.resolve(cloudWatch),
    } as unknown as AwsClients;
  }

  private tagsOfRule(arn: string): Tag[] {
    const rule = this.rules.find((each) => this.arn('listener-rule', each.arn) === arn);
    return Object.entries(rule?.tags ?? {}).map(([Key, Value]) => ({ Key, Value }));
  }

  private get balancer(): string {
    return `arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/${this.kind}/edge/1`;
  }

  private arn(what: string, id: string): string {
    return `arn:aws:elasticloadbalancing:eu-west-1:123456789012:${what}/${this.kind}/edge/1/${id}`;
  }

  private byWeight({ weights }: WorldRule, index: number): string {
    const all = Object.entries(weights).flatMap(([group, weight]) => Array<string>(weight).fill(group));
    return all[(index * 37) % all.length]!;
  }

  private figures({ MetricDataQueries, StartTime, EndTime }: MetricInput): object {
    const complete = Math.floor((this.now - 2 * minute) / minute) * minute;
    return {
      MetricDataResults: MetricDataQueries.map(({ Id, MetricStat: { Metric } }) => {
        const dimension = (name: string) => Metric.Dimensions.find(({ Name }) => Name === name)!.Value;
        const isKnown =
          dimension('LoadBalancer') === `${this.kind}/edge/1` && Metric.MetricName === 'RequestCount';
        const points = new Map<number, number>();
        for (const { at, group } of isKnown ? this.requests : []) {
          const start = Math.floor(at / minute) * minute;
          const isSeen = start + minute <= complete;
          if (
            isSeen &&
            dimension('TargetGroup') === `targetgroup/${group}/1` &&
            start >= +StartTime &&
            start < +EndTime
          ) {
            points.set(start, (points.get(start) ?? 0) + 1);
          }
        }
        return {
          Id,
          StatusCode: 'Complete',
          Timestamps: [...points.keys()].map((at) => new Date(at)),
          Values: [...points.values()],
        };
      }),
    };
  }
}

interface MetricInput {
  readonly MetricDataQueries: readonly {
    readonly Id: string;
    readonly MetricStat: {
      readonly Metric: {
        readonly MetricName: string;
        readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
      };
    };
  }[];
  readonly StartTime: Date;
  readonly EndTime: Date;
}

/** ARN of a target group of {@link BalancingWorld}. */
export function arnOf(group: string): string {
  return `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/${group}/1`;
}

/** What a rule does. */
export function forward({ weights, stickySeconds }: Pick<WorldRule, 'weights' | 'stickySeconds'>): Action {
  return {
    Type: 'forward',
    ForwardConfig: {
      TargetGroups: Object.entries(weights).map(([group, Weight]) => ({
        TargetGroupArn: arnOf(group),
        Weight,
      })),
      TargetGroupStickinessConfig:
        stickySeconds === undefined ? { Enabled: false } : { Enabled: true, DurationSeconds: stickySeconds },
    },
  };
}
