import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { oneOfWords } from '../../core/validation/formats';
import { argumentProblems } from '../../core/validation/arguments';
import { list, optional } from '../../core/validation/collections';
import { InvalidInput, laterValue } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import type { OptionalSchema, Schema } from '../../core/validation/schema';
import { following, text } from '../../core/validation/values';
import type { HelmValues } from './helm-values';

/** What is known of a slot before anything is registered. */
export interface AddonSlot {
  /** Whether EKS Auto Mode runs the cluster's nodes, load balancing and storage. */
  readonly autoMode: boolean;
  /**
   * Kubernetes version, `1.35`.
   * @default - not known when the program runs: a cluster that was made elsewhere
   */
  readonly kubernetesVersion?: string;
}

/** What an add-on's values may be made of, whoever delivers it. */
export interface AddonCluster extends AddonSlot {
  /** Prefix of resource names, and name of the cluster in Argo CD: `apps-blue`. */
  readonly name: string;
  /** Name of the EKS cluster. */
  readonly clusterName: pulumi.Input<string>;
  /** ARN of the EKS cluster. */
  readonly clusterArn: pulumi.Input<string>;
  /** AWS region of the cluster. */
  readonly region: pulumi.Input<string>;
  /** VPC that the cluster is in. */
  readonly vpcId: pulumi.Input<string>;
}

/** What an add-on needs to know of the slot it is installed on. A plain object: it is copied. */
export interface AddonTarget extends AddonCluster {
  /** Kubernetes provider of the cluster. */
  readonly kubernetes: k8s.Provider;
  /**
   * The cluster: when it is deleted, what an add-on has put into it is not deleted one by one.
   * @default - made elsewhere: an add-on's objects are deleted through its API server
   */
  readonly cluster?: pulumi.Resource;
  /** Parent of the add-on's resources, which take the AWS provider from it. */
  readonly parent: pulumi.Resource;
  /** What must be there first: nodes, the Pod Identity agent, the add-ons that this one requires. */
  readonly dependsOn: readonly pulumi.Resource[];
  /**
   * Target groups of the slot, to which an add-on may limit what its role may change.
   * @default - not known: every target group of the cluster's account and region
   */
  readonly targetGroupArns?: readonly pulumi.Input<string>[];
}

/** What an add-on has registered. */
export interface AddonResources {
  /** What others have to wait for before they use the add-on. */
  readonly resources: readonly pulumi.Resource[];
}

/**
 * Software that a cluster needs before applications.
 *
 * @example
 * const priorities: Addon = {
 *   name: 'priorities',
 *   requires: [],
 *   install: (target) => ({
 *     resources: [
 *       new k8s.scheduling.v1.PriorityClass(`${target.name}-batch`, { value: -10 }, {
 *         parent: target.parent,
 *         provider: target.kubernetes,
 *         dependsOn: [...target.dependsOn],
 *         deletedWith: target.cluster,
 *       }),
 *     ],
 *   }),
 * };
 */
export interface Addon<R extends AddonResources = AddonResources, Name extends string = string> {
  /** Name in the list of add-ons, and part of resource names: a DNS label. */
  readonly name: Name;
  /** Names of the add-ons that must be ready before this one is installed. */
  readonly requires: readonly string[];
  /**
   * Who brings it to the cluster. Another word moves it there without a gap: what Pulumi has installed stays, and the new
   * delivery takes it over under the same names.
   * @default 'pulumi'
   */
  readonly deliveredBy?: Delivery;
  /**
   * Whether it is to be there. `absent` lets Helm uninstall it, in two steps: the next `up` lets go of the release, and the
   * one after the add-on has left the list removes it.
   * @default 'present'
   */
  readonly state?: AddonState;
  /**
   * The chart that it comes from: its version must go with the cluster's Kubernetes version.
   * @default - it comes from no chart
   */
  readonly chart?: HelmChart;
  /**
   * What is wrong with the options it was given, with paths below the options.
   * @default - nothing
   */
  readonly problems?: readonly Problem[];
  /**
   * Says why it can't be installed on a slot, if so: completes the sentence "… must be".
   * @default - it fits every slot
   */
  refuses?(slot: AddonSlot): string | undefined;
  /** Registers all of it on a slot: Pulumi delivers it. */
  install(target: AddonTarget): R;
  /**
   * Registers what stays with Pulumi where something else delivers the rest: an IAM role, say.
   * @default - nothing
   */
  prepare?(target: AddonTarget): AddonResources;
  /**
   * What another delivery delivers to a cluster.
   * @default - nothing: only Pulumi can deliver it
   */
  release?(cluster: AddonCluster): ChartRelease;
}

