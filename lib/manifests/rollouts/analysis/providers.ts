import type { Entries } from '../../../core/validation/schema';
import { cloudWatchProvider } from './cloudwatch';
import { datadogProvider } from './datadog';
import type { DatadogSettings } from './datadog';
import { prometheusProvider } from './prometheus';
import type { PrometheusSettings } from './prometheus';
import type { MetricProvider, MetricSource } from './provider';

/** Settings of a metric that are for one source alone. */
export interface ProviderSettings extends PrometheusSettings, DatadogSettings {}

type Registered<Source extends MetricSource> = Omit<MetricProvider<Source, ProviderSettings>, 'settings'> & {
  readonly settings: Partial<Entries<ProviderSettings>>;
};

/** Every source of metrics; one of the shift's checks that is missing here does not compile. */
export const metricProviders: { readonly [Source in MetricSource]: Registered<Source> } = {
  cloudWatch: cloudWatchProvider,
  datadog: datadogProvider,
  prometheus: prometheusProvider,
};

/** The schemas of all their settings. */
export const providerSettings = Object.assign(
  {},
  ...Object.values(metricProviders).map(({ settings }) => settings),
) as Entries<ProviderSettings>;
