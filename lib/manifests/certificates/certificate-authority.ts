import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { injectFromSecret } from '../../core/certificates/ca-bundles';
import { rotationState } from '../../core/certificates/ca-rotation';
import { authorityLifetime, checkLifetime } from '../../core/certificates/lifetime';
import type { Lifetime } from '../../core/certificates/lifetime';
import { object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { duration, fits, oneOf, whole } from '../../core/validation/values';
import { refuseProps } from '../field-schemas';
import { withoutNamespace } from '../objects';
import type { CaInjection } from '../webhooks';
import { caRotation, longestRotatedName } from './ca-rotation';
import type { CaRotationProps } from './ca-rotation';
import { bundleSecretName, rotationObjects } from './ca-rotation-jobs';

/** Names an issuer of cert-manager, as a Certificate does. */
export interface IssuerRef {
  /** Name of the issuer. */
  readonly name: string;
  /** Whether it issues in its own namespace or in every one. */
  readonly kind: 'Issuer' | 'ClusterIssuer';
  /** API group of the issuer. */
  readonly group: 'cert-manager.io';
}

/** What all generations of an authority have in common. */
export interface GenerationProps {
  readonly namespace: string;
  readonly issuerKind?: IssuerRef['kind'];
  readonly revisionHistoryLimit?: number;
  /** Whether there is a CA rotation, whose Jobs read the certificates. */
  readonly rotation?: object;
}

/** The objects of one key of an authority. */
export interface AuthorityGeneration {
  readonly selfSignedIssuer: ApiObject;
  readonly certificate: ApiObject;
  readonly issuer: ApiObject;
}

/**
 * Makes a self-signed issuer, the CA's own Certificate, and an issuer that signs with it.
 *
 * @param lead of the constructs' ids
 * @param name of the objects, and common name of the CA
 */
function authorityGeneration(
  scope: Construct,
  lead: string,
  name: string,
  { namespace, issuerKind = 'Issuer', revisionHistoryLimit, rotation }: GenerationProps,
  lifetime: Lifetime,
): AuthorityGeneration {
  const selfSigned: IssuerRef = { name: `${name}-self-signed`, kind: 'Issuer', group: 'cert-manager.io' };
  // Jobs of a CA rotation read the certificates of both generations.
  const annotations = rotation ? { annotations: { 'argocd.argoproj.io/sync-wave': '-2' } } : {};
  const selfSignedIssuer = new ApiObject(scope, `${lead}SelfSignedIssuer`, {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Issuer',
    metadata: { name: selfSigned.name, namespace, ...annotations },
    spec: { selfSigned: {} },
  });
  const certificate = new ApiObject(scope, `${lead}Certificate`, {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name, namespace, ...annotations },
    spec: {
      isCA: true,
      commonName: name,
      secretName: name,
      ...lifetime,
      // Unset, it is Always since cert-manager 1.18: every renewal would be another CA.
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Never' },
      ...(revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit }),
      issuerRef: selfSigned,
    },
  });
  const issuer = new ApiObject(scope, `${lead}Issuer`, {
    apiVersion: 'cert-manager.io/v1',
    kind: issuerKind,
    metadata: { name, namespace, ...annotations },
    spec: { ca: { secretName: name } },
  });
  if (issuerKind === 'ClusterIssuer') {
    withoutNamespace(issuer);
  }
  certificate.addDependency(selfSignedIssuer);
  issuer.addDependency(certificate);
  return { selfSignedIssuer, certificate, issuer };
}

/** What a certificate authority needs. */
export interface CertificateAuthorityProps {
  /** Name of the authority. With the generation it names every object, and is the subject of the CA. */
  readonly name: string;
  /**
   * Namespace of the CA's Certificate, of its key, and of an `Issuer`. For a `ClusterIssuer` it must be
   * cert-manager's cluster resource namespace, where it looks for keys (the namespace it runs in, as its chart has it).
   */
  readonly namespace: string;
  /**
   * Counts the keys of the authority: generation 2 is another CA with another key and another subject, which can
   * stand beside generation 1 while the one takes over from the other.
   * @default 1
   */
  readonly generation?: number;
  /**
   * The phase of the way from the generation before to this one. API servers and pods go over without a moment in which one
   * does not trust the other; without it, another generation is another authority at once.
   * @default - none: this generation signs, and is injected alone
   */
  readonly rotation?: CaRotationProps;
  /** Whether certificates are issued in the authority's namespace only, or in all. @default 'Issuer' */
  readonly issuerKind?: 'Issuer' | 'ClusterIssuer';
  /** Life of the CA, as a Go duration, at least 1h. @default '87600h' - 10 years */
  readonly duration?: string;
  /**
   * How long before its end the CA is renewed, as a Go duration, at least 24h. What it issues must be shorter by 24h.
   * @default '8760h' - a year
   */
  readonly renewBefore?: string;
  /** How many past requests cert-manager keeps, at least 1. @default - cert-manager's own: 1 since its version 1.18 */
  readonly revisionHistoryLimit?: number;
  /**
   * Namespace that cert-manager runs in. Webhooks which trust this CA leave it out.
   * @default 'cert-manager'
   */
  readonly certManagerNamespace?: string;
}

/** How many past requests are kept; cert-manager takes no less than one. */
export const revisionHistoryLimit = whole(1, 1_000_000);

