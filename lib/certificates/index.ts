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
export { jobResult, readJobResult, readRekeyJobs } from './rekey/job-result';
export type { JobResult, RekeyJobs } from './rekey/job-result';
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
export * from './rekey';
