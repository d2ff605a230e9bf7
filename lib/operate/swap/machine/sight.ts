import type { FleetConfiguration } from '../configuration';
import type { SeenCluster, SwapSeen } from '../seen';

/** Slots that take live traffic. */
export function carrying({ live }: SwapSeen): readonly string[] {
  return Object.entries(live)
    .filter(([, share]) => share > 0)
    .map(([name]) => name);
}

/** Whether one slot takes all live traffic. */
export function takesAll(seen: SwapSeen, name: string): boolean {
  const slots = carrying(seen);
  return slots.length === 1 && slots[0] === name;
}

/** Names of all slots that are in the configuration, have a cluster or take traffic. */
export function slotsOf(seen: SwapSeen): readonly string[] {
  const { configuration, clusters } = seen;
  const weighted = Object.entries(configuration.weights ?? {}).filter(([, weight]) => weight !== 0);
  const names = [
    ...Object.keys(configuration.slots),
    ...weighted.map(([name]) => name),
    ...Object.keys(clusters),
    ...carrying(seen),
    ...(configuration.active === undefined ? [] : [configuration.active]),
  ];
  return [...new Set(names)].sort();
}

/** Whether a cluster serves: EKS updates one while it does. */
export function serves(cluster: SeenCluster | undefined): cluster is SeenCluster {
  return cluster?.status === 'ACTIVE' || cluster?.status === 'UPDATING';
}

/** Whether a fleet runs Argo CD, and has an active slot in the place of weights. */
function isHub({ active }: FleetConfiguration): boolean {
  return active !== undefined;
}

/** `has all traffic`, of the slot that a swap leaves or comes to. */
export function hasAll(configuration: FleetConfiguration): string {
  return isHub(configuration) ? 'is the active hub' : 'has all traffic';
}

/** `The live traffic is on blue.` */
export function describeTraffic(seen: SwapSeen): string {
  const slots = carrying(seen);
  if (isHub(seen.configuration)) {
    return slots.length === 0 ? 'No hub is active.' : `The active hub is ${slots.join(' and ')}.`;
  }
  if (slots.length === 0) {
    return 'No live traffic leads to the fleet.';
  }
  return slots.length === 1
    ? `All live traffic is on ${slots[0]}.`
    : `The live traffic is split: ${slots.map((name) => `${name} ${seen.live[name]} %`).join(', ')}.`;
}

/** `slots blue and green, all traffic on blue` */
export function describeConfiguration({ slots, weights, active }: FleetConfiguration): string {
  const names = Object.keys(slots).sort();
  const parts = [names.length === 0 ? 'no slots' : `slots ${names.join(' and ')}`];
  if (weights) {
    const shares = Object.entries(weights).map(([name, weight]) => `${name} ${weight}`);
    parts.push(`weights ${shares.join(', ')}`);
  }
  if (active !== undefined) {
    parts.push(`${active} writes`);
  }
  return parts.join('; ');
}

/** `green is DELETING` */
export function describeCluster(name: string, cluster: SeenCluster | undefined): string {
  return cluster
    ? `The cluster of ${name} is ${cluster.status}.`
    : `EKS has no cluster of slot ${name} in the region of this swap.`;
}
