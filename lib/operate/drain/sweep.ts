import type { IpPermission } from '@aws-sdk/client-ec2';
import type { Clock } from '../../core/async';
import { AwsError } from '../../core/aws/errors';
import { pageOf } from '../../core/aws/pages';
import { everyEc2Page } from './aws';
import type { DrainClients } from './aws';
import { findLeftovers, leftoverKinds, leftoverText } from './leftovers';
import type { Leftover, LeftoverKind, LeftoverQuery } from './leftovers';

/** How a sweep goes. */
export interface Sweep extends LeftoverQuery {
  readonly aws: DrainClients;
  readonly clock: Clock;
  readonly withinMs: number;
  /** Which of the leftovers may be deleted. */
  readonly chosen: (leftover: Leftover) => boolean;
  /** A line about what goes on. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** What a sweep did. */
export interface Swept {
  /** What it deleted. */
  readonly deleted: readonly Leftover[];
  /** What AWS did not let go, by its ID, with AWS's words. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** Between two looks, in milliseconds. */
const interval = 2_000;

/**
 * Deletes what is left, kind after kind: a kind is tried once nothing of those before it is left. What AWS refuses since
 * something else still uses it is tried again until the time is over; what is not allowed, or protected, is passed over.
 *
 * @throws AwsError where AWS can't be reached
 */
export async function sweep(options: Sweep): Promise<Swept> {
  const { aws, clock, withinMs, chosen, say, signal } = options;
  const startedAt = clock.now();
  const deleted = new Map<string, Leftover>();
  const refusals = new Map<string, string>();
  const passedOver = new Set<string>();
  for (;;) {
    const found = (await findLeftovers(aws, options)).filter(
      (each) => each.kept === undefined && chosen(each),
    );
    const left = found.filter(({ id }) => !passedOver.has(id));
    const kind = leftoverKinds.find((each) => left.some((leftover) => leftover.kind === each));
    if (kind === undefined || signal?.aborted || clock.now() - startedAt >= withinMs) {
      const there = new Set(found.map(({ id }) => id));
      return {
        deleted: [...deleted.values()].filter(({ id }) => !there.has(id)),
        refusals: Object.fromEntries([...refusals].filter(([id]) => there.has(id))),
      };
    }
    for (const leftover of left.filter((each) => each.kind === kind && !deleted.has(each.id))) {
      try {
        await deletions[kind](aws, leftover.id);
        deleted.set(leftover.id, leftover);
        refusals.delete(leftover.id);
        say(`Deleted: ${leftoverText(leftover)}`);
      } catch (error) {
        const { message, isFinal } = refusalOf(error);
        refusals.set(leftover.id, message);
        if (isFinal) {
          passedOver.add(leftover.id);
        }
      }
    }
    await clock.sleep(interval, signal);
  }
}

/**
 * What AWS says of something that it does not delete. A load balancer under deletion protection is refused with
 * `OperationNotPermitted`.
 *
 * @throws the error, where it is another one
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteLoadBalancer.html
 */
function refusalOf(error: unknown): { readonly message: string; readonly isFinal: boolean } {
  if (!(error instanceof AwsError) || !['other', 'notFound', 'denied'].includes(error.failure.kind)) {
    throw error;
  }
  const { name = '' } = Object(error.cause) as { name?: string };
  const isFinal = error.failure.kind === 'denied' || /^OperationNotPermitted/.test(name);
  return { message: error.message, isFinal };
}

const deletions: Readonly<Record<LeftoverKind, (aws: DrainClients, id: string) => Promise<unknown>>> = {
  loadBalancer: (aws, id) =>
    aws.balancing('DeleteLoadBalancer', (client) => client.deleteLoadBalancer({ LoadBalancerArn: id })),
  targetGroup: (aws, id) =>
    aws.balancing('DeleteTargetGroup', (client) => client.deleteTargetGroup({ TargetGroupArn: id })),
  instance: (aws, id) =>
    aws.ec2('TerminateInstances', (ec2) => ec2.terminateInstances({ InstanceIds: [id] })),
  volume: (aws, id) => aws.ec2('DeleteVolume', (ec2) => ec2.deleteVolume({ VolumeId: id })),
  networkInterface: (aws, id) =>
    aws.ec2('DeleteNetworkInterface', (ec2) => ec2.deleteNetworkInterface({ NetworkInterfaceId: id })),
  securityGroup: async (aws, id) => {
    await withdrawRules(aws, id);
    await aws.ec2('DeleteSecurityGroup', (ec2) => ec2.deleteSecurityGroup({ GroupId: id }));
  },
};

/**
 * Takes the rules away that let this group into others, or out of them: a group that a rule names can't be deleted. The
 * load balancer controller puts such a rule on the nodes' group.
 */
async function withdrawRules(aws: DrainClients, id: string): Promise<void> {
  const naming = (filter: string) =>
    everyEc2Page(aws, 'DescribeSecurityGroups', (ec2, NextToken) =>
      pageOf(
        'SecurityGroups',
        ec2.describeSecurityGroups({ Filters: [{ Name: filter, Values: [id] }], NextToken }),
      ),
    );
  for (const { GroupId, IpPermissions } of await naming('ip-permission.group-id')) {
    const rules = rulesNaming(IpPermissions, id);
    await aws.ec2('RevokeSecurityGroupIngress', (ec2) =>
      ec2.revokeSecurityGroupIngress({ GroupId, IpPermissions: rules }),
    );
  }
  for (const { GroupId, IpPermissionsEgress } of await naming('egress.ip-permission.group-id')) {
    const rules = rulesNaming(IpPermissionsEgress, id);
    await aws.ec2('RevokeSecurityGroupEgress', (ec2) =>
      ec2.revokeSecurityGroupEgress({ GroupId, IpPermissions: rules }),
    );
  }
}

/** The parts of rules that name a group, and nothing else that is in the same rules. */
export function rulesNaming(rules: readonly IpPermission[] | undefined, id: string): IpPermission[] {
  return (rules ?? []).flatMap(({ IpProtocol, FromPort, ToPort, UserIdGroupPairs = [] }) => {
    const pairs = UserIdGroupPairs.filter(({ GroupId }) => GroupId === id);
    return pairs.length === 0
      ? []
      : [
          {
            ...{ IpProtocol, FromPort, ToPort },
            UserIdGroupPairs: pairs.map(({ GroupId, UserId }) => ({ GroupId, UserId })),
          },
        ];
  });
}
