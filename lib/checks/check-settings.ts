import type { AlertmanagerArgs } from './alertmanager';
import type { ArgoApplicationsArgs } from './argo-applications';
import type { CapacityArgs } from './capacity';
import type { CloudWatchAlarmsArgs } from './cloudwatch-alarms';
import type {
  CloudWatchComparisonArgs,
  CloudWatchErrorShareArgs,
  CloudWatchSlowShareArgs,
} from './cloudwatch-kinds';
import type { CloudWatchMetricArgs } from './cloudwatch-metric';
import type {
  DatadogComparisonArgs,
  DatadogErrorShareArgs,
  DatadogQueryArgs,
  DatadogSlowShareArgs,
} from './datadog-kinds';
import type { DatadogMonitorArgs } from './datadog-monitor';
import type { KubernetesPodsArgs } from './kubernetes-pods';
import type { DeepLater } from './later';
import type { ProgramArgs } from './program';
import type {
  PrometheusComparisonArgs,
  PrometheusErrorShareArgs,
  PrometheusQueryArgs,
  PrometheusSlowShareArgs,
} from './prometheus-kinds';
import type { TargetHealthArgs } from './target-health';

/**
 * What each kind of check takes, by its kind. A new kind has a line here, one in `registry.ts`, and a builder in
 * `builders.ts`.
 */
export interface CheckArguments {
  readonly targetHealth: TargetHealthArgs;
  readonly capacity: CapacityArgs;
  readonly argoApplications: ArgoApplicationsArgs;
  readonly kubernetesPods: KubernetesPodsArgs;
  readonly program: ProgramArgs;
  readonly 'cloudWatch.alarms': CloudWatchAlarmsArgs;
  readonly 'cloudWatch.metric': CloudWatchMetricArgs;
  readonly 'cloudWatch.errorShare': CloudWatchErrorShareArgs;
  readonly 'cloudWatch.slowShare': CloudWatchSlowShareArgs;
  readonly 'cloudWatch.comparison': CloudWatchComparisonArgs;
  readonly 'datadog.monitor': DatadogMonitorArgs;
  readonly 'datadog.query': DatadogQueryArgs;
  readonly 'datadog.errorShare': DatadogErrorShareArgs;
  readonly 'datadog.slowShare': DatadogSlowShareArgs;
  readonly 'datadog.comparison': DatadogComparisonArgs;
  readonly alertmanager: AlertmanagerArgs;
  readonly 'prometheus.query': PrometheusQueryArgs;
  readonly 'prometheus.errorShare': PrometheusErrorShareArgs;
  readonly 'prometheus.slowShare': PrometheusSlowShareArgs;
  readonly 'prometheus.comparison': PrometheusComparisonArgs;
}

/** The settings of one kind of check. */
export type SettingsOf<Kind extends keyof CheckArguments> = { readonly [Key in Kind]: CheckArguments[Kind] };

/**
 * One check of a plan: an object with exactly one key, the kind. The same in a plan file and in a program, where
 * `checks.cloudWatch.errorShare({ max: 0.01 })` makes one.
 *
 * @example
 * { 'cloudWatch.errorShare': { max: 0.01, minRequests: 200 } }
 */
export type CheckSettings = { [Kind in keyof CheckArguments]: SettingsOf<Kind> }[keyof CheckArguments];

/** What a kind of check takes, with values that are known later at any depth. */
export type LaterArguments<Kind extends keyof CheckArguments> = {
  readonly [Key in keyof CheckArguments[Kind]]: DeepLater<CheckArguments[Kind][Key]>;
};

/** One check of a program, in which values stand that are known later. */
export type LaterCheckSettings = {
  [Kind in keyof CheckArguments]: { readonly [Key in Kind]: LaterArguments<Kind> };
}[keyof CheckArguments];
