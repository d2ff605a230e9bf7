import type * as pulumi from '@pulumi/pulumi';
import type { FleetAddons } from '../addons';
import { argoAddons, broughtBy, courierOf } from '../addons';
import type { ClusterSlot, FleetSource } from '../fleet';
import { ClusterFleet } from '../fleet';
import type { HubRepository } from './hub-objects';

/** Add-ons that Argo CD delivers to the fleets of a hub. */
export interface DeliveredAddons {
  /** What Argo CD is told of them, by the position of the fleet in `manages`. */
  readonly fleets: ReadonlyMap<number, FleetAddons>;
  /** Registries of their charts that the hub is not told of anyway. */
  readonly repositories: readonly HubRepository[];
  /** What has to be there before they are delivered: nodes, roles of their pods, and add-ons that Pulumi delivers. */
  readonly after: readonly pulumi.Resource[];
}

/** What a hub's arguments say of it. */
export interface DeliveredAddonsArgs {
  readonly manages: readonly FleetSource[];
  /** Repositories that the hub is told of anyway. */
  readonly repositories?: readonly HubRepository[];
  /** Whether what an add-on requires must be healthy first. */
  readonly steps?: boolean;
}

/**
 * The add-ons that Argo CD delivers to the fleets of this program that a hub manages. Those of a `FleetRef` are known to
 * the program that makes the fleet, and to no other.
 *
 * @param token makes text of an output
 */
export function deliveredAddons(
  { manages, repositories = [], steps }: DeliveredAddonsArgs,
  token: (value: unknown) => unknown,
): DeliveredAddons {
  const fleets = new Map<number, FleetAddons>();
  const after: pulumi.Resource[] = [];
  manages.forEach((source, position) => {
    if (!(source instanceof ClusterFleet)) {
      return;
    }
    const slots = Object.values(source.slots);
    const destinations = slots.map(({ addonDestination }) => addonDestination);
    const delivered = argoAddons(source.ref.name, destinations, token, { steps });
    if (delivered) {
      fleets.set(position, delivered);
      after.push(...slots.flatMap(madeByPulumi));
    }
  });
  const known = new Set(repositories.map(({ url }) => plainUrl(url)));
  const registries = [...fleets.values()].flatMap((each) => each.repositories);
  return {
    fleets,
    repositories: registries.filter(({ url }) => {
      const isNew = !known.has(plainUrl(url));
      known.add(plainUrl(url));
      return isNew;
    }),
    after,
  };
}

/** Pods get a role only where it is there before they start, and Argo CD does not try for ever. */
function madeByPulumi({ addonDestination, addons, ready }: ClusterSlot): readonly pulumi.Resource[] {
  const byName = new Map(addonDestination.addons.map((addon) => [addon.name, addon]));
  const brought = broughtBy(addonDestination.addons, 'argocd');
  const made = brought.flatMap(({ name, requires }) => [
    ...addons[name]!.resources,
    ...requires
      .filter((required) => courierOf(byName.get(required)!) === 'pulumi')
      .flatMap((required) => addons[required]!.resources),
  ]);
  return brought.length === 0 ? [] : [...ready, ...made];
}

/** Argo CD looks repositories up without regard to upper and lower case; a slash at the end makes another one. */
function plainUrl(url: string): string {
  return url.toLowerCase();
}
