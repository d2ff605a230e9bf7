/** What checks on metrics take where their settings don't say; times in milliseconds. Each setting has its reason. */
export const metricDefaults = {
  /** How far back a check looks. */
  overMs: 300_000,
  /** How long weights stand before a query of a user is asked first. */
  settleMs: 60_000,
  /** From one point of a range of Prometheus to the next. */
  stepMs: 15_000,
  /** How far back is looked, before the first step, for figures that a query has ever given. */
  seenMs: 1_800_000,
} as const;

/** How a source counts requests where the settings of a check don't say; times in milliseconds. */
export interface CountingTimes {
  /** Length of a period of a bound for a share. */
  readonly sharePeriodMs: number;
  /** Length of a period of a comparison, whose method was measured with bursts of a minute. */
  readonly comparisonPeriodMs: number;
  /** From the end of a period until its figures are taken. */
  readonly delayMs: number;
}

/**
 * Elastic Load Balancing reports by the minute. The newest minute of an ALB is incomplete for up to two minutes.
 *
 * @see https://github.com/Netflix/atlas/pull/1300
 * @see https://github.com/grafana/alloy/pull/6518
 */
export const cloudWatchTimes: CountingTimes = {
  sharePeriodMs: 60_000,
  comparisonPeriodMs: 60_000,
  delayMs: 120_000,
};

/**
 * 20 seconds are what Datadog's API takes for the last hour by itself. Its Agent sends what it has counted every 10
 * seconds; as long again for the way there, and once more to spare.
 *
 * @see https://docs.datadoghq.com/dashboards/functions/rollup/
 * @see https://docs.datadoghq.com/extend/dogstatsd/data_aggregation
 */
export const datadogTimes: CountingTimes = {
  sharePeriodMs: 20_000,
  comparisonPeriodMs: 60_000,
  delayMs: 30_000,
};

/**
 * A minute holds two scrapes of the usual 30 seconds, which `increase` needs. A scrape is there when it has ended, 10
 * seconds after its time at most (`scrape_timeout`); 5 seconds are to spare, for a remote write.
 *
 * @see https://prometheus.io/docs/prometheus/latest/configuration/configuration/
 */
export const prometheusTimes: CountingTimes = {
  sharePeriodMs: 60_000,
  comparisonPeriodMs: 60_000,
  delayMs: 15_000,
};

/** How the source of a kind of check counts: `cloudWatch.errorShare`, `prometheus.comparison`. */
export function countingTimesOf(kind: string): CountingTimes & {
  /** Length of a period of this kind. */
  readonly periodMs: number;
} {
  const [source, what] = kind.split('.');
  const times =
    source === 'datadog' ? datadogTimes : source === 'prometheus' ? prometheusTimes : cloudWatchTimes;
  return { ...times, periodMs: what === 'comparison' ? times.comparisonPeriodMs : times.sharePeriodMs };
}
