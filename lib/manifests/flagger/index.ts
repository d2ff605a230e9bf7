export { Canary } from './canary';
export type { CanaryAutoscaler, CanaryProps, CanaryRef, CanaryTarget } from './canary';
export type {
  CanaryAlert,
  CanaryAnalysis,
  CanaryMatch,
  CanaryWebhook,
  CanaryWebhookType,
  SessionAffinity,
} from './canary-analysis';
export type {
  CanaryService,
  GatewayRef,
  HeaderChanges,
  RequestMatch,
  ServiceMetadata,
  TextMatch,
} from './canary-service';
export { loadTest } from './load-test';
export type { LoadTestOptions } from './load-test';
export type { FlaggerMetric } from './metric';
export { MetricTemplate } from './metric-template';
export type { FlaggerName, MetricTemplateProps } from './metric-template';
export { canaryProviders } from './provider';
export type { CanaryProvider } from './provider';
