import { fleetLabel, slotLabel } from '../../core/names';
import { dnsLabel, nonEmptyText } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { ProjectDestination } from './app-project';

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

/** A fleet by the names under which its clusters are registered. */
export interface DestinationFleet {
  /** Name of the fleet. */
  readonly name: string;
  /** Its slots: names, or an object with a field for each, as a fleet has them. */
  readonly slots: readonly string[] | Readonly<Record<string, unknown>>;
}

/**
 * The destinations of a project that is limited to the clusters of some fleets: each slot by the name that a hub registers it
 * under, `FLEET-SLOT`. A wildcard would also allow every cluster that comes later.
 *
 * @param fleets the fleets
 * @param namespaces namespaces that the project's Applications may deploy to, with wildcards
 * @throws InvalidInput where a fleet, a slot or a namespace is missing or wrong
 *
 * @example
 * new argocd.AppProject(chart, 'apps', {
 *   name: 'apps',
 *   sourceRepos: ['https://github.com/example/config'],
 *   destinations: argocd.fleetDestinations([{ name: 'apps', slots: ['blue', 'green'] }], ['podinfo']),
 * });
 */
export function fleetDestinations(
  fleets: readonly DestinationFleet[],
  namespaces: readonly string[],
): ProjectDestination[] {
  const problems = new Problems('fleetDestinations');
  if (fleets.length === 0) {
    problems.add('fleets', fleets, 'a list with at least one fleet');
  }
  if (namespaces.length === 0) {
    problems.add('namespaces', namespaces, 'a list with at least one namespace');
  }
  namespaces.forEach((namespace, position) => {
    problems.check(`namespaces[${position}]`, namespace, nonEmptyText);
    if (namespace.startsWith?.('!')) {
      problems.add(
        `namespaces[${position}]`,
        namespace,
        'a namespace without "!": Argo CD forbids none together with a cluster\'s name',
      );
    }
  });
  const clusters = fleets.flatMap(({ name, slots }, position) => {
    const names = Array.isArray(slots) ? (slots as readonly string[]) : Object.keys(slots);
    problems.check(`fleets[${position}].name`, name, dnsLabel);
    if (names.length === 0) {
      problems.add(`fleets[${position}].slots`, names, 'at least one slot');
    }
    names.forEach((slot) => problems.check(`fleets[${position}].slots`, slot, dnsLabel));
    return names.map((slot) => `${name}-${slot}`);
  });
  problems.throwIfAny();
  return [...new Set(clusters)].flatMap((name) => namespaces.map((namespace) => ({ name, namespace })));
}
