export { bundleKinds, bundlesWrittenAt } from '../../core/certificates/ca-bundles';
export type { CalledService } from '../../core/certificates/ca-bundles';
export {
  blockers,
  refusedCalls,
  refusedDuring,
  caRotationPhases,
  isSafe,
  rotationState,
} from '../../core/certificates/ca-rotation';
export type {
  Transition,
  ObservedBundle,
  ObservedPod,
  RefusedCall,
  CaRotation,
  CaRotationObservation,
  CaRotationPhase,
  ServingPod,
  RotationState,
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
  trustAnchor,
  dnsNamesOf,
  serverCertificate,
  namesServer,
  readCertificates,
  sameAuthority,
  isSignedBy,
} from '../../core/certificates/x509';
export type { TrustAnchor, AuthorityKey, ServerCertificate } from '../../core/certificates/x509';
export type { AskCertificate, ServedAt } from '../../core/tls';
export type { CaRotationProps, InjectedObject } from './ca-rotation';
export { bundleSecretName, injectedObjects } from './ca-rotation-jobs';
export { CertificateAuthority } from './certificate-authority';
export type { CertificateAuthorityProps, IssuerRef } from './certificate-authority';
export { WebhookCertificate } from './webhook-certificate';
export type { WebhookCertificateProps } from './webhook-certificate';
