/** What is looked at of a cluster. */
export const vitals = [
  'restarts',
  'oomKills',
  'pendingPods',
  'imagePulls',
  'podNetworks',
  'refusedPods',
  'nodes',
  'dns',
  'dnsAnswers',
  'eks',
] as const;

/** One of {@link vitals}. */
export type Vital = (typeof vitals)[number];

/** What of a vital is affected, in one cluster. */
export interface VitalCount {
  /** How many are affected for sure. */
  readonly affected: number;
  /** How many more look the same, and may only be starting: they have not done so for long. */
  readonly waiting: number;
  /** How many there are in all. */
  readonly of: number;
  /** What the cluster itself says of the cause, in its words. @default - it says nothing */
  readonly cause?: string;
}

/** What is known of one cluster. */
export interface ClusterVitals {
  /** Counts of what was looked at. */
  readonly counts: Readonly<Partial<Record<CountedVital, VitalCount>>>;
  /** What EKS calls faults, a line each, by what is the same in another cluster. @default - EKS was not asked */
  readonly eksFaults?: Readonly<Record<string, string>>;
  /** Whether a cluster without pods of CoreDNS has its DNS in its nodes, as EKS Auto Mode has. @default - nobody knows */
  readonly hasDnsInNodes?: boolean;
  /** How many pods count, by those namespaces that are asked for; `*` for all. @default - pods were not listed */
  readonly podsIn?: Readonly<Record<string, number>>;
  /** What could not be looked at, and why. */
  readonly untried: readonly UntriedVital[];
}

/** Vitals that are counted. */
export type CountedVital = Exclude<Vital, 'eks'>;

/** A vital that could not be looked at. */
export interface UntriedVital {
  /** Which one. */
  readonly vital: Vital;
  /** One line: `list nodes: not allowed (403); …` */
  readonly why: string;
  /** Whether a right is missing: a plan leaves the vital out, or grants it. */
  readonly denied: boolean;
}

/** How a vital is counted, and what is usual of it. */
export interface VitalKind {
  /** What its units are: `3 of 40 pods …`. */
  readonly unit: string;
  /** What is said of those that are affected, of several. */
  readonly said: string;
  /**
   * Share that is affected in a cluster of which nothing is known but that it is well; above what well-kept clusters have, since
   * the old cluster says more as soon as it has some units.
   */
  readonly usual: number;
  /** Least share that is affected where the new cluster is called ill. @default - the check's tolerance */
  readonly least?: number;
}

/** DNS answers come in bursts of one client, so that a single second says little: it takes a fifth of them. */
export const leastOfAnswers = 0.2;

/** Every vital that is counted. */
export const vitalKinds: Readonly<Record<CountedVital, VitalKind>> = {
  restarts: { unit: 'pods', said: 'have restarted', usual: 0.02 },
  oomKills: { unit: 'pods', said: 'ran out of memory (OOMKilled)', usual: 0.01 },
  pendingPods: { unit: 'pods', said: 'do not start', usual: 0.01 },
  imagePulls: { unit: 'pods', said: 'have no image', usual: 0.01 },
  podNetworks: { unit: 'pods', said: 'have no network', usual: 0.01 },
  refusedPods: { unit: 'workloads', said: 'are refused pods', usual: 0.002 },
  nodes: { unit: 'nodes', said: 'are not ready', usual: 0.00005 },
  dns: { unit: 'CoreDNS pods', said: 'are not ready', usual: 0.01 },
  dnsAnswers: { unit: 'DNS answers', said: 'are SERVFAIL', usual: 0.01, least: leastOfAnswers },
};

/** How far back is looked, and what is too young to count. In milliseconds since 1970. */
export interface VitalTimes {
  /** Now. */
  readonly to: number;
  /** Restarts and kills before are of no interest. */
  readonly since: number;
  /** What is not well for a shorter time may only be starting, in milliseconds. */
  readonly grace: number;
}

/** What ends sooner is noise, whatever the grace is: a node that a kubelet restarts on, a webhook's rolling update. */
const briefMs = 60_000;

/** The grace of what needs no time to start. */
export function briefGrace({ grace }: VitalTimes): number {
  return Math.min(grace, briefMs);
}
