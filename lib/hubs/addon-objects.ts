import type { ApiObject } from 'cdk8s';
import { App, Chart } from 'cdk8s';
import type * as pulumi from '@pulumi/pulumi';
import { Manifests, outputToken } from '../bridge';
import type { DeliveredAddons, DeliveredAddonsArgs } from './fleet-addons';
import { deliveredAddons } from './fleet-addons';
import { HubObjects } from './hub-objects';

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
export function addonObjects(
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
