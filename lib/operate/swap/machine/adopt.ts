import { versionOf } from '../configuration';
import type { SwapPhase } from '../phases';
import type { SwapPlan } from '../plan';
import type { SwapRecord, SwapSlot } from '../record';
import type { SwapSeen } from '../seen';
import { compareVersions } from './legs';
import { carrying, describeCluster, slotsOf } from './sight';

/** What a record says of a swap that begins. */
export interface LegStart extends Pick<SwapRecord, 'old' | 'new' | 'setting' | 'adopted'> {
  readonly phase: SwapPhase;
}

/** What a person has begun and a swap may go on with, or why it may not, for a person. */
export type Adoptable = LegStart | { readonly problem: string };

/**
 * Goes on at `soak` where all traffic is on a slot of a wanted version, beside an older one that nothing says anything of.
 *
 * @param fresh the slot with all traffic, which the configuration has as well
 * @param other the only other one
 */
export function movedAll(plan: SwapPlan, seen: SwapSeen, fresh: SwapSlot, other: string): Adoptable {
  return legOf(plan, seen, [fresh.name, other], 'soak', fresh.name);
}

/**
 * Goes on at `shift` where the traffic of an older slot and one of a wanted version is split, or is not where the configuration says.
 *
 * @returns nothing where there are no two slots
 */
export function movedPartly(plan: SwapPlan, seen: SwapSeen): Adoptable | undefined {
  const [one, other, ...more] = slotsOf(seen);
  const isWeighted = plan.moves === 'traffic' && seen.configuration.weights !== undefined;
  if (!isWeighted || one === undefined || other === undefined || carrying(seen).length === 0) {
    return undefined;
  }
  return more.length > 0
    ? { problem: `There are the slots ${[one, other, ...more].join(', ')}: a swap has two.` }
    : legOf(plan, seen, [one, other], 'shift');
}

/** @param newer the slot that has to be the newer one. @default - either may be */
function legOf(
  { versions }: SwapPlan,
  { configuration, clusters, live }: SwapSeen,
  names: readonly [string, string],
  phase: 'shift' | 'soak',
  newer?: string,
): Adoptable {
  for (const name of names) {
    const problem = pairProblem(name, name in configuration.slots, clusters[name]);
    if (problem !== undefined) {
      return { problem };
    }
  }
  const [old, fresh] = names
    .map((name): SwapSlot => ({ name, version: clusters[name]!.version }))
    .sort((one, other) => compareVersions(one.version, other.version)) as [SwapSlot, SwapSlot];
  const setting = configuration.slots[fresh.name]!;
  if (compareVersions(old.version, fresh.version) === 0 || (newer ?? fresh.name) !== fresh.name) {
    return { problem: `The cluster of ${names[0]} is not newer than that of ${names[1]}.` };
  }
  if (versionOf(setting) !== fresh.version) {
    const runs = `The cluster of ${fresh.name} runs Kubernetes ${fresh.version}`;
    return { problem: `${runs}, and its setting says ${versionOf(setting)}.` };
  }
  if (!versions.some((each) => versionOf(each) === fresh.version)) {
    const wanted = versions.map(versionOf).join(', ');
    return {
      problem: `${fresh.name} runs Kubernetes ${fresh.version}, and the plan asks for ${wanted}.`,
    };
  }
  const mayBeDrained = !((live[old.name] ?? 0) > 0);
  return { old, new: fresh, setting, phase, adopted: { phase, mayBeDrained } };
}

/** What keeps a slot from being one of the two. */
function pairProblem(
  name: string,
  isConfigured: boolean,
  cluster: SwapSeen['clusters'][string] | undefined,
): string | undefined {
  if (!cluster) {
    return `${describeCluster(name, cluster)} Take the slot out of the configuration, or deploy the program to create it.`;
  }
  if (cluster.status !== 'ACTIVE') {
    return `${describeCluster(name, cluster)} Run it again once it is ${cluster.status === 'DELETING' ? 'gone' : 'ACTIVE'}.`;
  }
  return isConfigured
    ? undefined
    : `${describeCluster(name, cluster)} The configuration has no slot ${name}: add it to the configuration, or delete the cluster.`;
}

/** The same for a slot without traffic that is to be the new one. */
export function unusable(
  name: string,
  { configuration, clusters }: SwapSeen,
  version: string,
): string | undefined {
  const cluster = clusters[name];
  if (!(name in configuration.slots)) {
    return pairProblem(name, false, cluster);
  }
  if (cluster && cluster.version !== version) {
    return `${describeCluster(name, cluster)} It runs Kubernetes ${cluster.version}, and its setting says ${version}.`;
  }
  return cluster?.status === 'DELETING' ? pairProblem(name, true, cluster) : undefined;
}
