import { object, optional } from '../../../core/validation/collections';
import { dnsSubdomain } from '../../../core/validation/formats';
import type { Schema } from '../../../core/validation/schema';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { dataWithoutNull, labelSelector, withKeys } from '../../field-schemas';
import { templated } from '../application-template';
import type { JsonValue } from '../argo-object';
import { anyGeneratorEntries, filledText, requeueAfterSeconds, values } from './common';
import type { AnyGenerator } from './common';

/** Gives what a program of one's own answers. */
export interface PluginGenerator extends PluginOptions {
  /** Tells the kinds of generators apart. */
  readonly kind: 'plugin';
}

/**
 * The program that is called, by HTTP, and its parameters.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Plugin/
 */
export interface PluginOptions extends AnyGenerator {
  /** ConfigMap in Argo CD's namespace with the program's `baseUrl` and `$SECRET:KEY` of its `token`. */
  readonly configMapRef: {
    /** Name of the ConfigMap. */
    readonly name: string;
  };
  /** Parameters of the program. @default - nothing */
  readonly input?: {
    /** Any data; it comes back as `.generator.input.parameters`. @default - none */
    readonly parameters?: { readonly [parameter: string]: JsonValue };
  };
  /** Seconds between two calls. @default 1800 - Argo CD's default */
  readonly requeueAfterSeconds?: number;
  /** Further parameters, `.values.NAME`. @default - none */
  readonly values?: Readonly<Record<string, string>>;
}

export const pluginOptions: Schema<PluginOptions> = object<PluginOptions>({
  ...anyGeneratorEntries,
  configMapRef: object({ name: templated(dnsSubdomain) }),
  input: optional(object({ parameters: optional(dataWithoutNull) })),
  requeueAfterSeconds,
  values,
});

/** Gives the clusters that another controller chose. */
export interface ClusterDecisionResourceGenerator extends ClusterDecisionResourceOptions {
  /** Tells the kinds of generators apart. */
  readonly kind: 'clusterDecisionResource';
}

/**
 * An object whose status lists clusters, say a placement of Open Cluster Management.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Cluster-Decision-Resource/
 */
export interface ClusterDecisionResourceOptions extends AnyGenerator {
  /** Name of the ConfigMap that says which kind of object it is, and where its status lists clusters. */
  readonly configMapRef: string;
  /** Name of the object; or `labelSelector`. @default - by `labelSelector` */
  readonly name?: string;
  /** Labels of the objects; or `name`. @default - by `name` */
  readonly labelSelector?: LabelSelector;
  /** Seconds between two looks. @default 180 - Argo CD's default */
  readonly requeueAfterSeconds?: number;
  /** Further parameters, `.values.NAME`. @default - none */
  readonly values?: Readonly<Record<string, string>>;
}

export const clusterDecisionResourceOptions: Schema<ClusterDecisionResourceOptions> = withKeys(
  'exactly one',
  ['name', 'labelSelector'],
  object<ClusterDecisionResourceOptions>({
    ...anyGeneratorEntries,
    configMapRef: templated(dnsSubdomain),
    name: optional(filledText),
    labelSelector: optional(labelSelector('deployment or controller')),
    requeueAfterSeconds,
    values,
  }),
);

/** The plugin generator as it is in the manifest. */
export function pluginManifest(plugin: PluginOptions): Record<string, unknown> {
  const { configMapRef, input, requeueAfterSeconds, values } = plugin;
  return { configMapRef, input, requeueAfterSeconds, values };
}

/** The cluster decision generator as it is in the manifest. */
export function clusterDecisionResourceManifest(
  resource: ClusterDecisionResourceOptions,
): Record<string, unknown> {
  const { configMapRef, name, labelSelector, requeueAfterSeconds, values } = resource;
  return { configMapRef, name, labelSelector, requeueAfterSeconds, values };
}
