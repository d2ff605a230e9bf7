import { deliveredAddons } from './fleet-addons';
import type { ArgoCdHubArgs } from './hub-arguments';
import type { ManagedCluster } from './managed-clusters';
import type { HubObjectsProps } from './hub-objects';
import { standIn } from './stand-in';

/** What of a hub's arguments becomes objects. */
export function objectProps(
  args: ArgoCdHubArgs,
  clusters: readonly ManagedCluster[],
  namespace: string,
): Omit<HubObjectsProps, 'standby' | 'token'> {
  return {
    namespace,
    clusters,
    projects: args.projects ?? [],
    repositories: args.repositories ?? [],
    credentialTemplates: args.credentialTemplates ?? [],
    applicationSets: args.applicationSets ?? [],
    targetNamespaces: args.targetNamespaces,
  };
}

/** Names of every ApplicationSet that a hub makes. */
export function setNames(args: ArgoCdHubArgs): readonly string[] {
  const { fleets } = deliveredAddons(args, standIn);
  const ofAddons = [...fleets.values()].map(({ applicationSet }) => applicationSet);
  return [...(args.applicationSets ?? []), ...ofAddons].map(({ name }) => name);
}
