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
export { MetricTemplate } from './metric-template';
export type { FlaggerMetric, FlaggerName, MetricTemplateProps } from './metric-template';
export { canaryProviders } from './provider';
export type { CanaryProvider } from './provider';
export { loadTest } from './webhooks';
export type { LoadTestOptions } from './webhooks';
