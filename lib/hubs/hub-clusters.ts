import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { ClusterConnection, ClusterCredentials, FleetRef, FleetSource, SlotRef } from '../fleet';
import { ClusterFleet, connectToCluster, fleetRef, kubeconfig } from '../fleet';

/** A cluster on which Argo CD is to run. */
export interface HubCluster {
  /** Name of the slot. */
  readonly slot: string;
  /** The slot as plain values. */
  readonly ref: pulumi.Output<SlotRef>;
  /** Provider of the cluster. */
  readonly kubernetes: k8s.Provider;
  /** Kubeconfig of the cluster as JSON, without credentials. */
  readonly kubeconfig: pulumi.Output<string>;
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
    return Object.entries(source.slots).map(
      ([slot, { ref, kubernetes, kubeconfig: config, cluster, ready }]) => ({
        slot,
        ref,
        kubernetes,
        kubeconfig: config,
        cluster,
        ready,
      }),
    );
  }
  return Object.entries(fleetRef(source).slots).map(([slot, given]) => {
    const ref = pulumi.output(given);
    if (lost.includes(slot)) {
      const { provider, kubeconfig: config } = lostCluster(`${name}-${slot}`, ref, credentials, parent);
      // When the slot is taken out, the provider goes as well, and nothing is asked of the cluster.
      return { slot, ref, kubernetes: provider, kubeconfig: config, cluster: provider, ready: [] };
    }
    const connection = connectToCluster(`${name}-${slot}`, ref, credentials, { parent });
    return { slot, ref, kubernetes: connection.provider, kubeconfig: connection.kubeconfig, ready: [] };
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
): ClusterConnection {
  const config = pulumi
    .all([ref, credentials?.roleArn])
    .apply(([slot, roleArn]) =>
      JSON.stringify(kubeconfig({ ...slot, roleArn, profile: credentials?.profile }), undefined, 2),
    );
  const provider = new k8s.Provider(
    name,
    {
      kubeconfig: config,
      clusterIdentifier: ref.apply(({ clusterArn }) => clusterArn),
      skipUpdateUnreachable: true,
      deleteUnreachable: true,
    },
    { parent },
  );
  return { provider, kubeconfig: config };
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
