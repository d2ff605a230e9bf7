import type { IConstruct } from 'constructs';
import { apiServerSource, injectionSources, sources } from '../../core/certificates/ca-bundles';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Problems } from '../../core/validation/problems';
import { webhookServerKeys, webhookServiceKeys } from './server';
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

export const caInjectionKeys: OptionsOf<CaInjection> = { annotations: 'plain', providerNamespaces: 'list' };

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

/** Adds what would leave a webhook without a CA, or with one of two. */
function checkCaInjection(problems: Problems, path: string, injection: CaInjection): void {
  const keys = injectionSources(injection.annotations);
  const [key] = keys;
  if (keys.length !== 1 || key === undefined || key === apiServerSource) {
    const annotations = Object.keys(injection.annotations);
    problems.add(`${path}.annotations`, annotations, `exactly one source of the CA: ${sources.join(' or ')}`);
    return;
  }
  const value = injection.annotations[key]!;
  if (!/^[^/\s]+\/[^/\s]+$/.test(value)) {
    problems.add(
      `${path}.annotations["${key}"]`,
      value,
      'NAMESPACE/NAME: without a namespace nothing is injected',
    );
  }
}

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

/** Adds what would leave a call without a CA, with one of two, or with a certificate for another name. */
export function checkCertificate(problems: Problems, called: TlsService): void {
  const { certificate, caInjection, service } = called;
  if ((certificate === undefined) === (caInjection === undefined)) {
    problems.addAll([
      {
        path: certificate ? 'caInjection' : 'certificate',
        allowed: certificate
          ? 'left out where certificate is given'
          : 'given, or else caInjection: without a CA every call fails',
      },
    ]);
  }
  if (caInjection) {
    checkCaInjection(problems, 'caInjection', caInjection);
  }
  if (certificate) {
    checkCaInjection(problems, 'certificate.caInjection', certificate.caInjection);
    const needed = `${service.name}.${service.namespace}.svc`;
    if (!certificate.dnsNames.includes(needed)) {
      problems.add(
        'certificate.dnsNames',
        certificate.dnsNames,
        `valid for ${needed}, which the API server calls`,
      );
    }
  }
}

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

export const certifiedPropsKeys: OptionsOf<CertifiedProps> = {
  service: webhookServiceKeys,
  server: webhookServerKeys,
  certificate: 'open',
  caInjection: caInjectionKeys,
};
