import type { Action, ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsCall } from '../aws';
import { askAws, present } from '../aws';
import type { LeastWait } from './aws-router';
import type { TargetGroups } from './forward-action';

/** Attributes of a target group, by key. */
export type TargetGroupAttributes = Readonly<Record<string, string>>;

/** The attributes of every slot's target group. */
export async function targetGroupAttributes(
  client: ElasticLoadBalancingV2,
  slots: TargetGroups,
  region: string | undefined,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, TargetGroupAttributes>>> {
  const read = async ([slot, arn]: [string, string]): Promise<[string, TargetGroupAttributes]> => {
    const call: AwsCall = {
      action: 'elasticloadbalancing:DescribeTargetGroupAttributes',
      subject: `target group ${arn} of slot ${slot}`,
      region,
    };
    const { Attributes } = await askAws(call, () =>
      client.describeTargetGroupAttributes({ TargetGroupArn: arn }, { abortSignal: signal }),
    );
    const attributes = present(call, 'attributes', Attributes);
    return [slot, Object.fromEntries(attributes.map(({ Key = '', Value = '' }) => [Key, Value]))];
  };
  return Object.fromEntries(await Promise.all(Object.entries(slots).map(read)));
}

interface Cause {
  readonly seconds: number;
  readonly why: string;
}

/**
 * How long the weights of a step have to stand before its figures are whole: the longest of the action's stickiness and of
 * the target groups' deregistration delay, which says how long a request may last, and slow start.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-target-group-attributes.html
 */
export function targetGroupWait(
  actions: readonly Action[],
  attributes: Readonly<Record<string, TargetGroupAttributes>>,
): LeastWait {
  const causes = [
    ...stickiness(actions),
    ...Object.entries(attributes).flatMap(([slot, of]) => [
      ...cause(of['deregistration_delay.timeout_seconds'], (seconds) => {
        return `a request to ${slot} may last ${seconds} s (deregistration delay of its target group)`;
      }),
      ...cause(of['slow_start.duration_seconds'], (seconds) => {
        return `a new target of ${slot} takes its full share after ${seconds} s (slow start of its target group)`;
      }),
    ]),
  ];
  return {
    milliseconds: Math.max(0, ...causes.map(({ seconds }) => seconds)) * 1_000,
    writeMilliseconds: 0,
    because: causes.map(({ why }) => why),
  };
}

function stickiness(actions: readonly Action[]): Cause[] {
  const config = actions.find(({ Type }) => Type === 'forward')?.ForwardConfig?.TargetGroupStickinessConfig;
  return config?.Enabled
    ? cause(config.DurationSeconds, (seconds) => {
        return `a client may stay with its slot for ${seconds} s (stickiness of the action)`;
      })
    : [];
}

function cause(value: string | number | undefined, why: (seconds: number) => string): Cause[] {
  const seconds = Number(value ?? 0);
  return seconds > 0 ? [{ seconds, why: why(seconds) }] : [];
}
