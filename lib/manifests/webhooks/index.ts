export { celText, equalBut, isServiceAccount, readCel, serverFields } from '../../core/admission/cel';
export type { CelAccess, CelReading } from '../../core/admission/cel';
export { intentPolicy, intents } from '../../core/admission/intent';
export type { FailurePolicy, Intent, IntentPolicy } from '../../core/admission/intent';
export { matchConditionRisks, mostMatchConditions } from '../../core/admission/match-conditions';
export type { MatchCondition, MatchConditionRisk } from '../../core/admission/match-conditions';
export { covers, forbiddenWithFail, protectedResources } from '../../core/admission/protected-resources';
export type { ForbiddenResource, ProtectedResource } from '../../core/admission/protected-resources';
export {
  evaluatedNamespace,
  matchesRequest,
  namespaceNameLabel,
  operationsOf,
  systemNamespaces,
} from '../../core/admission/requests';
export type { Operation, RequestKind, WebhookRule } from '../../core/admission/requests';
export { injectionSources } from '../../core/certificates/ca-bundles';
export { selects } from '../../core/kubernetes/label-selector';
export type { LabelSelector, LabelSelectorRequirement, Labels } from '../../core/kubernetes/label-selector';
export { intentAnnotation } from '../../core/names';
export { withoutNamespace } from '../objects';
export { ApiService, apiServiceProblems } from './api-service';
export type { ApiServiceProps } from './api-service';
export type { CaInjection, CertifiedProps, ServingCertificate } from './ca-injection';
export { ConversionWebhook, conversionEntry, conversionProblems } from './conversion-webhook';
export type {
  ConversionEntry,
  ConversionSettings,
  ConversionWebhookProps,
  DefinitionManifest,
} from './conversion-webhook';
export type { WebhookMetadata } from './matching';
export { AdmissionPolicy, MutatingPolicy, ValidatingPolicy, asPolicy } from './policies/policy';
export type { MutatingPolicyRest, ValidatingPolicyRest } from './policies/policy';
export { mutatingPolicyProblems, validatingPolicyProblems } from './policies/policy-problems';
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
export type { WebhookPods, WebhookService } from './server';
export { MutatingWebhook, ValidatingWebhook, Webhook, webhookProblems } from './webhook';
export { webhookEntry } from './webhook-props';
export type {
  MutatingWebhookProps,
  ValidatingWebhookProps,
  WebhookEntry,
  WebhookProps,
} from './webhook-props';
