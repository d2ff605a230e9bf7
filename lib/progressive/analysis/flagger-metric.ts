import type { OptionsOf } from '../../problems';

/** A metric of a Flagger Canary, as it stands in `spec.analysis.metrics`. */
export interface FlaggerMetric {
  /** Name in Flagger's events and metrics. */
  readonly name: string;
  /** How far back Flagger looks: `1m`. Sources other than Prometheus are asked for ten times that. */
  readonly interval?: string;
  /** It halts the canary outside of these bounds, which are allowed themselves. */
  readonly thresholdRange: {
    /** The least value that is allowed. @default - no lower bound */
    readonly min?: number;
    /** The largest value that is allowed. @default - no upper bound */
    readonly max?: number;
  };
  /** The MetricTemplate with the query. @default - one of Flagger's own metrics: `request-success-rate`, `request-duration` */
  readonly templateRef?: {
    /** Name of the MetricTemplate. */
    readonly name: string;
    /** Its namespace. @default - the Canary's */
    readonly namespace?: string;
  };
  /** Values of `{{ variables.NAME }}` in the query. */
  readonly templateVariables?: Readonly<Record<string, string>>;
}

export const flaggerMetricKeys: OptionsOf<FlaggerMetric> = {
  name: 'plain',
  interval: 'plain',
  thresholdRange: { min: 'plain', max: 'plain' },
  templateRef: { name: 'plain', namespace: 'plain' },
  templateVariables: 'plain',
};
