import { alertmanager } from './alertmanager';
import { argoApplications } from './argo-applications';
import { capacity } from './capacity';
import type { CheckKind } from './check-kind';
import type { CheckArguments } from './check-settings';
import { cloudWatchAlarms } from './cloudwatch-alarms';
import { comparison, errorShare, slowShare } from './cloudwatch-kinds';
import { metric } from './cloudwatch-metric';
import { datadogComparison, datadogErrorShare, datadogQuery, datadogSlowShare } from './datadog-kinds';
import { datadogMonitor } from './datadog-monitor';
import { kubernetesPods } from './kubernetes-pods';
import { program } from './program';
import {
  prometheusComparison,
  prometheusErrorShare,
  prometheusQuery,
  prometheusSlowShare,
} from './prometheus-kinds';
import { targetHealth } from './target-health';

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
