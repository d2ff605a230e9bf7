import type { ClusterSetSettings } from './cluster-set';

/** What of a set's settings decides. */
export type ReconcileSettings = Pick<ClusterSetSettings, 'name' | 'adopt' | 'gracePeriod' | 'maxShare'> & {
  /** Whether more than the share may go at once. @default false */
  readonly force?: boolean;
};
