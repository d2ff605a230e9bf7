export { allOf } from './analysis/analysis';
export type { Analysis, AnalysisEnd } from './analysis/analysis';
export type { AnalysisArgument, AnalysisArguments } from './analysis/analysis-arguments';
export type { AnalysisMetric } from './analysis/analysis-metric';
export { AnalysisTemplate, ClusterAnalysisTemplate } from './analysis/analysis-template';
export type { FlaggerMetric } from './analysis/flagger-metric';
export { MetricTemplate } from './analysis/metric-template';
export type { FlaggerName, MetricTemplateProps } from './analysis/metric-template';
export type { SecretValue } from './analysis/secret-key';
export type { SharedCheck } from './analysis/shared-check';
export type { AnalysisTemplateProps, ClusterAnalysisTemplateProps } from './analysis/template-props';
export { Canary } from './flagger/canary';
export type { CanaryAlert, CanaryAnalysis, CanaryMatch, SessionAffinity } from './flagger/canary-analysis';
export type { CanaryAutoscaler, CanaryProps, CanaryRef, CanaryTarget } from './flagger/canary-props';
export type {
  CanaryService,
  GatewayRef,
  HeaderChanges,
  RequestMatch,
  ServiceMetadata,
  TextMatch,
} from './flagger/canary-service';
export type { CanaryWebhook, CanaryWebhookType } from './flagger/canary-webhook';
export { loadTest } from './flagger/load-test';
export type { LoadTestOptions } from './flagger/load-test';
export { canaryProviders } from './flagger/provider';
export type { CanaryProvider } from './flagger/provider';
export { restartDecision } from './restart/decision';
export type { RestartDecision } from './restart/decision';
export { historyAnnotation, restartHistory, totalAnnotation, withRestart } from './restart/history';
export type { RestartHistory } from './restart/history';
export { usualLimits } from './restart/limits';
export type { RestartLimits } from './restart/limits';
export type { RestartApi, RestartRequest, RolloutOutcome } from './restart/request';
export { restartRollouts } from './restart/restart-rollouts';
export { isLeftAlone, tellLeftAlone } from './restart/tell';
export type { Pod, Rollout as LiveRollout } from './restart/rollout';
export { restartMetrics } from './restarter/metrics';
export { restartNotification, subscribeToRestarts } from './restarter/notification';
export type { RestartNotification, RestartNotificationOptions } from './restarter/notification';
export type { RestarterEventBus, RolloutRestarterProps, TokenSecret } from './restarter/restarter-props';
export { RolloutRestarter } from './restarter/rollout-restarter';
export type { BlueGreenStrategy } from './rollout/blue-green-strategy';
export type { CanaryStrategy } from './rollout/canary-strategy';
export type { PodMetadata } from './object-metadata';
export { Rollout } from './rollout/rollout';
export type { PodTemplate, RolloutProps, WorkloadRef } from './rollout/rollout-props';
export { stepsOf } from './rollout/steps';
export type { CanaryScale, CanaryStep, HeaderMatch, StepNotation } from './rollout/steps';
export type { AlbRouting, GatewayApiRouting, TrafficRouting } from './rollout/traffic-routing';
