import type { CountedVital } from '../checks';
import type { Weights } from '../engine';

/**
 * What happens to a shift in a simulation: the traffic, how each slot does, what the metrics show of it, and what else
 * goes wrong. The same words stand in a file (`readScenario`). Shares are numbers from 0 to 1, durations are text as Go
 * reads it (`30s`, `2m`), and times count from the start of the shift.
 */
export interface Scenario {
  /** How many requests come. */
  readonly requests: RequestRate;
  /** Share of the requests that fail at every slot, of which nothing else is said. @default 0 */
  readonly errorShare?: number;
  /** Share of the requests that are slow, likewise. @default 0 */
  readonly slowShare?: number;
  /** Slots that do otherwise, by name. @default - none */
  readonly slots?: Readonly<Record<string, SlotScenario>>;
  /** Errors that come in bursts. @default - every request fails or succeeds for itself */
  readonly bursts?: Bursts;
  /** The source of the figures. @default - figures of a minute are there, all of them, half a minute after its end */
  readonly metrics?: MetricFaults;
  /** Requests that the shift itself sends, where its comparison says so. @default - they meet what visitors meet */
  readonly synthetic?: {
    /** Share of them that are lost on the way, at every slot. @default 0 */
    readonly lost?: number;
  };
  /** The load balancer. @default - every call succeeds at once */
  readonly router?: RouterFaults;
  /** Weights that are live at the start. @default - everything on the first slot that is not to get everything */
  readonly live?: Weights;
  /** Interrupts the shift, as SIGINT does. @default - never */
  readonly interrupt?: {
    /** When, since the start. */
    readonly at: string;
  };
  /** Kills the shift, and may run it again. @default - never */
  readonly kill?: {
    /** When, since the start. */
    readonly at: string;
    /** How long after the kill it is run again. @default - never */
    readonly resumesAfter?: string;
  };
}

/** How many requests come, in all, to all slots together. */
export interface RequestRate {
  /** Requests in a second. */
  readonly perSecond: number;
  /** Times at which it is another number; the last one that fits holds. @default - none */
  readonly changes?: readonly (Period & {
    /** Requests in a second, in that time. */
    readonly perSecond: number;
  })[];
}

/** From when to when. */
export interface Period {
  /** When it begins. @default '0s' */
  readonly from?: string;
  /** When it ends. @default - for ever */
  readonly until?: string;
}

/**
 * How one slot does. It counts as bad while it has more errors or more slow requests than the scenario says of every
 * slot, requests that it has no capacity for, a target that is not healthy or none at all, or something wrong with its
 * cluster; what it does because it is cold does not count.
 */
export interface SlotScenario extends SlotBehaviour {
  /** Times at which it does otherwise; the last one that fits holds. @default - none */
  readonly changes?: readonly (Period & SlotBehaviour)[];
  /** What it does at first, from its first request on. @default - as ever */
  readonly cold?: Pick<SlotBehaviour, 'errorShare' | 'slowShare'> & {
    /** How long that lasts: `2m`. */
    readonly lasts: string;
  };
  /**
   * Its pods, if an autoscaler decides how many there are. Those that are ready are its healthy targets, and what they can
   * serve is its capacity.
   *
   * @default - it has the same targets and capacity whatever its load is
   */
  readonly autoscaler?: AutoscalerScenario;
}

/**
 * The pods of one slot and their HorizontalPodAutoscaler, which scales by CPU utilization. CPU is proportional to requests,
 * and every ready pod gets as many. Defaults are those of Kubernetes, but for the utilization.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
export interface AutoscalerScenario {
  /** Fewest pods. */
  readonly minReplicas: number;
  /** Most pods. @default - any number */
  readonly maxReplicas?: number;
  /** The CPU utilization that it scales to, as a share of what a pod can use. @default 0.6 */
  readonly targetUtilization?: number;
  /** How far utilization may be from that, as a share of it, without a change. @default 0.1 */
  readonly tolerance?: number;
  /** How often it looks. @default '15s' */
  readonly syncPeriod?: string;
  /** It removes pods only as far as every look in this time has recommended. @default '5m' */
  readonly scaleDownWindow?: string;
  /** How long a new pod needs until it is ready and a healthy target. @default '60s' */
  readonly podStart?: string;
  /**
   * Pods at the start.
   *
   * @default - as many as hold the target utilization at the slot's traffic, within the limits
   */
  readonly replicas?: number;
  /**
   * Requests a second that a pod serves at full CPU; those beyond fail.
   *
   * @default - what makes the slots that have traffic and `replicas` run at their target utilization at the start
   */
  readonly requestsPerPod?: number;
}

