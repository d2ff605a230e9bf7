export { historyAnnotation, totalAnnotation } from '../../core/names';
export type { PodMetadata } from '../objects';
export type { SharedCheck } from '../shift-checks';
export { mergeAnalyses } from './analysis/analysis';
export type { Analysis, AnalysisEnd } from './analysis/analysis';
export { AnalysisTemplate, ClusterAnalysisTemplate } from './analysis/analysis-template';
export type {
  AnalysisArgument,
  AnalysisArguments,
  AnalysisTemplateProps,
  ClusterAnalysisTemplateProps,
} from './analysis/analysis-template';
export type { AnalysisMetric } from './analysis/metric';
export type { SecretValue } from './analysis/prometheus';
export type { BlueGreenStrategy } from './blue-green-strategy';
export type { CanaryStrategy } from './canary-strategy';
export { Rollout } from './rollout';
export type { PodTemplate, RolloutProps, WorkloadRef } from './rollout';
export { canarySteps } from './steps';
export type { CanaryScale, CanaryStep, HeaderMatch, StepNotation } from './steps';
export type { AlbRouting, GatewayApiRouting, TrafficRouting } from './traffic-routing';
