import type { ClusterVitals, CountedVital } from './vitals';
import { vitals } from './vitals';

/** The old slots, as far as it matters what they have. */
export interface Beside {
  /** `blue` */
  readonly name: string;
  /** Undefined where the cluster does not answer. */
  readonly vitals: ClusterVitals | undefined;
}

/**
 * What each vital counts. Answers of DNS are not among them: a cluster may be quiet for the seconds of a look, and the reader says
 * where its counters can't be read.
 */
const counted: Readonly<Partial<Record<CountedVital, string>>> = {
  ...{ restarts: 'pods that run', oomKills: 'pods that run', pendingPods: 'pods that run' },
  ...{ imagePulls: 'pods that run', podNetworks: 'pods that run', refusedPods: 'pods that run' },
  ...{ nodes: 'nodes that take pods', dns: 'pods of CoreDNS' },
};

/**
 * What a new cluster has none of, a line each: of what is not there nothing is ill, which says nothing. A slot of a shift has
 * workloads, so a cluster without any is another one, or one that nobody has filled yet.
 */
export function missingLines(slot: string, now: ClusterVitals, old: Beside | undefined): readonly string[] {
  const byWhat = new Map<string, readonly string[]>();
  for (const vital of vitals) {
    const what = vital === 'eks' || !isMissing(vital, now) ? undefined : counted[vital];
    if (what !== undefined) {
      byWhat.set(what, [...(byWhat.get(what) ?? []), vital]);
    }
  }
  return [
    ...[...byWhat].map(([what, of]) => `${slot}: no ${what}, so nothing is known of ${of.join(', ')}`),
    ...missingNamespaces(slot, now, old),
  ];
}

function isMissing(vital: CountedVital, { counts, podsIn, hasDnsInNodes }: ClusterVitals): boolean {
  if (counts[vital]?.of !== 0) {
    return false;
  }
  if (vital === 'dns') {
    return hasDnsInNodes !== true;
  }
  // Where no workload has tried to get a pod for a while, none was refused one.
  return (
    vital !== 'refusedPods' || (podsIn !== undefined && Object.values(podsIn).every((count) => count === 0))
  );
}

/** Namespaces of the settings in which the new cluster has nothing to count. */
function missingNamespaces(
  slot: string,
  { podsIn = {} }: ClusterVitals,
  old: Beside | undefined,
): readonly string[] {
  const before = old?.vitals?.podsIn;
  return Object.entries(podsIn)
    .filter(([namespace, count]) => namespace !== everywhere && count === 0)
    .map(([namespace]) => {
      const beside = before?.[namespace];
      const other =
        beside === undefined
          ? ''
          : `; ${old!.name}: ${beside === 0 ? 'none either, so that its name may be wrong' : beside}`;
      return `${slot}: no pods in the namespace ${namespace}${other}`;
    });
}

/** Where {@link ClusterVitals.podsIn} counts the pods of all namespaces. */
export const everywhere = '*';

/** Which units the old cluster has none of, so that absolute limits alone count. */
export function missingBeside(now: ClusterVitals, { name, vitals: old }: Beside): readonly string[] {
  const without = vitals.flatMap((vital) =>
    vital !== 'eks' &&
    vital !== 'refusedPods' &&
    old?.counts[vital]?.of === 0 &&
    (now.counts[vital]?.of ?? 0) > 0
      ? (counted[vital] ?? [])
      : [],
  );
  return [...new Set(without)].map((what) => `${name} has no ${what}, absolute limits alone count`);
}
