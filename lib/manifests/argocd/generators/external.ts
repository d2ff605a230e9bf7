import type { FieldChecks } from '../../../core/validation/fields';
import { dnsSubdomain, nonEmptyText, wholeNumber } from '../../../core/validation/formats';
import type { OptionsOf } from '../../../core/validation/option-keys';
import type { JsonValue } from '../argo-object';
import { checkLabelSelector, labelSelectorKeys } from '../../../core/kubernetes/label-selector';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { anyGeneratorKeys, checkValues } from './common';
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

export const pluginOptionsKeys: OptionsOf<PluginOptions> = {
  ...anyGeneratorKeys,
  configMapRef: { name: 'plain' },
  input: { parameters: 'plain' },
  requeueAfterSeconds: 'plain',
  values: 'plain',
};

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

export const clusterDecisionResourceOptionsKeys: OptionsOf<ClusterDecisionResourceOptions> = {
  ...anyGeneratorKeys,
  configMapRef: 'plain',
  name: 'plain',
  labelSelector: labelSelectorKeys,
  requeueAfterSeconds: 'plain',
  values: 'plain',
};

const seconds = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** Checks what a program is asked. */
export function checkPlugin(checks: FieldChecks, path: string, plugin: PluginOptions): void {
  checks.required(`${path}.configMapRef.name`, plugin.configMapRef?.name, dnsSubdomain);
  checks.withoutNull(`${path}.input.parameters`, plugin.input?.parameters);
  checks.optional(`${path}.requeueAfterSeconds`, plugin.requeueAfterSeconds, seconds);
  checkValues(checks, `${path}.values`, plugin.values);
}

/** Checks which object is read. */
export function checkClusterDecisionResource(
  checks: FieldChecks,
  path: string,
  resource: ClusterDecisionResourceOptions,
): void {
  checks.required(`${path}.configMapRef`, resource.configMapRef, dnsSubdomain);
  checks.exactlyOne(path, resource, ['name', 'labelSelector']);
  checks.optional(`${path}.name`, resource.name, nonEmptyText);
  if (resource.labelSelector) {
    checkLabelSelector(checks, `${path}.labelSelector`, resource.labelSelector);
  }
  checks.optional(`${path}.requeueAfterSeconds`, resource.requeueAfterSeconds, seconds);
  checkValues(checks, `${path}.values`, resource.values);
}

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
