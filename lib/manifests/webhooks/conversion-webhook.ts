import { ApiObject, JsonPatch } from 'cdk8s';
import { Construct } from 'constructs';
import { injectionSources } from '../../core/certificates/ca-bundles';
import { opaque } from '../../core/validation/arguments';
import { list, object, optional } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { oneOf, that } from '../../core/validation/values';
import { propsProblems, refuseProps } from '../field-schemas';
import { withoutNamespace } from '../objects';
import { certificateProblems, certifiedEntries, injectionOf, sourceProblems } from './ca-injection';
import type { CertifiedProps } from './ca-injection';
import { disruptionBudget, disruptionBudgetProblems, serviceOfServer } from './server';
import type { WebhookService } from './server';

/** A CustomResourceDefinition as a plain object, with everything in it that is not named here. */
export interface DefinitionManifest {
  /** `apiextensions.k8s.io/v1` */
  readonly apiVersion: string;
  /** `CustomResourceDefinition` */
  readonly kind: string;
  /** Metadata of the definition. */
  readonly metadata: {
    /** Name of the definition: `PLURAL.GROUP`. */
    readonly name: string;
    /** Labels of the definition. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Annotations of the definition. */
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  /** The specification; a `conversion` in it is replaced. */
  readonly spec: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What a conversion webhook says, apart from the definition that it is for. */
export interface ConversionSettings extends CertifiedProps {
  /**
   * Versions of ConversionReview that the server understands, the preferred one first: `v1` must be among them.
   * @default ['v1'] - what every maintained API server sends
   */
  readonly conversionReviewVersions?: readonly string[];
}

/** `spec.conversion` of a CustomResourceDefinition. */
export interface ConversionEntry {
  /** A webhook converts. */
  readonly strategy: 'Webhook';
  /** The webhook. */
  readonly webhook: {
    /** How the API server reaches it; the CA bundle is injected. */
    readonly clientConfig: {
      /** The Service that is called. */
      readonly service: Required<WebhookService>;
    };
    /** Versions of ConversionReview that it understands, the preferred one first. */
    readonly conversionReviewVersions: readonly string[];
  };
}

const conversionEntries: Entries<ConversionSettings> = {
  ...certifiedEntries,
  conversionReviewVersions: optional(
    that(
      list(oneOf('v1', 'v1beta1')),
      'a list with "v1" in it, and no version twice',
      (versions) => versions.includes('v1') && new Set(versions).size === versions.length,
    ),
  ),
};

const conversionSettings: Schema<ConversionSettings> = object<ConversionSettings>(conversionEntries);

/**
 * The `spec.conversion` that follows from settings in which nothing is wrong.
 *
 * @throws InvalidInput for settings that are wrong by themselves
 */
export function conversionEntry(settings: ConversionSettings): ConversionEntry {
  refuseProps('conversionEntry', conversionSettings, settings);
  const { service, conversionReviewVersions } = settings;
  return {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service: serviceOfServer(service) },
      conversionReviewVersions: conversionReviewVersions ?? ['v1'],
    },
  };
}

/** Everything that is wrong with a conversion webhook for a definition. */
export function conversionProblems(
  definition: DefinitionManifest,
  settings: ConversionSettings,
): readonly Problem[] {
  return [
    ...definitionProblems(definition),
    ...propsProblems(conversionSettings, settings, (sound) => certificateProblems(sound, settings)),
  ];
}

function definitionProblems(definition: Partial<DefinitionManifest> = {}): readonly Problem[] {
  const { apiVersion, kind, metadata, spec } = definition;
  const isDefinition =
    apiVersion === 'apiextensions.k8s.io/v1' && kind === 'CustomResourceDefinition' && isPlainObject(spec);
  const annotations = metadata?.annotations ?? {};
  return [
    ...(isDefinition
      ? []
      : [
          {
            path: 'definition',
            value: `${kind} of ${apiVersion}`,
            allowed: 'a CustomResourceDefinition of apiextensions.k8s.io/v1',
          },
        ]),
    ...(spec?.['preserveUnknownFields'] === true
      ? [
          {
            path: 'definition.spec.preserveUnknownFields',
            value: true,
            allowed: 'false or left out, as conversion by a webhook requires',
          },
        ]
      : []),
    ...injectionSources(annotations).map((key) => ({
      path: `definition.metadata.annotations.${key}`,
      value: annotations[key],
      allowed: 'left out: certificate or caInjection sets it',
    })),
  ];
}

/** What a conversion webhook needs. */
export interface ConversionWebhookProps extends ConversionSettings {
  /**
   * The CustomResourceDefinition whose versions are converted: an object of the chart, which is changed, or a manifest,
   * which is copied into a new object. A `spec.conversion` that it has is replaced. It must not itself name where a
   * CA is injected from.
   */
  readonly definition: ApiObject | DefinitionManifest;
}

const conversionWebhookProps: Schema<ConversionWebhookProps> = object<ConversionWebhookProps>({
  ...conversionEntries,
  definition: opaque('a CustomResourceDefinition of apiextensions.k8s.io/v1'),
});

/**
 * Converts the objects of a CustomResourceDefinition between its versions.
 *
 * A conversion webhook has no failure policy and no selector: while it can't be reached, no client reads or writes objects
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
    refuseProps(`ConversionWebhook "${id}"`, conversionWebhookProps, props, (sound) => [
      ...(sound.definition ? definitionProblems(manifestOf(sound.definition)) : []),
      ...certificateProblems(sound, props),
      ...disruptionBudgetProblems(scope, sound.service, sound.server),
    ]);
    const { definition, ...settings } = props;
    const { service, server } = settings;
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
