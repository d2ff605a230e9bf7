import type { LoadBalancingReader, TagsByKey } from '../../core/aws/load-balancing';
import { fleetTag, slotTag } from '../../core/names';

/** Which slot a cluster is of. */
export interface SlotIdentity {
  /** Name of the fleet. */
  readonly fleet: string;
  /** Name of the slot in the fleet. */
  readonly slot: string;
}

/** Whether tags are those that this library gives to what is a slot's. */
export function isTargetOfSlot(
  tags: Readonly<Record<string, string>>,
  { fleet, slot }: SlotIdentity,
): boolean {
  return tags[fleetTag] === fleet && tags[slotTag] === slot;
}

/** Target groups of a region that load balancers use. */
export interface UsedTargetGroups {
  /** ARNs of the load balancers, by that of the target group. */
  readonly balancers: ReadonlyMap<string, readonly string[]>;
  readonly tags: ReadonlyMap<string, TagsByKey>;
}

/** @throws AwsError */
export async function usedTargetGroups(
  reader: LoadBalancingReader,
  signal?: AbortSignal,
): Promise<UsedTargetGroups> {
  const groups = await reader.targetGroups(undefined, signal);
  const balancers = new Map(
    groups.flatMap(({ TargetGroupArn: arn = '', LoadBalancerArns: arns = [] }) =>
      arns.length > 0 ? [[arn, arns] as const] : [],
    ),
  );
  return { balancers, tags: await reader.tags([...balancers.keys()], signal) };
}

/** Target groups of a slot, and of its whole fleet. */
export interface SlotTargetGroups {
  readonly own: ReadonlySet<string>;
  readonly ofFleet: ReadonlySet<string>;
  /** Load balancers that the slot's own are used by. */
  readonly balancers: ReadonlySet<string>;
}

/** Those of a slot, by their tags. */
export function targetGroupsOfSlot(
  { balancers, tags }: UsedTargetGroups,
  slot: SlotIdentity,
): SlotTargetGroups {
  const arnsWhere = (accepts: (tags: TagsByKey) => boolean): ReadonlySet<string> =>
    new Set([...tags].flatMap(([arn, of]) => (accepts(of) ? [arn] : [])));
  const own = arnsWhere((of) => isTargetOfSlot(of, slot));
  return {
    own,
    ofFleet: arnsWhere((of) => of[fleetTag] === slot.fleet),
    balancers: new Set([...balancers].flatMap(([arn, arns]) => (own.has(arn) ? arns : []))),
  };
}
