export { matchesGlob } from '../../core/glob';
export { httpClient } from '../../core/http';
export type { HttpAnswer, HttpClient, HttpClientOptions, HttpRequest } from '../../core/http';
export type { ArgoApplicationsArgs } from './argo-applications/argo-applications';
export type { ApplicationsHub, ArgoApplicationsBuilder } from './argo-applications/argo-applications';
export type {
  AlarmSource,
  AlarmState,
  AwsCredentials,
  CheckContext,
  JobServer,
  KubernetesJobSource,
  KubernetesSource,
  MetricData,
  MetricDataQuery,
  MetricSeries,
  TargetHealthSource,
  TargetState,
} from './check-context';
export { checkBounds, withBounds } from './bounds';
export type { CheckBounds, FigureBound } from './bounds';
export { checkArgs, checkKind } from './check-kind';
export { awsTargetHealth } from './targets';
export type {
  CanaryTimes,
  CheckBuilder,
  CheckKind,
  DeepDeferred,
  IamStatement,
  ClusterAccessRule,
  Deferred,
  LaterArgs,
  MetricCheckBuilder,
  MetricKind,
  CommonCheckArgs,
  NamedKind,
  SimulatedCheckSettings,
  SimulatedCounts,
} from './check-kind';
export type { CloudWatchAlarmsArgs } from './cloudwatch/alarms';
export { countedMetrics, defaultDelayMs, settledUntil } from './cloudwatch/counts';
export type { CountedMetric, CountedMetrics } from './cloudwatch/counts';
export type { CloudWatchMetricArgs } from './cloudwatch/metric';
export type {
  CloudWatchComparisonArgs,
  CloudWatchErrorShareArgs,
  CloudWatchSlowShareArgs,
} from './cloudwatch/requests';
export { awsMetricData } from './cloudwatch/source';
export {
  checkAccess,
  checkContext,
  checkProblems,
  checkRights,
  checksBesideCapacity,
  createChecks,
  namedChecks,
} from './create';
export type { NamedSettings } from './create';
export type {
  DatadogComparisonArgs,
  DatadogErrorShareArgs,
  DatadogMonitorArgs,
  DatadogQueryArgs,
  DatadogSlowShareArgs,
} from './datadog/kinds';
export type { DatadogAccess } from './datadog/service';
export type { ClusterVitalsArgs } from './cluster-vitals/cluster-vitals';
export type { VitalBounds } from './cluster-vitals/compare';
export { vitals } from './cluster-vitals/vitals';
export type { JsonExpectation, JsonScalar } from './http/expectation';
export type { HttpArgs } from './http/http';
export type { HttpProxyComparisonArgs } from './http-proxy/kinds';
export type { JobResources, JobVariable } from './kubernetes-job/job';
export type { KubernetesJobArgs } from './kubernetes-job/kubernetes-job';
export { judgeVitals } from './cluster-vitals/verdict';
export type { OldVitals, SlotVitals } from './cluster-vitals/verdict';
export type { ClusterVitals, CountedVital, UntriedVital, Vital, VitalCount } from './cluster-vitals/vitals';
export type { SlotServersArgs } from './shared/slot-servers';
export type { KubernetesPodsArgs } from './kubernetes-pods';
export { programEnvironment } from './program';
export type { ProgramArgs } from './program';
export type { AlertmanagerArgs } from './prometheus/alertmanager';
export type { PrometheusAuth } from './prometheus/auth';
export type {
  PrometheusComparisonArgs,
  PrometheusErrorShareArgs,
  PrometheusQueryArgs,
  PrometheusSlowShareArgs,
} from './prometheus/kinds';
export type { PrometheusAccess } from './prometheus/service';
export { checkKinds, kindOf, programOnlyProblems, settingsProblems } from './kinds';
export type { OwnAnswer, OwnRequests, Probe, ProbeResult, SendProbe } from '../probes';
export type {
  AnyCheckKind,
  CheckArguments,
  CheckSettings,
  DeferredArguments,
  DeferredCheckSettings,
  MetricWord,
  CheckSettingsOf,
} from './kinds';
export type { ReadinessArgs } from './readiness/args';
export * from './registry';
export { metricDefaults } from './shared/metric-settings';
export type { ComparisonArgs, CountingTimes, ShareArgs } from './shared/metric-settings';
export type { QuerySyntheticArgs, SyntheticArgs } from './shared/synthetic-settings';
export type { Aggregate } from './shared/query-check';
export type { SecretSource } from '../../core/secret-source';
export { fillTexts, replaceVariables, subjectVariables, variablesIn } from './shared/query-template';
export type { CapacityArgs, TargetHealthArgs } from './targets';
