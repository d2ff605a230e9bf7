import { cloudWatch } from './cloudwatch';
import { datadog } from './datadog';
import type { DatadogSettings } from './datadog';
import { prometheus } from './prometheus';
import type { PrometheusSettings } from './prometheus';
import type { MetricProvider, MetricSource } from './provider';

/** Settings of a metric by what queries it. */
export interface ProviderSettings extends PrometheusSettings, DatadogSettings {}

/** Every source of metrics; a source of the shift's checks that is missing here does not compile. */
export const metricProviders = { cloudWatch, datadog, prometheus } satisfies {
  readonly [Source in MetricSource]: Pick<
    MetricProvider<Source, ProviderSettings>,
    'addProblems' | 'measured'
  >;
};
