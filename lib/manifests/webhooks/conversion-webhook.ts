import { ApiObject, JsonPatch } from 'cdk8s';
import { Construct } from 'constructs';
import { injectionSources } from '../../core/certificates/ca-bundles';
import { oneOf } from '../../core/validation/formats';
import { optionKeyProblems, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { withoutNamespace } from '../objects';
import { certifiedPropsKeys, checkCertificate, injectionOf, sourceProblems } from './ca-injection';
import type { CertifiedProps } from './ca-injection';
import {
  serviceOfServer,
  checkDisruptionBudget,
  checkServer,
  checkService,
  disruptionBudget,
} from './server';
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

const conversionSettingsKeys: OptionsOf<ConversionSettings> = {
  ...certifiedPropsKeys,
  conversionReviewVersions: 'list',
};

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

/** The `spec.conversion` that follows from settings in which nothing is wrong. */
export function conversionEntry(settings: ConversionSettings): ConversionEntry {
  const { service, conversionReviewVersions } = refuseOptions(
    'conversionEntry',
    settings,
    conversionSettingsKeys,
  );
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
  const unfit = optionKeyProblems(settings, conversionSettingsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('conversion webhook');
  checkDefinition(problems, definition);
  checkService(problems, 'service', settings.service);
  checkCertificate(problems, settings);
  checkServer(problems, 'server', settings.server);
  const { conversionReviewVersions: versions } = settings;
  if (versions) {
    versions.forEach((version, position) =>
      problems.check(`conversionReviewVersions[${position}]`, version, oneOf('v1', 'v1beta1')),
    );
    if (!versions.includes('v1') || new Set(versions).size < versions.length) {
      problems.add('conversionReviewVersions', versions, 'a list with "v1" in it, and no version twice');
    }
  }
  return problems.all;
}

function checkDefinition(problems: Problems, definition: DefinitionManifest): void {
  const { apiVersion, kind, metadata, spec } = definition as Partial<DefinitionManifest>;
  if (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'CustomResourceDefinition' || !spec) {
    problems.add(
      'definition',
      `${kind} of ${apiVersion}`,
      'a CustomResourceDefinition of apiextensions.k8s.io/v1',
    );
  }
  if (spec?.['preserveUnknownFields'] === true) {
    problems.add(
      'definition.spec.preserveUnknownFields',
      true,
      'false or left out, as conversion by a webhook requires',
    );
  }
  for (const key of injectionSources(metadata?.annotations ?? {})) {
    problems.add(
      `definition.metadata.annotations["${key}"]`,
      metadata!.annotations![key],
      'left out: certificate or caInjection sets it',
    );
  }
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

const conversionWebhookPropsKeys: OptionsOf<ConversionWebhookProps> = {
  ...conversionSettingsKeys,
  definition: 'open',
};

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
