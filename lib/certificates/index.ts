export { CertificateAuthority } from './certificate-authority';
export type { CertificateAuthorityProps } from './certificate-authority';
export type { IssuerRef } from './authority-generation';
export type { AuthorityRekey, InjectedObject } from './authority-rekey';
export { bundleSecretName, injectedObjects } from './rekey-objects';
export { bundleKinds, bundlesWrittenAt } from './rekey/bundle-places';
export type { CalledService } from './rekey/bundle-places';
export { readCertificates } from './rekey/certificate-text';
export { checkGate } from './rekey/check-gate';
export type { GateReport, RekeyTarget, SeenAuthority } from './rekey/check-gate';
export { obstacles } from './rekey/gates';
export type { ObservedBundle, ObservedPod, Rekey, RekeyObservation } from './rekey/gates';
export { jobResult, readJobResult, readRekeyJobs } from './rekey/job-result';
export type { JobResult, RekeyJobs } from './rekey/job-result';
export { refusedMeanwhile, rekeyPhases, stageOf } from './rekey/phases';
export type { Meanwhile, RekeyPhase, Stage } from './rekey/phases';
export { anchorOf, dnsNamesOf, leafOf, signed } from './rekey/read-certificates';
export { refusedCalls, safe } from './rekey/safe';
export type { RefusedCall, ServingPod, TrustingApiServer, TrustState } from './rekey/safe';
export { namesServer, sameAuthority } from './rekey/signing';
export type { Anchor, AuthorityKey, Leaf } from './rekey/signing';
export { publishBundle, retireOld } from './rekey/write-bundles';
export type { Retirement, SecretName } from './rekey/write-bundles';
export type { AskCertificate, ServedAt } from './rekey/served-certificate';
export { WebhookCertificate } from './webhook-certificate';
export type { WebhookCertificateProps } from './webhook-certificate';
export {
  authorityLifetime,
  defaultDuration,
  outlivesAuthority,
  renewedBefore,
  renewsTooLate,
} from './lifetime';
export type { Lifetime } from './lifetime';
