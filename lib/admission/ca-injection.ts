import type { IConstruct } from 'constructs';
import type { Problems, OptionsOf } from '../problems';

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

/**
 * The annotations that cert-manager's CA injector reads, the one that wins first.
 * @see https://github.com/cert-manager/cert-manager/blob/master/pkg/apis/certmanager/v1/types.go
 */
const sources = ['cert-manager.io/inject-ca-from-secret', 'cert-manager.io/inject-ca-from'] as const;

/** Reads the API server's own CA, which signs no webhook's certificate here. */
const apiServerSource = 'cert-manager.io/inject-apiserver-ca';

/** The annotations among these that name a source of the CA. */
export function injectionSources(annotations: Readonly<Record<string, string>>): string[] {
  return [...sources, apiServerSource].filter((key) => Object.hasOwn(annotations, key));
}

/** What is wrong with an object's annotations at synthesis, where anybody may have changed them. */
export function sourceProblems(annotations: Readonly<Record<string, string>> = {}): string[] {
  const found = injectionSources(annotations);
  return found.length === 1
    ? []
    : [`exactly one annotation must say where the CA comes from, not ${found.join(' and ') || 'none'}`];
}

/** Adds what would leave a webhook without a CA, or with one of two. */
export function checkCaInjection(problems: Problems, path: string, injection: CaInjection): void {
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
