export { admissionPolicies, policyBindings } from './admission-policies';
export type { JudgedPolicy, PolicyBinding } from './admission-policies';
export { admissionWebhooks } from './admission-webhooks';
export type { AdmissionWebhook, JudgedMatchCondition, JudgedWebhookRule } from './admission-webhooks';
export { applicationSpecs } from './applications';
export type { ApplicationSource, ApplicationSpec } from './applications';
export {
  authorityOf,
  certificateName,
  injectedCertificate,
  issuerTypeOf,
  leavesOf,
  lifetimeOf,
} from './authorities';
export type { IssuerType, JudgedLifetime } from './authorities';
export { calledService } from './called-service';
export type { CalledService } from './called-service';
export { issuedCertificates, issuerOf } from './cert-manager';
export type { IssuedCertificate, IssuedCertificates, IssuerReference } from './cert-manager';
export { installedCertManager } from './cert-manager-version';
export type { InstalledCertManager } from './cert-manager-version';
export { budgetsOf } from './disruption-budgets';
export { namespaceOf } from './namespaces';
export type { KnownNamespace } from './namespaces';
export { readPem, readPemBase64, signerOf } from './pem';
export type { PemContent } from './pem';
export { retryStrategies } from './retry-strategies';
export type { RetryStrategy } from './retry-strategies';
export { usesOfSecret } from './secret-mounts';
export type { SecretUse } from './secret-mounts';
export { hasCertificateInSight, servingCertificates, trustedCertificates } from './serving-certificates';
export type { ServingCertificates } from './serving-certificates';
export { caCertificates, tlsSecrets } from './tls-secrets';
export type { TlsSecret, TlsSecrets } from './tls-secrets';
export { trustAnchors } from './trust-anchors';
export type { TrustAnchor } from './trust-anchors';
export { bundleText, isFromCluster, trustingObjects } from './trusting-objects';
export type { CaSource, TrustingObject } from './trusting-objects';
export { workflowSpecs } from './workflows';
export type { WorkflowSpec } from './workflows';
export { autoscalersOf, workloads, workloadsBehind } from './workloads';
export type { Container, Workload, Workloads } from './workloads';
