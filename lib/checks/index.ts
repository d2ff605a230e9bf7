export type { Aggregate } from './aggregate';
export type { AwsCredentials } from './aws-credentials';
export type { AlarmSource, AlarmState } from './alarm-source';
export type { AlertmanagerArgs } from './alertmanager';
export type { ArgoApplicationsArgs } from './argo-applications';
export {
  alertmanager,
  argoApplications,
  capacity,
  cloudWatch,
  datadog,
  kubernetesPods,
  program,
  prometheus,
  targetHealth,
} from './builders';
export type { ApplicationsHub, ArgoApplicationsBuilder, CheckBuilder } from './builders';
export type { CapacityArgs } from './capacity';
export { checkContext } from './check-context';
export type { CheckContext } from './check-context';
export type { CheckKind, NamedCheck } from './check-kind';
export type { IamStatement } from './iam-statement';
export { checkProblems } from './check-problems';
export type {
  CheckArguments,
  CheckSettings,
  LaterArguments,
  LaterCheckSettings,
  SettingsOf,
} from './check-settings';
export type { CloudWatchAlarmsArgs } from './cloudwatch-alarms';
export type {
  CloudWatchComparisonArgs,
  CloudWatchErrorShareArgs,
  CloudWatchSlowShareArgs,
} from './cloudwatch-kinds';
export type { CloudWatchMetricArgs } from './cloudwatch-metric';
export { awsMetricData } from './aws-metric-data';
export { defaultDelayMs, settledUntil } from './cloudwatch-counts';
export { countedMetrics } from './cloudwatch-queries';
export type { CountedMetric, CountedMetrics } from './cloudwatch-queries';
export { checkAccess, checkRights, createChecks } from './create-checks';
export type {
  DatadogComparisonArgs,
  DatadogErrorShareArgs,
  DatadogQueryArgs,
  DatadogSlowShareArgs,
} from './datadog-kinds';
export type { DatadogMonitorArgs } from './datadog-monitor';
export type { DatadogAccess } from './datadog-service';
export { matchesGlob } from './glob';
export { httpClient } from './http-client';
export type { HttpAnswer, HttpClient, HttpClientOptions, HttpRequest } from './http-client';
export type { KubernetesPodsArgs } from './kubernetes-pods';
export type { KubernetesRight, KubernetesSource } from './kubernetes-source';
export type { DeepLater, Later } from './later';
export { countingTimesOf, metricDefaults } from './metric-defaults';
export type { CountingTimes } from './metric-defaults';
export type { MetricData, MetricDataQuery, MetricSeries } from './metric-data';
export type { ProgramArgs } from './program';
export { programEnvironment } from './program-window';
export type { PrometheusAuth } from './prometheus-auth';
export type {
  PrometheusComparisonArgs,
  PrometheusErrorShareArgs,
  PrometheusQueryArgs,
  PrometheusSlowShareArgs,
} from './prometheus-kinds';
export type { PrometheusAccess } from './prometheus-service';
export type { ComparisonArgs, ShareArgs } from './share-arguments';
export { fillTexts, replaceVariables, subjectVariables, variablesIn } from './query-template';
export { checkKinds } from './registry';
export type { SecretSource } from './secret-source';
export type { TargetHealthArgs } from './target-health';
export type { TargetHealthSource, TargetState } from './target-states';
