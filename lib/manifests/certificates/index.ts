export { bundleKinds, bundlesWrittenAt } from '../../core/certificates/ca-bundles';
export type { CalledService } from '../../core/certificates/ca-bundles';
export {
  obstacles,
  refusedCalls,
  refusedMeanwhile,
  rekeyPhases,
  safe,
  stageOf,
} from '../../core/certificates/ca-rotation';
export type {
  Meanwhile,
  ObservedBundle,
  ObservedPod,
  RefusedCall,
  Rekey,
  RekeyObservation,
  RekeyPhase,
  ServingPod,
  Stage,
  TrustState,
  TrustingApiServer,
} from '../../core/certificates/ca-rotation';
export {
  authorityLifetime,
  defaultDuration,
  outlivesAuthority,
  renewedBefore,
  renewsTooLate,
} from '../../core/certificates/lifetime';
export type { Lifetime } from '../../core/certificates/lifetime';
export {
  anchorOf,
  dnsNamesOf,
  leafOf,
  namesServer,
  readCertificates,
  sameAuthority,
  signed,
} from '../../core/certificates/x509';
export type { Anchor, AuthorityKey, Leaf } from '../../core/certificates/x509';
export type { AskCertificate, ServedAt } from '../../core/tls';
export type { AuthorityRekey, InjectedObject } from './ca-rotation';
export { bundleSecretName, injectedObjects } from './ca-rotation-jobs';
export { CertificateAuthority } from './certificate-authority';
export type { CertificateAuthorityProps, IssuerRef } from './certificate-authority';
export { WebhookCertificate } from './webhook-certificate';
export type { WebhookCertificateProps } from './webhook-certificate';
