import { defaultDuration, renewedBefore } from '../../certificates';
import { parseDuration } from '../../durations';
import { Field } from '../field';
import type { ObjectIndex } from '../object-index';
import type { IssuedCertificate } from './cert-manager';
import { issuedCertificates, issuerOf } from './cert-manager';
import { installedCertManager } from './cert-manager-version';
import { NamespacedMap } from '../namespaced-map';
import type { CaSource } from './trusting-objects';

/** What signs a Certificate, by what its issuer's `spec` says. */
export type IssuerType = 'selfSigned' | 'ca' | 'acme' | 'other';

/**
 * What signs a Certificate.
 * @returns nothing where the issuer is not among the objects
 */
export function issuerTypeOf(objects: ObjectIndex, certificate: IssuedCertificate): IssuerType | undefined {
  const issuer = issuerOf(objects, certificate);
  if (!issuer) {
    return undefined;
  }
  const spec = Field.of(issuer).get('spec');
  return (['selfSigned', 'ca', 'acme'] as const).find((type) => spec.get(type).exists) ?? 'other';
}

/**
 * The Certificate of the authority that signs another one.
 *
 * @returns nothing where it is not among the objects, or no CA issuer signs
 */
export function authorityOf(
  objects: ObjectIndex,
  certificate: IssuedCertificate,
): IssuedCertificate | undefined {
  const issuer = issuerOf(objects, certificate);
  const secret = issuer && Field.of(issuer).get('spec', 'ca', 'secretName').text;
  if (!issuer || secret === undefined) {
    return undefined;
  }
  // A ClusterIssuer reads its key in cert-manager's own namespace, which no manifest of it names.
  const namespace =
    issuer.kind === 'ClusterIssuer' ? undefined : (issuer.namespace ?? certificate.object.namespace);
  return objects
    .view(issuedCertificates)
    .inSecret(namespace, secret)
    .find(({ isCa }) => isCa);
}

/** Whether an authority signs any Certificate. */
export function signsAny(objects: ObjectIndex, authority: IssuedCertificate): boolean {
  return objects.view(byAuthority).has(authority);
}

/** Certificates of a namespace that an authority signs, and that are none themselves. */
export function leavesOf(
  objects: ObjectIndex,
  authority: IssuedCertificate,
  namespace: string,
): readonly IssuedCertificate[] {
  return objects.view(byAuthority).get(authority)?.get(namespace, leaves) ?? [];
}

const leaves = 'leaves';
const authorities = 'authorities';

function byAuthority(objects: ObjectIndex): ReadonlyMap<IssuedCertificate, NamespacedMap<IssuedCertificate>> {
  const found = new Map<IssuedCertificate, NamespacedMap<IssuedCertificate>>();
  for (const each of objects.view(issuedCertificates).all) {
    const authority = authorityOf(objects, each);
    if (authority) {
      const known = found.get(authority) ?? new NamespacedMap<IssuedCertificate>();
      known.add(each.object.namespace, each.isCa ? authorities : leaves, each);
      found.set(authority, known);
    }
  }
  return found;
}

/** Since this minor version an unset policy means Always: https://cert-manager.io/docs/releases/release-notes/release-notes-1.18/ */
export const alwaysSince = 18;

/** Whether a Certificate has the same key after a renewal, as far as is known: an unset policy depends on the version. */
export function keepsKey(objects: ObjectIndex, { spec }: IssuedCertificate): boolean {
  const policy = spec.get('privateKey', 'rotationPolicy');
  const { minor } = objects.view(installedCertManager);
  return policy.exists ? policy.text === 'Never' : minor !== undefined && minor < alwaysSince;
}

/**
 * The Certificate whose Secret a CA is injected from.
 *
 * @returns nothing where it is not among the objects, or the source is no Certificate's
 */
export function injectedCertificate(
  objects: ObjectIndex,
  { by, target }: CaSource,
): IssuedCertificate | undefined {
  const certificates = objects.view(issuedCertificates);
  if (!target || by === 'apiServer') {
    return undefined;
  }
  return by === 'certificate'
    ? certificates.named(target.namespace, target.name)
    : certificates.inSecret(target.namespace, target.name)[0];
}

/** Life of a Certificate and how long before its end it is renewed, in milliseconds, defaults of cert-manager included. */
export interface JudgedLifetime {
  /** Life of the Certificate. */
  readonly duration: number;
  /** How long before its end it is renewed. */
  readonly renewBefore: number;
}

/**
 * How long a Certificate lives.
 * @returns nothing where what is said is no duration
 */
export function lifetimeOf({ spec }: IssuedCertificate): JudgedLifetime | undefined {
  const read = (key: string): number | undefined => {
    const field = spec.get(key);
    return field.exists ? (parseDuration(field.text ?? '') ?? NaN) : undefined;
  };
  const duration = read('duration') ?? defaultDuration;
  const renewBefore = read('renewBefore');
  const percentage = spec.get('renewBeforePercentage').number;
  return Number.isNaN(duration) || Number.isNaN(renewBefore ?? 0)
    ? undefined
    : { duration, renewBefore: renewedBefore(duration, renewBefore, percentage) };
}

/** Certificates of a namespace that are valid for a name of a Service in it, by `namespace` and name. */
export function certificatesNaming(objects: ObjectIndex): NamespacedMap<IssuedCertificate> {
  const found = new NamespacedMap<IssuedCertificate>();
  for (const each of objects.view(issuedCertificates).all) {
    for (const name of new Set(each.spec.get('dnsNames').texts)) {
      found.add(each.object.namespace, name, each);
    }
  }
  return found;
}

/** `NAMESPACE/NAME` of a Certificate, for messages. */
export function certificateName({ object }: IssuedCertificate): string {
  return object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
}
