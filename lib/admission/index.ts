export type { CaInjection, ServingCertificate } from './ca-injection';
export { namespaceNameLabel, systemNamespaces } from './exempt-namespaces';
export { intentAnnotation, intentPolicy, intents } from './intent';
export type { FailurePolicy, Intent, IntentPolicy } from './intent';
export { selects } from './label-selector';
export type { Labels, LabelSelector, LabelSelectorRequirement } from './label-selector';
export type { MatchCondition } from './match-conditions';
export { forbiddenWithFail } from './protected-resources';
export type { ForbiddenResource } from './protected-resources';
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
export type { Operation, WebhookRule } from './webhook-rule';
export type { WebhookServer, WebhookService } from './webhook-server';
