import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  authorityLifetime,
  checkAgainstAuthority,
  checkLifetime,
  leafLifetime,
} from '../../core/certificates/lifetime';
import type { Lifetime } from '../../core/certificates/lifetime';
import { opaque } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { duration, fits } from '../../core/validation/values';
import { refuseProps } from '../field-schemas';
import type { CaInjection, ServingCertificate } from '../webhooks';
import {
  CertificateAuthority,
  authorityName,
  longestCommonName,
  revisionHistoryLimit,
} from './certificate-authority';
import type { CertificateAuthorityProps } from './certificate-authority';

/** What the certificate of a webhook's server needs. */
export interface WebhookCertificateProps {
  /** The Service that the server is behind. The certificate and its Secret are made in the same namespace. */
  readonly service: {
    /** Name of the Service. */
    readonly name: string;
    /** Namespace of the Service. */
    readonly namespace: string;
  };
  /** Name of the Certificate. @default - the Service's name with "-webhook" behind it */
  readonly name?: string;
  /** Secret that the certificate and its key are put into, for the server to mount. @default - the name */
  readonly secretName?: string;
  /**
   * The authority that signs. An `Issuer` must be in the Service's namespace, a `ClusterIssuer` need not.
   * @default - one of its own in the Service's namespace, named like the certificate with "-ca" behind it
   */
  readonly authority?: CertificateAuthority;
  /** DNS domain of the cluster. @default 'cluster.local' */
  readonly clusterDomain?: string;
  /**
   * Life of the certificate, as a Go duration, at least 1h and at least 24h shorter than the authority's `renewBefore`.
   * @default '2160h' - 90 days
   */
  readonly duration?: string;
  /** How long before its end it is renewed, as a Go duration, at least 24h. @default '720h' - 30 days */
  readonly renewBefore?: string;
  /** How many past requests cert-manager keeps, at least 1. @default - cert-manager's own: 1 since its version 1.18 */
  readonly revisionHistoryLimit?: number;
  /**
   * Namespace that cert-manager runs in, for an authority of its own. Refused beside `authority`, which knows it.
   * @default 'cert-manager'
   */
  readonly certManagerNamespace?: string;
}

const webhookCertificateProps = object<WebhookCertificateProps>({
  service: object({ name: fits(dnsLabel), namespace: fits(dnsLabel) }),
  name: optional(fits(dnsSubdomain)),
  secretName: optional(fits(dnsSubdomain)),
  authority: optional(opaque('a CertificateAuthority')),
  clusterDomain: optional(fits(dnsSubdomain)),
  duration: optional(duration),
  renewBefore: optional(duration),
  revisionHistoryLimit: optional(revisionHistoryLimit),
  certManagerNamespace: optional(fits(dnsLabel)),
});

/**
 * The certificate of a webhook's server, issued by cert-manager, with a new key at every renewal. What the API server
 * trusts is the authority, which does not change with it.
 *
 * The server must mount the Secret as a directory and read it again when it changes: a `subPath` mount and an
 * environment variable stay as they were.
 *
 * @example
 * const certificate = new WebhookCertificate(chart, 'certificate', {
 *   service: { name: 'readiness', namespace: 'readiness-system' },
 * });
 */
