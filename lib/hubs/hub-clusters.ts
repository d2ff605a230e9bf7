import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { ClusterConnection, ClusterCredentials, FleetSource, SlotRef } from '../fleet';
import { ClusterFleet, connectToCluster, fleetRef, kubeconfigText } from '../fleet';
import type { Problems } from '../problems';
import { oneOf } from '../problems';

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
  /** Slots that can't be reached. @default - none */
  readonly lost?: readonly string[];
  readonly parent: pulumi.Resource;
}

/** Checks that a slot of the hub fleet is chosen where there are several. */
export function checkChosenSlot(
  problems: Problems,
  option: 'active' | 'slot',
  chosen: string | undefined,
  slots: readonly string[],
): void {
  if (slots.length === 0) {
    problems.add('fleet', slots, 'a fleet with at least one slot');
  } else if (slots.length > 1 || chosen !== undefined) {
    problems.check(option, chosen, oneOf(...slots));
  }
}

/** The clusters of a hub fleet. */
export function hubClusters(name: string, options: HubClustersOptions): HubCluster[] {
  return Object.keys(fleetRef(options.source).slots).map((slot) => hubCluster(name, slot, options));
}

/** The cluster of a slot of this program, or a connection to that of another. */
export function hubCluster(
  name: string,
  slot: string,
  { source, credentials, lost = [], parent }: HubClustersOptions,
): HubCluster {
  if (source instanceof ClusterFleet) {
    const { ref, kubernetes, kubeconfig, cluster, ready } = source.slots[slot]!;
    return { slot, ref, kubernetes, kubeconfig, cluster, ready };
  }
  const ref = pulumi.output(fleetRef(source).slots[slot]!);
  if (lost.includes(slot)) {
    const { provider, kubeconfig } = lostCluster(`${name}-${slot}`, ref, credentials, parent);
    // When the slot is taken out, the provider goes as well, and nothing is asked of the cluster.
    return { slot, ref, kubernetes: provider, kubeconfig, cluster: provider, ready: [] };
  }
  const { provider, kubeconfig } = connectToCluster(`${name}-${slot}`, ref, credentials, { parent });
  return { slot, ref, kubernetes: provider, kubeconfig, ready: [] };
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
  const kubeconfig = kubeconfigText(ref, credentials);
  const provider = new k8s.Provider(
    name,
    {
      kubeconfig,
      clusterIdentifier: ref.apply(({ clusterArn }) => clusterArn),
      skipUpdateUnreachable: true,
      deleteUnreachable: true,
    },
    { parent },
  );
  return { provider, kubeconfig };
}
