import type { IConstruct } from 'constructs';
import { apiServerSource, injectionSources, sources } from '../../core/certificates/ca-bundles';
import { opaque } from '../../core/validation/arguments';
import { across, list, object, optional, record } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Entries, Schema } from '../../core/validation/schema';
import { text } from '../../core/validation/values';
import { webhookPods, webhookService } from './server';
import type { WebhookPods, WebhookService } from './server';

/**
 * Says where the API server gets the CA from that a webhook's server is verified with. A CA bundle is never part of
 * a manifest: it is injected in the cluster, so that manifests hold nothing that a renewal would change.
 */
export interface CaInjection {
  /**
   * Annotations for the webhook configuration: one of `cert-manager.io/inject-ca-from` and
   * `cert-manager.io/inject-ca-from-secret`, with `NAMESPACE/NAME`.
   * @see https://cert-manager.io/docs/concepts/ca-injector/
   */
  readonly annotations: Readonly<Record<string, string>>;
  /**
   * Namespaces of what issues and injects the certificates. Webhooks leave them out: one that stopped pods there
   * could never get a new certificate.
   * @default - none
   */
  readonly providerNamespaces?: readonly string[];
}

/** A certificate that a webhook's server serves, and whose CA can be injected. */
export interface ServingCertificate extends IConstruct {
  /** Where its CA is injected from. */
  readonly caInjection: CaInjection;
  /** The DNS names that it is valid for. */
  readonly dnsNames: readonly string[];
}

/** What is wrong with an object's annotations at synthesis, where anybody may have changed them. */
export function sourceProblems(annotations: Readonly<Record<string, string>> = {}): string[] {
  const found = injectionSources(annotations);
  return found.length === 1
    ? []
    : [`exactly one annotation must name the source of the CA, not ${found.join(' and ') || 'none'}`];
}

/** A source of a CA; none, or one of two, would leave a webhook without it. */
const caInjection: Schema<CaInjection> = across(
  object<CaInjection>({
    annotations: record(text('a text')),
    providerNamespaces: optional(list(text('the name of a namespace'))),
  }),
  ({ annotations }, { mustBe }) => {
    if (!isPlainObject(annotations)) {
      return;
    }
    const keys = injectionSources(annotations as Readonly<Record<string, string>>);
    const [key] = keys;
    if (keys.length !== 1 || key === undefined || key === apiServerSource) {
      const allowed = `exactly one source of the CA: ${sources.join(' or ')}`;
      mustBe(['annotations'], allowed, Object.keys(annotations));
    } else if (!/^[^/\s]+\/[^/\s]+$/.test(String(annotations[key]))) {
      mustBe(['annotations', key], 'NAMESPACE/NAME: without a namespace nothing is injected');
    }
  },
);

/** What the API server calls behind TLS, and where it gets the CA from. */
export interface TlsService {
  /** The Service that is called. */
  readonly service: WebhookService;
  /** The certificate that the server serves. */
  readonly certificate?: ServingCertificate;
  /** Where the CA is injected from, in place of `certificate`. */
  readonly caInjection?: CaInjection;
}

/** Where the CA comes from, in a call that was checked. */
export function injectionOf({ certificate, caInjection }: TlsService): CaInjection {
  return certificate?.caInjection ?? caInjection!;
}

/** What of a certificate is given, in props of which some may be wrong. */
type GivenCertificate = Partial<TlsService>;

/** What would leave a call without a CA, with one of two, or with a certificate for another name. */
export function certificateProblems(
  { certificate, service }: GivenCertificate,
  given: GivenCertificate,
): readonly Problem[] {
  const problems: Problem[] = [];
  if ((given.certificate === undefined) === (given.caInjection === undefined)) {
    problems.push(
      given.certificate
        ? { path: 'caInjection', allowed: 'left out where certificate is given' }
        : { path: 'certificate', allowed: 'given, or else caInjection: without a CA every call fails' },
    );
  }
  if (certificate) {
    const found = problemsOf(caInjection, certificate.caInjection);
    problems.push(...found.map((each) => ({ ...each, path: `certificate.caInjection.${each.path}` })));
  }
  const needed = service && `${service.name}.${service.namespace}.svc`;
  const isKnown = service?.name !== undefined && service.namespace !== undefined;
  if (certificate && isKnown && !certificate.dnsNames.includes(needed!)) {
    problems.push({
      path: 'certificate.dnsNames',
      value: certificate.dnsNames,
      allowed: `valid for ${needed}, which the API server calls`,
    });
  }
  return problems;
}

/** Schemas of where the CA comes from; a certificate is a construct, and {@link certificateProblems} looks at it. */
export const tlsEntries: Entries<Omit<TlsService, 'service'>> = {
  certificate: optional(opaque('a certificate, such as a WebhookCertificate')),
  caInjection: optional(caInjection),
};

/** What is called without a failure policy: while it can't be reached, what it is needed for fails. */
export interface CertifiedProps {
  /** The Service that the server is behind. */
  readonly service: WebhookService;
  /** What is known of the server's pods: at least two replicas, and makes the PodDisruptionBudget. */
  readonly server: WebhookPods;
  /**
   * The certificate that the server serves: its CA is injected, and it must be valid for the Service. Give either this
   * or `caInjection`.
   * @default - `caInjection` is given
   */
  readonly certificate?: ServingCertificate;
  /**
   * Where the CA is injected from, for a certificate that is made elsewhere.
   * @default - from `certificate`
   */
  readonly caInjection?: CaInjection;
}

/** Schemas of {@link CertifiedProps}. */
export const certifiedEntries: Entries<CertifiedProps> = {
  ...tlsEntries,
  service: webhookService,
  server: webhookPods,
};
