import { oneOf, Problems, optionKeyProblems, refuseOptions } from '../problems';
import type { Problem, OptionsOf } from '../problems';
import { injectionSources } from './ca-injection';
import { checkCertificate } from './check-certificate';
import type { CertifiedProps } from './certified-props';
import { certifiedPropsKeys } from './certified-props';
import type { WebhookService } from './webhook-server';
import { calledService, checkServer, checkService } from './webhook-server';

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

export const conversionSettingsKeys: OptionsOf<ConversionSettings> = {
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
      clientConfig: { service: calledService(service) },
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