/** What an error about an add-on's options begins with; options that are none have no name. */
export function addonSubject(kind: string, name: string | undefined): string {
  return name === undefined ? kind : `${kind} "${name}"`;
}

/**
 * What is wrong with an add-on's options, which is told with the list that it stands in.
 *
 * @param subject whose options they are
 * @throws InvalidInput for keys that there are not, and for Outputs where plain values are needed: an add-on is made of them
 */
export function optionsProblems<T>(
  subject: string,
  schema: Schema<T>,
  options: unknown,
  together?: (sound: Partial<T>) => readonly Problem[],
): readonly Problem[] {
  const found = argumentProblems(schema, options, together);
  const unfit = found.filter(
    ({ path, value, kind }) => path === 'args' || kind === 'unknown' || laterValue(value) !== undefined,
  );
  if (unfit.length > 0) {
    throw new InvalidInput(subject, unfit);
  }
  return found;
}

/** Names of add-ons that must be ready before. */
export const requires = optional(list(text('the name of an add-on'), 0, 'a list of names of add-ons'));

/** Whether an add-on is to be there, and who brings it, is evaluated with the list that it stands in, but for Outputs. */
export const evaluatedWithList: OptionalSchema<never> = optional(
  // Add-ons take null for the default.
  following({ allowed: 'a text', accepts: (value) => value !== null }),
);

/**
 * Stands for an add-on that something else installs, say on a cluster that was made elsewhere: it meets the
 * requirements of others and registers nothing.
 *
 * @param name name of the add-on, `cert-manager`
 */
export function existingAddon<const Name extends string>(name: Name): Addon<AddonResources, Name> {
  return { name, requires: [], install: () => ({ resources: [] }) };
}

/** A Helm chart in a repository. */
export interface HelmChart {
  /**
   * Name of the chart in its repository, its OCI reference (`oci://quay.io/jetstack/charts/cert-manager`), or a
   * path (`./charts/own`).
   */
  readonly chart: string;
  /**
   * URL of the repository.
   * @default - none: `chart` is an OCI reference or a path
   */
  readonly repository?: string;
  /** Exact version of the chart, `1.2.3`. */
  readonly version: string;
}

/** One release of a chart, whoever delivers it: what Helm, Argo CD and helmfile call by the same names. */
export interface ChartRelease {
  /** The chart. */
  readonly chart: HelmChart;
  /** Name of the release in the cluster: what a chart names its objects by, so all deliveries have to use the same. */
  readonly releaseName: string;
  /** Namespace of the release. */
  readonly namespace: string;
  /** Whether the namespace is made if it is not there. */
  readonly createNamespace: boolean;
  /** Values of the chart, with Pulumi outputs as leaves. */
  readonly values: HelmValues;
}

/**
 * Who brings an add-on to a cluster: Pulumi during `up`, before anything that needs it and before the slot's first traffic;
 * Argo CD, from an ApplicationSet of the hub; or a helmfile that the library writes and somebody else applies.
 */
export type Delivery = 'pulumi' | 'argocd' | 'helmfile';

/** As much of an add-on as says who brings it. */
export interface Delivered {
  /** Who brings it. @default 'pulumi' */
  readonly deliveredBy?: Delivery;
}

/** Whether an add-on is to be there. */
export type AddonState = 'present' | 'absent';

/** Every delivery. */
export const deliveries: readonly Delivery[] = ['pulumi', 'argocd', 'helmfile'];

/** What a delivery may be. */
export const delivery: Format = oneOfWords(...deliveries);

/** Who brings an add-on. */
export function deliveryOf({ deliveredBy = 'pulumi' }: Delivered): Delivery {
  return deliveredBy;
}

/** The add-ons that one delivery brings, in their order. */
export function deliveredBy<A extends Delivered>(addons: readonly A[], who: Delivery): A[] {
  return addons.filter((addon) => deliveryOf(addon) === who);
}
