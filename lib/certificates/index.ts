export { CertificateAuthority } from './certificate-authority';
export type { CertificateAuthorityProps, IssuerRef } from './certificate-authority';
export { formatDuration, goDuration, parseDuration } from './go-duration';
export { WebhookCertificate } from './webhook-certificate';
export type { WebhookCertificateProps } from './webhook-certificate';
