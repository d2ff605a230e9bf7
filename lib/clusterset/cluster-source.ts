import type { ClusterSetSettings, Place } from './cluster-set';
import type { FoundClusters } from './eks-cluster';
import type { Limiter } from './limiter';

/** How places are searched. */
export interface SearchOptions {
  /** Shared by all places. */
  readonly limiter: Limiter;
  /** Stops the search. @default - none */
  readonly signal?: AbortSignal;
  /** Is called for each cluster that was described. @default - nothing is */
  readonly onCluster?: () => void;
}

/** Finds the clusters of one account and region. */
export interface ClusterSource {
  /**
   * All clusters of a place, and what did not answer: that is no exception, since other places may answer.
   *
   * @throws the signal's reason where that is aborted
   */
  find(place: Place, search: SearchOptions): Promise<FoundClusters>;
  /** Closes connections. */
  close(): void;
}

/** The clusters of all places of a set. One that does not answer does not stop the others. */
export async function findClusters(
  { places }: Pick<ClusterSetSettings, 'places'>,
  source: ClusterSource,
  search: SearchOptions,
): Promise<FoundClusters> {
  const found = await Promise.all(places.map((place) => source.find(place, search)));
  return {
    clusters: found.flatMap(({ clusters }) => clusters),
    failures: found.flatMap(({ failures }) => failures),
  };
}