/** What is wrong with a cluster: shares by the names of vitals. */
export type VitalsScenario = { readonly [Name in CountedVital]?: number };

/** How a slot does. */
export interface SlotBehaviour {
  /** Share of the requests that fail. @default - as every slot */
  readonly errorShare?: number;
  /** Share of the requests that are slow. @default - as every slot */
  readonly slowShare?: number;
  /** Requests a second that it can serve; those beyond fail. @default - any number */
  readonly capacity?: number;
  /** Targets that are registered. @default 10 */
  readonly targets?: number;
  /** Targets of these that are healthy. @default - all */
  readonly healthyTargets?: number;
  /**
   * What is wrong with its cluster, for `clusterVitals`: shares of its 200 pods, 40 workloads that get new pods, 20 nodes, two pods
   * of CoreDNS and 500 DNS answers. It lasts for longer than the check's grace.
   *
   * @default - nothing
   */
  readonly vitals?: VitalsScenario;
}

/**
 * Bursts: the share of errors that every slot has anyway differs from minute to minute, by a beta distribution around
 * `errorShare`, so that the errors of a minute are beta-binomial.
 */
export interface Bursts {
  /**
   * Correlation of two requests of one minute, 0 to 1: the variance of the share is `dispersion` times that of a single
   * request. With 0.1 % errors, 0.001 makes the share exponential: half of the minutes below 0.07 %, one in a hundred
   * above 0.46 %.
   */
  readonly dispersion: number;
  /** Chance that a minute has the share of the one before it. @default 0 */
  readonly persistence?: number;
  /** Whether all slots have their bursts together, as those of a database that they share. @default false */
  readonly shared?: boolean;
}

/** What is wrong with the source of the figures, as CloudWatch is one: it gives them by the minute. */
export interface MetricFaults {
  /**
   * From the end of a minute until its figures are there. Where a check waits longer, that counts.
   *
   * @default '30s' - checks of CloudWatch wait two minutes by default, those of Datadog 30 s, those of Prometheus 15 s
   */
  readonly delay?: string;
  /**
   * Successful answers that are counted later than the requests, as those of a load balancer in CloudWatch: until then
   * they look like errors. For checks of CloudWatch only.
   *
   * @default - a minute's figures are all there at the same time
   */
  readonly late?: LateAnswers;
  /** Share of the minutes, for each slot, whose figures never come. @default 0 */
  readonly missing?: number;
  /** Spells in which every question is answered with an error. @default - none */
  readonly failing?: Period & {
    /** Share of the time. */
    readonly share: number;
    /** Length of one spell. @default '30s' */
    readonly lasts?: string;
  };
}

/** Answers of a minute that are counted late. */
export interface LateAnswers {
  /** Share of a minute's successful answers. */
  readonly share: number;
  /** How long after the end of a minute they are there at the latest; for each minute and slot it is drawn. @default '2m' */
  readonly lasts?: string;
}

/** What is wrong with the load balancer. */
export interface RouterFaults {
  /** How long a write takes. @default '0s' */
  readonly writeTakes?: string;
  /** Share of the calls that are throttled. @default 0 */
  readonly throttled?: number;
  /** Somebody else writes weights. @default - nobody */
  readonly foreignWrite?: {
    /** When, since the start. */
    readonly at: string;
    /** The weights that they write: whole percents that add up to 100. */
    readonly weights: Weights;
  };
}
