export { ApiService, apiServiceProblems } from './api-service';
export type { ApiServiceProps } from './api-service';
export { readCel } from './cel-accesses';
export type { CelAccess, CelReading } from './cel-accesses';
export { injectionSources } from './ca-injection';
export type { CaInjection, ServingCertificate } from './ca-injection';
export type { CertifiedProps } from './certified-props';
export { withoutNamespace } from './cluster-object';
export { conversionEntry, conversionProblems } from './conversion-entry';
export type { ConversionEntry, ConversionSettings, DefinitionManifest } from './conversion-entry';
export { ConversionWebhook } from './conversion-webhook';
export type { ConversionWebhookProps } from './conversion-webhook';
export { judgedNamespace, namespaceNameLabel, systemNamespaces } from './exempt-namespaces';
export { intentAnnotation, intentPolicy, intents } from './intent';
export type { FailurePolicy, Intent, IntentPolicy } from './intent';
export { selects } from './label-selector';
export type { Labels, LabelSelector, LabelSelectorRequirement } from './label-selector';
export { matchConditionRisks, mostMatchConditions } from './match-conditions';
export type { MatchCondition, MatchConditionRisk } from './match-conditions';
export { asPolicy } from './policies/as-policy';
export type { MutatingJudgement, ValidatingJudgement } from './policies/as-policy';
export { celText, equalBut, isServiceAccount, serverFields } from './policies/cel-text';
export { mutatingPolicyProblems, validatingPolicyProblems } from './policies/check-policy';
export { AdmissionPolicy, MutatingPolicy, ValidatingPolicy } from './policies/policy';
export type {
  AuditAnnotation,
  MutatingPolicyProps,
  Mutation,
  ParamKind,
  ParamRef,
  PolicyProps,
  PolicyVariable,
  ValidatingPolicyProps,
  Validation,
  ValidationAction,
} from './policies/policy-props';
export { covers, forbiddenWithFail, protectedResources } from './protected-resources';
export type { ForbiddenResource, ProtectedResource } from './protected-resources';
export { matchesRequest } from './rule-match';
export type { RequestKind } from './rule-match';
export { webhookProblems } from './check-webhook';
export { webhookEntry } from './webhook-entry';
export type { WebhookEntry } from './webhook-entry';
export { MutatingWebhook, ValidatingWebhook, Webhook } from './webhook';
export type {
  MutatingWebhookProps,
  ValidatingWebhookProps,
  WebhookMetadata,
  WebhookProps,
} from './webhook-props';
export { operationsOf } from './webhook-rule';
export type { Operation, WebhookRule } from './webhook-rule';
export type { WebhookServer, WebhookService } from './webhook-server';
