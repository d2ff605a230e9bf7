import { ApiObject, JsonPatch } from 'cdk8s';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import { sourceProblems } from './ca-injection';
import { injectionOf } from './check-certificate';
import { withoutNamespace } from './cluster-object';
import type { ConversionSettings, DefinitionManifest } from './conversion-entry';
import { conversionEntry, conversionProblems, conversionSettingsKeys } from './conversion-entry';
import { checkDisruptionBudget, disruptionBudget } from './disruption-budget';

/** What a conversion webhook needs. */
export interface ConversionWebhookProps extends ConversionSettings {
  /**
   * The CustomResourceDefinition whose versions are converted: an object of the chart, which is changed, or a manifest,
   * which is copied into a new object. A `spec.conversion` that it has is replaced. It must not say by itself where a
   * CA is injected from.
   */
  readonly definition: ApiObject | DefinitionManifest;
}

const conversionWebhookPropsKeys: OptionsOf<ConversionWebhookProps> = {
  ...conversionSettingsKeys,
  definition: 'open',
};

/**
 * Converts the objects of a CustomResourceDefinition between its versions.
 *
 * A conversion webhook has no failure policy and no selector: while it can't be reached, nobody reads or writes objects
 * of the kind in a version other than the stored one, and where objects are stored in several versions, no list of
 * them succeeds; controllers, garbage collection and the deletion of namespaces then wait. So `server` is required: two
 * replicas and a PodDisruptionBudget. Its pods must start without reading objects of the kind.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 * @example
 * new ConversionWebhook(chart, 'conversion', {
 *   definition: new ApiObject(chart, 'gateways', gateways),
 *   service: { name: 'gateways', namespace: 'gateways-system', path: '/convert' },
 *   server: { podLabels: { app: 'gateways' }, replicas: 2 },
 *   certificate,
 * });
 */
export class ConversionWebhook extends Construct {
  /** The CustomResourceDefinition. It never holds a CA bundle: that is injected in the cluster. */
  public readonly definition: ApiObject;
  /** The PodDisruptionBudget of the server, shared with the other webhooks of the chart behind the same Service. */
  public readonly disruptionBudget?: ApiObject;

  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: ConversionWebhookProps) {
    refuseOptions(`ConversionWebhook "${id}"`, props, conversionWebhookPropsKeys);
    const { definition, ...settings } = props;
    const { service, server } = settings;
    const problems = new Problems(`ConversionWebhook "${id}"`);
    problems.addAll(conversionProblems(manifestOf(definition), settings));
    checkDisruptionBudget(problems, scope, service, server);
    problems.throwIfAny();
    super(scope, id);
    this.definition =
      definition instanceof ApiObject ? definition : new ApiObject(this, 'Definition', copyOf(definition));
    this.definition.addJsonPatch(JsonPatch.add('/spec/conversion', conversionEntry(settings)));
    for (const [key, value] of Object.entries(injectionOf(props).annotations)) {
      this.definition.metadata.addAnnotation(key, value);
    }
    withoutNamespace(this.definition);
    if (props.certificate) {
      this.definition.node.addDependency(props.certificate);
    }
    this.disruptionBudget = disruptionBudget(this, service, server);
    this.node.addValidation({ validate: () => this.problemsAtSynth() });
  }

  /** What can be spoiled after construction, through the definition itself. */
  private problemsAtSynth(): string[] {
    const { metadata, spec } = manifestOf(this.definition);
    const problems = sourceProblems(metadata.annotations);
    const { strategy, webhook } = spec['conversion'] as { strategy: string; webhook?: object };
    if (strategy !== 'Webhook' || JSON.stringify(webhook).includes('"caBundle"')) {
      problems.push('spec.conversion must name the webhook, without a caBundle: that is injected');
    }
    return problems;
  }
}

function manifestOf(definition: ApiObject | DefinitionManifest): DefinitionManifest {
  return definition instanceof ApiObject ? (definition.toJson() as DefinitionManifest) : definition;
}

/** Without what an API server adds to an object that is read from it. */
function copyOf({ status: _, ...manifest }: DefinitionManifest): DefinitionManifest {
  return manifest;
}
