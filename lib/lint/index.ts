export { allowAnnotation, hardenAnnotation } from '../core/names';
export { RulesValidation } from './cdk8s-validation';
export type { RulesValidationOptions } from './cdk8s-validation';
export { applyPatch, setValuePatch } from './changes';
export { clustersByTwins } from './clusters';
export type { ClusterFiles } from './clusters';
export { readLintConfig } from './config';
export type { ConfigSuppression, LintConfig, OtherRules } from './config';
export { lint, lintEvaluated } from './engine';
export { fixFiles } from './fix/fix-files';
export type { FixResult } from './fix/fix-files';
export { noSafeFix } from './fix/left-as';
export type { UnfixedFinding } from './fix/left-as';
export { readDecisions } from './harden/decisions';
export type { HardeningDecision } from './harden/decisions';
export { harden, hardenConstructs } from './harden/harden';
export type { HardenOptions, HardenTextOptions, HardenedText, Hardening } from './harden/harden';
export { hardenChangesIt, leftToHarden } from './harden/left-to-harden';
export {
  Field,
  groupOf,
  manifestObject,
  manifestObjects,
  objectName,
  toJsonPointer,
  parseJsonPointer,
} from './object';
export type { ManifestObject, ObjectName, ObjectSource, RepeatedKey } from './object';
export { indexObjects } from './object-index';
export type { ObjectIndex } from './object-index';
export type {
  EvaluatedCluster,
  SkippedRule,
  LintOptions,
  LintResult,
  LintSummary,
  RuleFailure,
  SuppressedFinding,
} from './options';
export { countByRule, countsDocument, countsText } from './output/counts';
export type { RuleCount } from './output/counts';
export { ruleHelp, sarifLog } from './output/sarif';
export type { SarifInput } from './output/sarif';
export {
  clusterNotes,
  findingText,
  lintDocument,
  lintText,
  withColours,
  withoutColours,
} from './output/text';
export type { LintColours } from './output/text';
export { linkOf } from './raised-findings';
export type { TextSource } from './read/documents';
export { readManifests } from './read/manifests';
export type { ReadManifests, UnreadableDocument } from './read/manifests';
export { decodeText, parseYaml } from './read/yaml';
export type { YamlDocument } from './read/yaml';
export { rulePage, severities } from './rule';
export type {
  JsonPatchOperation,
  Finding,
  LiveKind,
  RawFinding,
  Rule,
  RuleContext,
  Severity,
  TemplateFile,
} from './rule';
export { allRules, ruleGroups } from './rules';
export { suppressionRules } from './suppression-rules';
export type { EngineRule } from './suppression-rules';
export { admissionPolicies, admissionWebhooks, calledService, policyBindings } from './views/admission';
export type {
  AdmissionWebhook,
  CalledServiceView,
  MatchConditionView,
  AdmissionPolicyView,
  WebhookRuleView,
  PolicyBinding,
} from './views/admission';
export { applicationSpecs } from './views/applications';
export type { ApplicationSourceView, ApplicationSpecView } from './views/applications';
export {
  authorityOf,
  certificateName,
  injectedCertificate,
  installedCertManager,
  issuedCertificates,
  issuerOf,
  issuerTypeOf,
  leavesOf,
  lifetimeOf,
} from './views/cert-manager';
export type {
  InstalledCertManager,
  IssuedCertificate,
  IssuedCertificates,
  IssuerReference,
  IssuerType,
  LifetimeView,
} from './views/cert-manager';
export { readPem, readPemBase64, signerOf } from './views/pem';
export type { PemContent } from './views/pem';
export { retryStrategies, workflowSpecs } from './views/retry-strategies';
export type { RetryStrategyView, WorkflowSpec } from './views/retry-strategies';
export { cutsRetriesOff, parseRetryDuration, totalRetryWait } from './views/retry-waits';
export type { RetryBackoff } from './views/retry-waits';
export { caCertificates, tlsSecrets, usesOfSecret } from './views/secrets';
export type { SecretUse, TlsSecret, TlsSecrets } from './views/secrets';
export {
  hasCertificateInSight,
  servingCertificates,
  trustedCertificates,
} from './views/serving-certificates';
export type { ServingCertificates } from './views/serving-certificates';
export { bundleText, isFromCluster, caBundleLocations, trustingObjects } from './views/trust';
export type { CaSource, CaBundleLocation, TrustingObject } from './views/trust';
export { autoscalersOf, budgetsOf, namespaceOf, workloads, workloadsBehind } from './views/workloads';
export type { Container, KnownNamespace, Workload, Workloads } from './views/workloads';
