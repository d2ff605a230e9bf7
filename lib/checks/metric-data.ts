/**
 * One query to CloudWatch: a metric with a statistic, or an expression over other queries. The words are those of
 * `MetricDataQuery`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html
 */
export interface MetricDataQuery {
  readonly Id: string;
  readonly MetricStat?: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
    };
    /** Seconds. */
    readonly Period: number;
    /** `Sum`, `p99`, `TC(0.5:10)` */
    readonly Stat: string;
    readonly Unit?: string;
  };
  readonly Expression?: string;
  readonly Label?: string;
  /** Seconds; of an expression. */
  readonly Period?: number;
  readonly ReturnData?: boolean;
  readonly AccountId?: string;
}

/** Points of one query: each a start of a period, in milliseconds since 1970, and a value; in order of time. */
export interface MetricSeries {
  readonly id: string;
  readonly points: readonly (readonly [at: number, value: number])[];
}

/** CloudWatch, as far as checks ask it. */
export interface MetricData {
  /**
   * Every point of the queries from `from` (included) to `to` (excluded), of every page.
   *
   * @throws SourceError
   */
  query(
    queries: readonly MetricDataQuery[],
    from: number,
    to: number,
    signal?: AbortSignal,
  ): Promise<readonly MetricSeries[]>;
}
