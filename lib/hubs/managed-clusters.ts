import * as pulumi from '@pulumi/pulumi';
import type { FleetRef, FleetSource, SlotRef } from '../fleet';
import { fleetRef } from '../fleet';
import { fleetLabel, slotLabel } from '../gitops';
import type { Problems } from '../problems';

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

/** The clusters of all managed fleets, each of which may stand in the list once. */
export function managedClusters(
  problems: Problems,
  manages: readonly FleetSource[] | undefined,
): ManagedCluster[] {
  if (manages === undefined) {
    problems.add('manages', manages, 'a list of fleets; empty for none');
    problems.throwIfAny();
    return [];
  }
  const fleets = manages.map(fleetRef);
  const names = fleets.map(({ name }) => name);
  names.forEach((name, index) => {
    const first = names.indexOf(name);
    if (first !== index) {
      problems.add(`manages[${index}]`, name, `a fleet of its own: manages[${first}] is it, too`);
    }
  });
  return fleets.flatMap(clustersOf);
}

function clustersOf({ name, slots, labels }: FleetRef, position: number): ManagedCluster[] {
  return Object.entries(slots).map(([slot, ref]) => ({
    name: `${name}-${slot}`,
    path: `manages[${position}].slots.${slot}`,
    labels: { ...labels?.[slot], [fleetLabel]: name, [slotLabel]: slot },
    ref: pulumi.output(ref),
  }));
}
