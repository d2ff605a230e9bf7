import type * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import type { ApiObject } from 'cdk8s';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { argoAddons, deliveredBy, deliveryOf } from '../addons';
import type { FleetAddons } from '../addons';
import { Manifests, outputToken } from '../bridge';
import { ClusterFleet } from '../fleet';
import type { ClusterSlot, FleetSource } from '../fleet';
import { HubObjects, collectProblems, standIn } from './hub-objects';
import type { HubRepository } from './hub-objects';

/** Add-ons that Argo CD delivers to the fleets of a hub. */
interface DeliveredAddons {
  /** What Argo CD is told of them, by the position of the fleet in `manages`. */
  readonly fleets: ReadonlyMap<number, FleetAddons>;
  /** Registries of their charts that the hub is not told of anyway. */
  readonly repositories: readonly HubRepository[];
  /** What has to be there before they are delivered: nodes, roles of their pods, and add-ons that Pulumi delivers. */
  readonly after: readonly pulumi.Resource[];
}

/** What a hub's arguments say of it. */
interface DeliveredAddonsArgs {
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
  const record = new Map(addonDestination.addons.map((addon) => [addon.name, addon]));
  const brought = deliveredBy(addonDestination.addons, 'argocd');
  const made = brought.flatMap(({ name, requires }) => [
    ...addons[name]!.resources,
    ...requires
      .filter((required) => deliveryOf(record.get(required)!) === 'pulumi')
      .flatMap((required) => addons[required]!.resources),
  ]);
  return brought.length === 0 ? [] : [...ready, ...made];
}

/** Argo CD looks repositories up without regard to upper and lower case; a slash at the end makes another one. */
function plainUrl(url: string): string {
  return url.toLowerCase();
}

/** Where the objects are, and what for. */
export interface AddonObjectsPlace {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** Whether nothing may be synchronised by itself. */
  readonly standby: boolean;
  /** Namespaces of their Applications, which projects of the managed Argo CD name. @default - not named */
  readonly sourceNamespaces?: readonly string[];
}

/** How they are registered. */
export interface AddonManifestsPlace extends AddonObjectsPlace {
  readonly parent: pulumi.Resource;
  readonly provider: pulumi.ProviderResource;
  /** The hub's cluster. */
  readonly cluster?: pulumi.Resource;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** The projects, registries and ApplicationSets of add-ons. */
function addonObjects(
  chart: Chart,
  { fleets, repositories }: DeliveredAddons,
  { namespace, standby, sourceNamespaces }: AddonObjectsPlace,
): HubObjects {
  const all = [...fleets.values()];
  return new HubObjects(chart, 'addons', {
    namespace,
    projects: all.map(({ project }) => (sourceNamespaces ? { ...project, sourceNamespaces } : project)),
    repositories,
    credentialTemplates: [],
    applicationSets: all.map(({ applicationSet }) => applicationSet),
    clusters: [],
    standby,
    token: (value) => outputToken(chart, value),
  });
}

/**
 * Registers what lets Argo CD deliver add-ons, apart from the hub's other objects, which do not wait for what is made on
 * the slots.
 *
 * @returns undefined where Argo CD delivers none
 */
export function addonManifests(
  name: string,
  args: DeliveredAddonsArgs,
  place: AddonManifestsPlace,
): Manifests | undefined {
  const chart = new Chart(new App(), 'addons');
  const delivered = deliveredAddons(args, (value) => outputToken(chart, value));
  if (delivered.fleets.size === 0) {
    return undefined;
  }
  addonObjects(chart, delivered, place);
  const { parent, provider, cluster, dependsOn } = place;
  return new Manifests(
    name,
    {
      chart,
      deletedWith: cluster,
      // An Application that goes with the last add-on is deleted by what its project allows.
      retained: ({ kind }: ApiObject) => kind === 'AppProject',
    },
    { parent, provider, dependsOn: [...dependsOn, ...delivered.after] },
  );
}

/** What of a hub's arguments add-ons that Argo CD delivers may not go with. */
export interface AddonSurroundings extends DeliveredAddonsArgs {
  readonly projects?: readonly { readonly name: string }[];
  readonly applicationSets?: readonly { readonly name: string }[];
  readonly targetNamespaces?: readonly string[];
}

/** Everything that is wrong with the add-ons that Argo CD is to deliver. */
export function addonProblems(args: AddonSurroundings): readonly Problem[] {
  const problems = new Problems('add-ons that Argo CD delivers');
  const { fleets } = deliveredAddons(args, standIn);
  const taken = { projects: args.projects ?? [], applicationSets: args.applicationSets ?? [] };
  for (const [position, { applicationSet, ...rest }] of fleets) {
    const at = `manages[${position}]`;
    for (const [field, items] of Object.entries(taken)) {
      items.forEach(({ name }, index) => {
        if (name === applicationSet.name) {
          problems.add(
            `${field}[${index}].name`,
            name,
            `another name, or left out: the hub makes it by itself for the add-ons of ${at}`,
          );
        }
      });
    }
    if (args.targetNamespaces !== undefined) {
      problems.add(
        'targetNamespaces',
        args.targetNamespaces,
        `left out: Argo CD delivers add-ons of ${at}, which have objects of the whole cluster`,
      );
    }
    collectProblems(problems, `${at}.addons`, () => {
      const alone = {
        fleets: new Map([[position, { applicationSet, ...rest }]]),
        repositories: [],
        after: [],
      };
      addonObjects(new Chart(new App(), 'check'), alone, { namespace: 'argocd', standby: false });
    });
  }
  return problems.all;
}