const certificateAuthorityProps = object<CertificateAuthorityProps>({
  name: fits(dnsSubdomain),
  namespace: fits(dnsLabel),
  generation: optional(whole(1, 9999)),
  rotation: optional(caRotation),
  issuerKind: optional(oneOf('Issuer', 'ClusterIssuer')),
  duration: optional(duration),
  renewBefore: optional(duration),
  revisionHistoryLimit: optional(revisionHistoryLimit),
  certManagerNamespace: optional(fits(dnsLabel)),
});

/** X.509 has 64 characters for a common name, and cert-manager refuses more. */
export const longestCommonName = 64;

/** Name of the CA's objects, and its common name. */
export function authorityName({
  name,
  generation = 1,
}: Pick<CertificateAuthorityProps, 'name' | 'generation'>): string {
  return `${name}-g${generation}`;
}

/** What of an authority does not go together. */
function authorityProblems(
  sound: Partial<CertificateAuthorityProps>,
  given: CertificateAuthorityProps,
): readonly Problem[] {
  const problems = new Problems('certificate authority');
  const { name, generation } = sound;
  const length = name === undefined ? 0 : authorityName({ name, generation }).length;
  if (length > longestCommonName) {
    problems.add(
      'name',
      name,
      `short enough for a common name of ${longestCommonName} characters with the generation behind it`,
    );
  }
  if (given.rotation !== undefined) {
    if ((generation ?? 1) < 2) {
      problems.add('generation', generation, 'the new generation, at least 2, where there is a CA rotation');
    }
    if (length > longestRotatedName) {
      problems.add(
        'name',
        name,
        `at most ${longestRotatedName} characters with the generation behind it, for a CA rotation`,
      );
    }
  }
  checkLifetime(problems, lifetimeOf(sound));
  return problems.all;
}

function lifetimeOf(props: Partial<CertificateAuthorityProps>): Lifetime {
  return {
    duration: props.duration ?? authorityLifetime.duration,
    renewBefore: props.renewBefore ?? authorityLifetime.renewBefore,
  };
}

/**
 * A certificate authority of cert-manager with a key that stays: a self-signed issuer, the CA's own Certificate, and
 * an issuer that signs with it. The CA is renewed under the same key and the same subject, so whatever the API server
 * has of it, the certificate before the renewal or the one after, verifies every leaf: the order in which API servers
 * and pods learn of a renewal does not matter.
 *
 * @see https://cert-manager.io/docs/configuration/selfsigned/#bootstrapping-ca-issuers
 */
export class CertificateAuthority extends Construct {
  /** The phase of a CA rotation, where there is one. In it, the objects below are those of the generation that signs. */
  public readonly rotation?: CaRotationProps;
  /** The Job of a CA rotation that must succeed before certificates and what the CA is injected into may change. */
  public readonly gate?: ApiObject;
  /** Issues the CA's own certificate. */
  public readonly selfSignedIssuer: ApiObject;
  /** The CA's own certificate. Its key is made once and never again. */
  public readonly certificate: ApiObject;
  /** Issues what the CA signs. */
  public readonly issuer: ApiObject;
  /** Names the issuer that signs with the CA, for a Certificate's `issuerRef`. */
  public readonly issuerRef: IssuerRef;
  /**
   * Injects the CA's own certificate into a webhook configuration: never a leaf, which changes with each renewal. In the
   * phases `publish` and `switch` of a CA rotation, those of both generations.
   */
  public readonly caInjection: CaInjection;
  /** Common name of the CA. */
  public readonly commonName: string;
  /** Secret with the CA's key. */
  public readonly secretName: string;
  /** Namespace of the CA's Certificate and key. */
  public readonly namespace: string;
  /** How long before its end the CA is renewed, as a Go duration. */
  public readonly renewBefore: string;

  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: CertificateAuthorityProps) {
    refuseProps(`CertificateAuthority "${id}"`, certificateAuthorityProps, props, (sound) =>
      authorityProblems(sound, props),
    );
    super(scope, id);
    const { namespace, issuerKind = 'Issuer', generation = 1, rotation } = props;
    const lifetime = lifetimeOf(props);
    const renewed = authorityName(props);
    const old = authorityName({ ...props, generation: generation - 1 });
    const { signs: name } = rotationState(rotation?.phase ?? 'retire', old, renewed);
    if (rotation) {
      this.rotation = rotation;
    }
    this.namespace = namespace;
    this.commonName = name;
    this.secretName = name;
    this.renewBefore = lifetime.renewBefore;
    this.issuerRef = { name, kind: issuerKind, group: 'cert-manager.io' };
    this.caInjection = {
      annotations:
        rotation && rotation.phase !== 'retire'
          ? { [injectFromSecret]: `${namespace}/${bundleSecretName(renewed)}` }
          : { 'cert-manager.io/inject-ca-from': `${namespace}/${renewed}` },
      providerNamespaces: [props.certManagerNamespace ?? 'cert-manager'],
    };
    const before = rotation && authorityGeneration(this, 'Old', old, props, lifetime);
    const own = authorityGeneration(this, '', renewed, props, lifetime);
    const signing = before && name === old ? before : own;
    this.selfSignedIssuer = signing.selfSignedIssuer;
    this.certificate = signing.certificate;
    this.issuer = signing.issuer;
    if (before) {
      this.gate = rotationObjects(
        this,
        rotation,
        { authority: props.name, namespace, generation, old, renewed },
        [before.certificate, own.certificate],
      ).gate;
    }
  }
}
