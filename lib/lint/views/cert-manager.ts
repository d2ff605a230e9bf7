import { defaultDuration, renewedBefore } from '../../core/certificates/lifetime';
import { parseDuration } from '../../core/durations';
import { Field } from '../object';
import type { ManifestObject } from '../object';
import { NamespacedMap } from '../object-index';
import type { ObjectIndex } from '../object-index';
import type { CaSource } from './trust';
import { workloads } from './workloads';
import type { Container } from './workloads';

/** What the objects say of the cert-manager that runs. */
export interface InstalledCertManager {
  /** Minor version: 21 of `v1.21.2`. @default - it is not among the objects, or has no version as its image's tag */
  readonly minor?: number;
  /**
   * Whether a new CA is put beside those that a bundle has, in place of replacing them: by default since 1.19, always since
   * 1.21. @default - not known
   */
  readonly merges?: boolean;
}

const always = 21;

const byDefault = 19;

/** View of the cert-manager among the objects: `objects.view(installedCertManager)`. */
export function installedCertManager(objects: ObjectIndex): InstalledCertManager {
  const containers = objects.view(workloads).all.flatMap((workload) => workload.containers);
  const injector = containers.find((each) => programOf(each) === 'cert-manager-cainjector');
  const program = injector ?? containers.find((each) => programOf(each) === 'cert-manager-controller');
  const [, tag] = /:v?1\.(\d+)/.exec(imageOf(program).split('/').at(-1)!) ?? [];
  if (tag === undefined) {
    return {};
  }
  const minor = Number(tag);
  const gate = injector && gateOf(injector);
  return { minor, merges: minor >= always || (gate ?? minor >= byDefault) };
}

function imageOf(container: Container | undefined): string {
  return container?.field.get('image').text?.split('@')[0] ?? '';
}

function programOf(container: Container): string {
  return imageOf(container).split('/').at(-1)!.split(':')[0]!;
}

/** What `--feature-gates` says of merging. */
function gateOf({ field }: Container): boolean | undefined {
  const words = [...field.get('command').texts, ...field.get('args').texts].join(' ');
  const [, said] = /\bCAInjectorMerging=(true|false)\b/.exec(words) ?? [];
  return said === undefined ? undefined : said === 'true';
}

/** A Certificate of cert-manager. */
export interface IssuedCertificate {
  /** The Certificate. */
  readonly object: ManifestObject;
  /** `spec` */
  readonly spec: Field;
  /** Secret that it is put into. */
  readonly secretName: string | undefined;
  /** Whether it may sign others. */
  readonly isCa: boolean;
  /** What signs it. */
  readonly issuer: IssuerReference;
}

/** What a Certificate names as its issuer. */
export interface IssuerReference {
  /** Name of the issuer. @default - not said */
  readonly name: string | undefined;
  /** Kind of the issuer: `Issuer`, `ClusterIssuer`. @default 'Issuer' */
  readonly kind: string;
  /** API group of the issuer. @default 'cert-manager.io' */
  readonly group: string;
}

/** Every Certificate of cert-manager among the objects. */
export interface IssuedCertificates {
  /** Every Certificate. */
  readonly all: readonly IssuedCertificate[];
  /** The one of that name, if it is there. */
  named(namespace: string | undefined, name: string): IssuedCertificate | undefined;
  /** Those that are put into a Secret: one, unless something is wrong. */
  inSecret(namespace: string | undefined, secretName: string): readonly IssuedCertificate[];
}

/** API group of Certificates and issuers. */
export const certManagerGroup = 'cert-manager.io';

/** View of cert-manager's Certificates: `objects.view(issuedCertificates)`. */
export function issuedCertificates(objects: ObjectIndex): IssuedCertificates {
  const all = objects.ofKind(certManagerGroup, 'Certificate').map(certificateOf);
  const record = new NamespacedMap<IssuedCertificate>();
  const bySecret = new NamespacedMap<IssuedCertificate>();
  for (const each of all) {
    record.add(each.object.namespace, each.object.name, each);
    if (each.secretName !== undefined) {
      bySecret.add(each.object.namespace, each.secretName, each);
    }
  }
  return {
    all,
    named: (namespace, name) => record.get(namespace, name)[0],
    inSecret: (namespace, secretName) => bySecret.get(namespace, secretName),
  };
}

function certificateOf(object: ManifestObject): IssuedCertificate {
  const spec = Field.of(object).get('spec');
  const reference = spec.get('issuerRef');
  return {
    object,
    spec,
    secretName: spec.get('secretName').text,
    isCa: spec.get('isCA').boolean === true,
    issuer: {
      name: reference.get('name').text,
      kind: reference.get('kind').text ?? 'Issuer',
      group: reference.get('group').text ?? certManagerGroup,
    },
  };
}

/** The Issuer or ClusterIssuer of a Certificate. @returns nothing where it is not among the objects */
export function issuerOf(
  objects: ObjectIndex,
  { object, issuer }: IssuedCertificate,
): ManifestObject | undefined {
  const namespace = issuer.kind === 'ClusterIssuer' ? undefined : object.namespace;
  return issuer.name === undefined
    ? undefined
    : objects.find(issuer.group, issuer.kind, namespace, issuer.name);
}

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
export interface LifetimeView {
  /** Life of the Certificate. */
  readonly duration: number;
  /** How long before its end it is renewed. */
  readonly renewBefore: number;
}

/**
 * How long a Certificate lives.
 * @returns nothing where what is said is no duration
 */
export function lifetimeOf({ spec }: IssuedCertificate): LifetimeView | undefined {
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
