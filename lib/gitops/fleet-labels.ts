/** Label of a cluster Secret that names the fleet of the cluster. */
export const fleetLabel = 'cluster-canary/fleet';

/** Label of a cluster Secret that names the slot of the cluster. */
export const slotLabel = 'cluster-canary/slot';

/**
 * Labels for the template of an ApplicationSet that tell the Applications' fleet and slot, from the labels of the cluster
 * Secrets. A cluster that has none of them gives an empty label.
 *
 * They are Go templates and need a clusters generator.
 */
export function slotLabels(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [fleetLabel, slotLabel].map((label) => [label, `{{ index .metadata.labels "${label}" }}`]),
  );
}
