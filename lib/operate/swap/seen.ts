import type { FleetConfiguration } from './configuration';

/** What there is of a fleet, before anything is decided. */
export interface SwapSeen {
  /** What the program's configuration says. */
  readonly configuration: FleetConfiguration;
  /** The EKS clusters that there are, by slot. */
  readonly clusters: Readonly<Record<string, SeenCluster>>;
  /**
   * Live traffic by slot, in percent of all that the fleet takes; of a fleet of hubs, 100 for the one that writes. Empty where
   * nothing leads to the fleet.
   */
  readonly live: Readonly<Record<string, number>>;
}

/** An EKS cluster of a slot. */
export interface SeenCluster {
  /** Kubernetes version: `1.35`. */
  readonly version: string;
  /** As EKS says it: `ACTIVE`, `CREATING`, `DELETING`, `UPDATING`, `FAILED`. */
  readonly status: string;
}
