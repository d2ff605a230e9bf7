import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { withoutNamespace } from '../admission';
import type { Lifetime } from './lifetime';

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
  /** Whether there is a re-key, whose Jobs read the certificates. */
  readonly rekey?: object;
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
export function authorityGeneration(
  scope: Construct,
  lead: string,
  name: string,
  { namespace, issuerKind = 'Issuer', revisionHistoryLimit, rekey }: GenerationProps,
  lifetime: Lifetime,
): AuthorityGeneration {
  const selfSigned: IssuerRef = { name: `${name}-self-signed`, kind: 'Issuer', group: 'cert-manager.io' };
  // Jobs of a re-key read the certificates of both generations.
  const annotations = rekey ? { annotations: { 'argocd.argoproj.io/sync-wave': '-2' } } : {};
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