export class WebhookCertificate extends Construct implements ServingCertificate {
  /** The authority that signs. */
  public readonly authority: CertificateAuthority;
  /** The Certificate of cert-manager. */
  public readonly certificate: ApiObject;
  /** Secret of type `kubernetes.io/tls` in the Service's namespace, which the server mounts. */
  public readonly secretName: string;
  /** The DNS names that the certificate is valid for. */
  public readonly dnsNames: readonly string[];
  /** Injects the authority's own certificate into a webhook configuration. */
  public readonly caInjection: CaInjection;

  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: WebhookCertificateProps) {
    refuseProps(`WebhookCertificate "${id}"`, webhookCertificateProps, props, certificateProblems);
    super(scope, id);
    const { service, clusterDomain = 'cluster.local' } = props;
    this.authority = props.authority ?? new CertificateAuthority(this, 'Authority', ownAuthority(props));
    this.caInjection = this.authority.caInjection;
    this.secretName = secretNameOf(props);
    this.dnsNames = [
      `${service.name}.${service.namespace}.svc`,
      `${service.name}.${service.namespace}.svc.${clusterDomain}`,
    ];
    this.certificate = new ApiObject(this, 'Certificate', {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: nameOf(props), namespace: service.namespace },
      spec: {
        secretName: this.secretName,
        dnsNames: this.dnsNames,
        usages: ['digital signature', 'server auth'],
        ...lifetimeOf(props),
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
        ...(props.revisionHistoryLimit === undefined
          ? {}
          : { revisionHistoryLimit: props.revisionHistoryLimit }),
        issuerRef: this.authority.issuerRef,
      },
    });
    const { issuer, gate } = this.authority;
    this.certificate.addDependency(issuer, ...(gate ? [gate] : []));
  }
}

function nameOf({ name, service }: WebhookCertificateProps): string {
  return name ?? `${service.name}-webhook`;
}

function secretNameOf(props: WebhookCertificateProps): string {
  return props.secretName ?? nameOf(props);
}

function lifetimeOf(props: Partial<WebhookCertificateProps>): Lifetime {
  return {
    duration: props.duration ?? leafLifetime.duration,
    renewBefore: props.renewBefore ?? leafLifetime.renewBefore,
  };
}

function ownAuthority(props: WebhookCertificateProps): CertificateAuthorityProps {
  return {
    name: `${nameOf(props)}-ca`,
    namespace: props.service.namespace,
    ...(props.certManagerNamespace === undefined ? {} : { certManagerNamespace: props.certManagerNamespace }),
  };
}

/** What of a certificate does not go together, or not with its authority. */
function certificateProblems(props: Partial<WebhookCertificateProps>): readonly Problem[] {
  const problems = new Problems('webhook certificate');
  checkLifetime(problems, lifetimeOf(props));
  const { service, authority } = props;
  checkAgainstAuthority(problems, lifetimeOf(props), authority?.renewBefore ?? authorityLifetime.renewBefore);
  if (service?.name !== undefined && service.namespace !== undefined) {
    checkAuthority(problems, { ...props, service });
  }
  return problems.all;
}

function checkAuthority(problems: Problems, props: WebhookCertificateProps): void {
  const { service, authority } = props;
  const taken = authority?.secretName ?? authorityName(ownAuthority(props));
  const shared = (authority?.namespace ?? service.namespace) === service.namespace;
  if (shared && secretNameOf(props) === taken) {
    problems.add(
      props.secretName === undefined ? 'name' : 'secretName',
      secretNameOf(props),
      'another name than that of the Secret with the key of the authority',
    );
  }
  if (!authority) {
    const own = ownAuthority(props);
    const tooLong = authorityName(own).length - longestCommonName;
    if (tooLong > 0) {
      problems.add(
        'name',
        nameOf(props),
        `at most ${nameOf(props).length - tooLong} characters where authority is left out: with "-ca" and a generation behind it, it is the common name of an authority`,
      );
    }
    return;
  }
  if (authority.issuerRef.kind === 'Issuer' && !shared) {
    problems.add(
      'authority',
      `${authority.namespace}/${authority.issuerRef.name}`,
      `in the namespace ${service.namespace}, or a ClusterIssuer: an Issuer signs in its own namespace only`,
    );
  }
  const asked = authority.rotation?.services ?? [service];
  if (!asked.some(({ name, namespace }) => name === service.name && namespace === service.namespace)) {
    problems.add(
      'service',
      `${service.namespace}/${service.name}`,
      "among the rotation.services of the authority, whose phases wait for all its servers' pods",
    );
  }
  if (props.certManagerNamespace !== undefined) {
    problems.add(
      'certManagerNamespace',
      props.certManagerNamespace,
      'left out together with authority, which has its own',
    );
  }
}
