import { argoApplications } from './argo-applications/argo-applications';
import type { ArgoApplicationsArgs } from './argo-applications/argo-applications';
import type { CheckKind, DeepLater } from './check-kind';
import { cloudWatchAlarms } from './cloudwatch/alarms';
import type { CloudWatchAlarmsArgs } from './cloudwatch/alarms';
import { metric } from './cloudwatch/metric';
import type { CloudWatchMetricArgs } from './cloudwatch/metric';
import { comparison, errorShare, slowShare } from './cloudwatch/requests';
import type {
  CloudWatchComparisonArgs,
  CloudWatchErrorShareArgs,
  CloudWatchSlowShareArgs,
} from './cloudwatch/requests';
import {
  datadogComparison,
  datadogErrorShare,
  datadogMonitor,
  datadogQuery,
  datadogSlowShare,
} from './datadog/kinds';
import type {
  DatadogComparisonArgs,
  DatadogErrorShareArgs,
  DatadogMonitorArgs,
  DatadogQueryArgs,
  DatadogSlowShareArgs,
} from './datadog/kinds';
import { kubernetesPods } from './kubernetes-pods';
import type { KubernetesPodsArgs } from './kubernetes-pods';
import { program } from './program';
import type { ProgramArgs } from './program';
import { alertmanager } from './prometheus/alertmanager';
import type { AlertmanagerArgs } from './prometheus/alertmanager';
import {
  prometheusComparison,
  prometheusErrorShare,
  prometheusQuery,
  prometheusSlowShare,
} from './prometheus/kinds';
import type {
  PrometheusComparisonArgs,
  PrometheusErrorShareArgs,
  PrometheusQueryArgs,
  PrometheusSlowShareArgs,
} from './prometheus/kinds';
import { capacity, targetHealth } from './targets';
import type { CapacityArgs, TargetHealthArgs } from './targets';

/** Every kind of check. */
export const checkKinds: { readonly [Kind in keyof CheckArguments]: CheckKind<CheckArguments[Kind]> } = {
  targetHealth,
  capacity,
  argoApplications,
  kubernetesPods,
  program,
  'cloudWatch.alarms': cloudWatchAlarms,
  'cloudWatch.metric': metric,
  'cloudWatch.errorShare': errorShare,
  'cloudWatch.slowShare': slowShare,
  'cloudWatch.comparison': comparison,
  'datadog.monitor': datadogMonitor,
  'datadog.query': datadogQuery,
  'datadog.errorShare': datadogErrorShare,
  'datadog.slowShare': datadogSlowShare,
  'datadog.comparison': datadogComparison,
  alertmanager,
  'prometheus.query': prometheusQuery,
  'prometheus.errorShare': prometheusErrorShare,
  'prometheus.slowShare': prometheusSlowShare,
  'prometheus.comparison': prometheusComparison,
};

/** The kind of that name, of any type; undefined for a word that is none. */
export function checkKind(kind: string): CheckKind<unknown> | undefined {
  return Object.hasOwn(checkKinds, kind)
    ? (checkKinds as Record<string, CheckKind<unknown>>)[kind]
    : undefined;
}

/**
 * What each kind of check takes, by its kind. A new kind has a line here, one in `registry.ts`, and a builder in
 * `builders.ts`.
 */
export interface CheckArguments {
  /** Settings of `checks.targetHealth`. */
  readonly targetHealth: TargetHealthArgs;
  /** Settings of `checks.capacity`. */
  readonly capacity: CapacityArgs;
  /** Settings of `checks.argoApplications`. */
  readonly argoApplications: ArgoApplicationsArgs;
  /** Settings of `checks.kubernetesPods`. */
  readonly kubernetesPods: KubernetesPodsArgs;
  /** Settings of `checks.program`. */
  readonly program: ProgramArgs;
  /** Settings of `checks.cloudWatch.alarms`. */
  readonly 'cloudWatch.alarms': CloudWatchAlarmsArgs;
  /** Settings of `checks.cloudWatch.metric`. */
  readonly 'cloudWatch.metric': CloudWatchMetricArgs;
  /** Settings of `checks.cloudWatch.errorShare`. */
  readonly 'cloudWatch.errorShare': CloudWatchErrorShareArgs;
  /** Settings of `checks.cloudWatch.slowShare`. */
  readonly 'cloudWatch.slowShare': CloudWatchSlowShareArgs;
  /** Settings of `checks.cloudWatch.comparison`. */
  readonly 'cloudWatch.comparison': CloudWatchComparisonArgs;
  /** Settings of `checks.datadog.monitor`. */
  readonly 'datadog.monitor': DatadogMonitorArgs;
  /** Settings of `checks.datadog.query`. */
  readonly 'datadog.query': DatadogQueryArgs;
  /** Settings of `checks.datadog.errorShare`. */
  readonly 'datadog.errorShare': DatadogErrorShareArgs;
  /** Settings of `checks.datadog.slowShare`. */
  readonly 'datadog.slowShare': DatadogSlowShareArgs;
  /** Settings of `checks.datadog.comparison`. */
  readonly 'datadog.comparison': DatadogComparisonArgs;
  /** Settings of `checks.alertmanager`. */
  readonly alertmanager: AlertmanagerArgs;
  /** Settings of `checks.prometheus.query`. */
  readonly 'prometheus.query': PrometheusQueryArgs;
  /** Settings of `checks.prometheus.errorShare`. */
  readonly 'prometheus.errorShare': PrometheusErrorShareArgs;
  /** Settings of `checks.prometheus.slowShare`. */
  readonly 'prometheus.slowShare': PrometheusSlowShareArgs;
  /** Settings of `checks.prometheus.comparison`. */
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
