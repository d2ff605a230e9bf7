import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { fleetLabel, slotLabel } from '../../core/names';
import { oneOfWords } from '../../core/validation/formats';
import type { Problems } from '../../core/validation/problems';
import type { Manifests } from '../bridge';
import { ClusterFleet, connectToCluster, fleetRef, kubeconfigText } from '../fleet';
import type { ClusterConnection, ClusterCredentials, FleetRef, FleetSource, SlotRef } from '../fleet';

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
  } else if (chosen !== undefined) {
    problems.check(option, chosen, oneOfWords(...slots));
  } else if (slots.length > 1) {
    problems.require(option, oneOfWords(...slots).allowed);
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

/** A cluster that Argo CD manages. */
export interface ManagedCluster {
  /** FLEET-SLOT: the name by which Argo CD knows the cluster. */
  readonly name: string;
  /** Where it is among the arguments: `manages[0].slots.blue`. */
  readonly path: string;
  /** Labels of its Secret: those of the fleet, and which fleet and slot it is. */
  readonly labels: Readonly<Record<string, string>>;
  readonly ref: pulumi.Output<SlotRef>;
}

/** Adds a problem for each managed fleet that is in the list twice. */
export function checkManagedFleets(problems: Problems, manages: readonly FleetSource[]): void {
  const names = manages.map((source) => fleetRef(source).name);
  names.forEach((name, index) => {
    const first = names.indexOf(name);
    if (first !== index) {
      problems.add(`manages[${index}]`, name, `a fleet of its own: manages[${first}] is it, too`);
    }
  });
}

/** The clusters of all managed fleets. */
export function managedClusters(manages: readonly FleetSource[]): ManagedCluster[] {
  return manages.map((source) => fleetRef(source)).flatMap(clustersOf);
}

function clustersOf({ name, slots, labels }: FleetRef, position: number): ManagedCluster[] {
  return Object.entries(slots).map(([slot, ref]) => ({
    name: `${name}-${slot}`,
    path: `manages[${position}].slots.${slot}`,
    labels: { ...labels?.[slot], [fleetLabel]: name, [slotLabel]: slot },
    ref: pulumi.output(ref),
  }));
}

/** Where an Argo CD is asked: what checks, labels and sync windows of a shift take. */
export interface HubAddress {
  /** Kubeconfig of its cluster as JSON, without credentials. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Namespace of Argo CD. */
  readonly namespace: string;
}

/** One Argo CD of the hub. */
export interface InstalledHub {
  /** Whether this one writes. */
  readonly active: boolean;
  /** The Helm release. */
  readonly release: k8s.helm.v3.Release;
  /** Projects, repositories, cluster Secrets and ApplicationSets. */
  readonly objects: Manifests;
  /** What lets it deliver add-ons of the managed fleets, where it delivers any. */
  readonly addons?: Manifests;
  /** Provider of the cluster that it runs on. */
  readonly kubernetes: k8s.Provider;
  /** What is there when this one does its duty: let what relies on that depend on it. */
  readonly ready: readonly pulumi.Resource[];
}
