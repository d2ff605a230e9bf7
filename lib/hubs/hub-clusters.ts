import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { ClusterCredentials, FleetRef, FleetSource, SlotRef } from '../fleet';
import { ClusterFleet, connectToCluster, fleetRef, kubeconfig } from '../fleet';

/** A cluster on which Argo CD is to run. */
export interface HubCluster {
  /** Name of the slot. */
  readonly slot: string;
  /** The slot as plain values. */
  readonly ref: pulumi.Output<SlotRef>;
  /** Provider of the cluster. */
  readonly kubernetes: k8s.Provider;
  /** What goes with all that is on the cluster: the cluster, where this program makes it. */
  readonly cluster?: pulumi.Resource;
  /** What must be there before Argo CD. */
  readonly ready: readonly pulumi.Resource[];
}

/** Where the hubs' clusters come from. */
export interface HubClustersOptions {
  readonly source: FleetSource;
  readonly credentials: ClusterCredentials | undefined;
  /** Slots that can't be reached. */
  readonly lost: readonly string[];
  readonly parent: pulumi.Resource;
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
  { source, credentials, lost, parent }: HubClustersOptions,
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
    if (lost.includes(slot)) {
      const provider = lostCluster(`${name}-${slot}`, ref, credentials, parent);
      // When the slot is taken out, the provider goes as well, and nothing is asked of the cluster.
      return { slot, ref, kubernetes: provider, cluster: provider, ready: [] };
    }
    const { provider } = connectToCluster(`${name}-${slot}`, ref, credentials, { parent });
    return { slot, ref, kubernetes: provider, ready: [] };
  });
}

/**
 * The provider of a cluster that can't be reached: it changes nothing there, and what the program has no more leaves the
 * state.
 * @see https://www.pulumi.com/registry/packages/kubernetes/api-docs/provider/
 */
function lostCluster(
  name: string,
  ref: pulumi.Output<SlotRef>,
  credentials: ClusterCredentials | undefined,
  parent: pulumi.Resource,
): k8s.Provider {
  return new k8s.Provider(
    name,
    {
      kubeconfig: pulumi
        .all([ref, credentials?.roleArn])
        .apply(([slot, roleArn]) =>
          JSON.stringify(kubeconfig({ ...slot, roleArn, profile: credentials?.profile }), undefined, 2),
        ),
      clusterIdentifier: ref.apply(({ clusterArn }) => clusterArn),
      skipUpdateUnreachable: true,
      deleteUnreachable: true,
    },
    { parent },
  );
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
