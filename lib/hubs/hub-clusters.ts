import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { ClusterCredentials, FleetRef, FleetSource, SlotRef } from '../fleet';
import { ClusterFleet, connectToCluster, fleetRef } from '../fleet';

/** A cluster on which Argo CD is to run. */
export interface HubCluster {
  /** Name of the slot. */
  readonly slot: string;
  /** The slot as plain values. */
  readonly ref: pulumi.Output<SlotRef>;
  /** Provider of the cluster. */
  readonly kubernetes: k8s.Provider;
  /** The cluster, where this program makes it. */
  readonly cluster?: pulumi.Resource;
  /** What must be there before Argo CD. */
  readonly ready: readonly pulumi.Resource[];
}

/** A cluster that Argo CD manages. */
export interface ManagedCluster {
  /** FLEET-SLOT: the name by which Argo CD knows the cluster. */
  readonly name: string;
  readonly fleet: string;
  readonly slot: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ref: pulumi.Output<SlotRef>;
}

/** The clusters of a hub fleet of this program, or connections to those of another. */
export function hubClusters(
  name: string,
  source: FleetSource,
  credentials: ClusterCredentials | undefined,
  parent: pulumi.Resource,
): HubCluster[] {
  if (source instanceof ClusterFleet) {
    return Object.entries(source.slots).map(([slot, { ref, kubernetes, cluster, ready }]) => ({
      slot,
      ref,
      kubernetes,
      cluster,
      ready,
    }));
  }
  return Object.entries(fleetRef(source).slots).map(([slot, given]) => {
    const ref = pulumi.output(given);
    const { provider } = connectToCluster(`${name}-${slot}`, ref, credentials, { parent });
    return { slot, ref, kubernetes: provider, ready: [] };
  });
}

/** The clusters of all managed fleets. */
export function managedClusters(fleets: readonly FleetRef[]): ManagedCluster[] {
  return fleets.flatMap((fleet) =>
    Object.entries(fleet.slots).map(([slot, ref]) => ({
      name: `${fleet.name}-${slot}`,
      fleet: fleet.name,
      slot,
      labels: fleet.labels?.[slot] ?? {},
      ref: pulumi.output(ref),
    })),
  );
}
