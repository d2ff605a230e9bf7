import { isDeepStrictEqual } from 'node:util';
import { sameConfiguration } from '../configuration';
import type { FleetConfiguration } from '../configuration';
import type { PlayedSwap } from './play';
import type { SwapScenario } from './scenario';
import type { WorldWrite } from './world';

/** What must never be of a swap, however it goes. */
export type SwapInvariant =
  | 'one slot deleted'
  | 'no delete with traffic'
  | 'no delete without drain'
  | 'weights by shift only'
  | 'no traffic to an emptied cluster'
  | 'two slots at most'
  | 'two clusters at most'
  | 'traffic served'
  | 'always ends'
  | 'back is back'
  | 'same end after kills';

/** The invariants that a played swap breaks; `calm` is the same one without kills and people. */
export function brokenInvariants(
  scenario: SwapScenario,
  played: PlayedSwap,
  calm: PlayedSwap,
): readonly SwapInvariant[] {
  const { world } = played;
  const broken: Readonly<Record<SwapInvariant, boolean>> = {
    'one slot deleted': deletesTwo(world.writes),
    'no delete with traffic': world.writes.some((write) =>
      removed(write).some((name) => (write.live[name] ?? 0) > 0),
    ),
    'no delete without drain': world.writes.some((write) =>
      removed(write).some((name) => isUndrained(write, name)),
    ),
    'weights by shift only': world.writes.some(movesOutsideShift),
    'no traffic to an emptied cluster': world.writes.some(({ emptied, before, after }) =>
      emptied.some((name) => shareOf(after, name) > shareOf(before, name)),
    ),
    'two slots at most': world.writes.some(({ after }) => Object.keys(after.slots).length > 2),
    'two clusters at most': world.mostClusters > 2,
    'traffic served': !isMeddled(scenario) && world.unserved !== undefined,
    'always ends': typeof played.ends.at(-1) === 'string',
    'back is back': !endsBack(scenario, played),
    'same end after kills': isCalm(scenario) && !endsAlike(played, calm),
  };
  return (Object.keys(broken) as SwapInvariant[]).filter((invariant) => broken[invariant]);
}

function isMeddled({ meddling }: SwapScenario): boolean {
  return meddling.length > 0;
}

/** Whether there were no people who change its course. */
function isCalm({ meddling, backFrom }: SwapScenario): boolean {
  return meddling.length === 0 && backFrom === undefined;
}

/** Slots that a write takes out. */
function removed({ before, after }: WorldWrite): readonly string[] {
  return Object.keys(before.slots).filter((name) => !(name in after.slots));
}

/** Whether a swap takes out more than one slot. */
function deletesTwo(writes: readonly WorldWrite[]): boolean {
  const bySwap = new Map<string, Set<string>>();
  for (const write of writes) {
    const names = bySwap.get(write.swap) ?? new Set();
    removed(write).forEach((name) => names.add(name));
    bySwap.set(write.swap, names);
  }
  return [...bySwap.values()].some((names) => names.size > 1);
}

/** A cluster that never served has nothing to be drained. */
function isUndrained({ clusters, drained }: WorldWrite, name: string): boolean {
  return clusters[name]?.status === 'ACTIVE' && !drained.includes(name);
}

function movesOutsideShift({ phase, before, after }: WorldWrite): boolean {
  return phase !== 'shift' && !sameConfiguration(trafficOf(before), trafficOf(after));
}

function shareOf({ weights, active }: FleetConfiguration, name: string): number {
  return weights ? (weights[name] ?? 0) : active === name ? 100 : 0;
}

function trafficOf({ weights, active }: FleetConfiguration): FleetConfiguration {
  return { slots: {}, ...(weights && { weights }), ...(active !== undefined && { active }) };
}

/** Whether all traffic is on the old slot where a run says that it went back. */
function endsBack(scenario: SwapScenario, { world, ends }: PlayedSwap): boolean {
  const last = ends.at(-1);
  if (typeof last !== 'object' || last.verdict !== 'rolledBack') {
    return true;
  }
  const { name } = world.record!.old;
  const { weights, active } = world.configuration;
  // Somebody may change the configuration after the last look.
  const isSaid = isMeddled(scenario) || (weights ? weights[name] === 100 : active === name);
  return world.live[name] === 100 && isSaid;
}

/** Whether both ended in the same way, and left the same. */
function endsAlike(played: PlayedSwap, calm: PlayedSwap): boolean {
  return isDeepStrictEqual(leftOf(played), leftOf(calm));
}

function leftOf({ world, ends }: PlayedSwap): object {
  const last = ends.at(-1);
  const { configuration, clusters, live, record } = world;
  return {
    verdict: typeof last === 'object' ? last.verdict : last,
    configuration: { ...configuration, slots: { ...configuration.slots } },
    clusters,
    live: { ...live },
    phase: record?.phase,
    step: record?.back?.step,
    ended: record?.ended?.verdict,
  };
}
