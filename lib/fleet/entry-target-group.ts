import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { Tags } from '../bridge';
import type { IpFamily } from './ip-family';
import type { Entry } from './slot-ref';

/** What an entry's target group is made of. */
export interface EntryTargetGroupArgs {
  readonly entry: Entry;
  readonly vpcId: pulumi.Input<string>;
  readonly deregistrationDelaySeconds: number;
  readonly ipFamily: IpFamily;
  /** Beside those of the slot. */
  readonly tags?: Tags;
  /** Raw arguments over everything else. */
  readonly targetGroupArgs?: Partial<aws.lb.TargetGroupArgs>;
}

/**
 * Whether target groups with these arguments keep a client with one target by a cookie, as far as plain values say it.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html
 */
export function hasCookieStickiness({ stickiness }: Partial<aws.lb.TargetGroupArgs> = {}): boolean {
  const { type, enabled = true } = (stickiness ?? {}) as {
    readonly type?: unknown;
    readonly enabled?: unknown;
  };
  return enabled === true && (type === 'lb_cookie' || type === 'app_cookie');
}

/** Port of the target that the load balancer sends traffic to. */
export function trafficPort(entry: Entry): number {
  return entry.targetType === 'instance' ? entry.nodePort! : (entry.targetPort ?? entry.port);
}

/** The target group of one entry in one slot. It belongs to the program, not to a controller in the cluster. */
export function entryTargetGroup(
  name: string,
  { entry, vpcId, deregistrationDelaySeconds, ipFamily, tags, targetGroupArgs }: EntryTargetGroupArgs,
  opts: pulumi.CustomResourceOptions,
): aws.lb.TargetGroup {
  const { path = '/', port, intervalSeconds = 15, matcher = '200' } = entry.healthCheck ?? {};
  return new aws.lb.TargetGroup(
    name,
    {
      vpcId,
      targetType: entry.targetType ?? 'ip',
      // Left out for IPv4, which is AWS's default.
      ipAddressType: ipFamily === 'ipv6' ? 'ipv6' : undefined,
      protocol: 'HTTP',
      port: trafficPort(entry),
      deregistrationDelay: deregistrationDelaySeconds,
      healthCheck: {
        path,
        port: port === undefined ? 'traffic-port' : String(port),
        interval: intervalSeconds,
        // Two in a row either way: a slot's health is known in half a minute, and one lost request does not count.
        healthyThreshold: 2,
        unhealthyThreshold: 2,
        timeout: Math.min(5, intervalSeconds - 1),
        matcher,
      },
      tags,
      ...targetGroupArgs,
    },
    // A pod is registered with its own port, so another port of the entry need not replace the target group, which
    // would take the slot's targets away.
    { ...opts, ignoreChanges: entry.targetType === 'instance' ? undefined : ['port'] },
  );
}
