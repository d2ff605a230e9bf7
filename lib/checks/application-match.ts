import type { Application } from './application';

/** A slot's words in the names of Applications. */
export interface SlotWords {
  readonly slot: string;
  /** Names of its cluster in Argo CD. */
  readonly clusters: readonly string[];
}

/**
 * The Applications of an old slot that a new one has no counterpart of.
 *
 * The counterpart has the same ApplicationSet (or none, as well) and the same name, once the names of the cluster and the
 * slot are taken out: `apps-blue-podinfo` and `apps-green-podinfo`. An ApplicationSet may name its Applications after
 * something else that differs by cluster, though, so what is left over of one set counts as matched by number.
 */
export function uncovered(
  old: readonly Application[],
  oldWords: SlotWords,
  candidates: readonly Application[],
  newWords: SlotWords,
): readonly Application[] {
  const free = candidates.map((each) => ({ set: each.set, name: nameless(each.name, newWords) }));
  const take = (fits: (candidate: { set?: string; name: string }) => boolean): boolean => {
    const at = free.findIndex(fits);
    return at >= 0 && free.splice(at, 1).length > 0;
  };
  const without = old.filter((each) => {
    const name = nameless(each.name, oldWords);
    return !take((candidate) => candidate.set === each.set && candidate.name === name);
  });
  return without.filter(({ set }) => set === undefined || !take((candidate) => candidate.set === set));
}

/** A name without the cluster's and the slot's: `apps-blue-podinfo` is `*-podinfo`. */
export function nameless(name: string, { slot, clusters }: SlotWords): string {
  const words = [...clusters, ...clusters.map(normalized), slot].sort(
    (one, other) => other.length - one.length,
  );
  for (const word of words) {
    const found = new RegExp(`(^|[-._])${escaped(word)}(?=$|[-._])`);
    if (found.test(name)) {
      return name.replace(found, '$1*');
    }
  }
  return name;
}

/** As the parameter `nameNormalized` of a clusters generator. */
function normalized(cluster: string): string {
  return cluster.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
