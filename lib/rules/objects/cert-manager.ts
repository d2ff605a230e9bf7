import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import { NamespacedMap } from '../namespaced-map';
import type { ObjectIndex } from '../object-index';

/** A Certificate of cert-manager. */
export interface IssuedCertificate {
  /** The Certificate. */
  readonly object: JudgedObject;
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
  const byName = new NamespacedMap<IssuedCertificate>();
  const bySecret = new NamespacedMap<IssuedCertificate>();
  for (const each of all) {
    byName.add(each.object.namespace, each.object.name, each);
    if (each.secretName !== undefined) {
      bySecret.add(each.object.namespace, each.secretName, each);
    }
  }
  return {
    all,
    named: (namespace, name) => byName.get(namespace, name)[0],
    inSecret: (namespace, secretName) => bySecret.get(namespace, secretName),
  };
}

function certificateOf(object: JudgedObject): IssuedCertificate {
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
): JudgedObject | undefined {
  const namespace = issuer.kind === 'ClusterIssuer' ? undefined : object.namespace;
  return issuer.name === undefined
    ? undefined
    : objects.find(issuer.group, issuer.kind, namespace, issuer.name);
}
