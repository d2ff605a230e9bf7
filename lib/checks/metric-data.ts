/**
 * One query to CloudWatch: a metric with a statistic, or an expression over other queries. The words are those of
 * `MetricDataQuery`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html
 */
export interface MetricDataQuery {
  /** Name of the query in this call: a small letter, then letters, digits and "_". */
  readonly Id: string;
  /** A metric, and what is made of it; or there is an expression. */
  readonly MetricStat?: {
    /** Which metric. */
    readonly Metric: {
      /** Its namespace: `AWS/ApplicationELB`. */
      readonly Namespace: string;
      /** Its name: `RequestCount`. */
      readonly MetricName: string;
      /** Its dimensions, all of them. */
      readonly Dimensions?: readonly {
        /** Name of the dimension. */
        readonly Name: string;
        /** The dimension's value. */
        readonly Value: string;
      }[];
    };
    /** Seconds. */
    readonly Period: number;
    /** `Sum`, `p99`, `TC(0.5:10)` */
    readonly Stat: string;
    /** Unit of the metric; points in other units are left out. @default - any */
    readonly Unit?: string;
  };
  /** Metric math over other queries of the call, by their ids. */
  readonly Expression?: string;
  /** What a person calls it. */
  readonly Label?: string;
  /** Seconds; of an expression. */
  readonly Period?: number;
  /** Whether it is answered, or only used by an expression. @default true */
  readonly ReturnData?: boolean;
  /** Account whose metrics are asked for. @default - the caller's */
  readonly AccountId?: string;
}

/** Points of one query: each a start of a period, in milliseconds since 1970, and a value; in order of time. */
export interface MetricSeries {
  /** `Id` of the query. */
  readonly id: string;
  /** The points, the oldest first. */
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
