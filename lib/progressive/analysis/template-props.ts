import type { OptionsOf } from '../../problems';
import { listOf } from '../../problems';
import type { AnalysisEnd } from './analysis';
import type { AnalysisMetric } from './analysis-metric';
import { analysisMetricKeys } from './analysis-metric';

/** What a ClusterAnalysisTemplate is made of. */
export interface ClusterAnalysisTemplateProps {
  /** Name of the Kubernetes object, to which Rollouts refer. */
  readonly name: string;
  /** Labels of the object. @default - none of its own; labels of the chart are added by cdk8s */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the object. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** All of them have to pass. */
  readonly metrics: readonly AnalysisMetric[];
  /**
   * Until when the metrics are asked: each to its first measurement that passes or fails, for a step and before or after
   * a promotion; or as long as the update goes on, in the background.
   *
   * @default 'answered'
   */
  readonly until?: AnalysisEnd;
  /**
   * Further variables of the queries, beside those that a shift has (`slot`, `cluster`, …): `['service']` allows
   * `{{service}}`. A shift refuses a query with one.
   *
   * @default - none
   */
  readonly variables?: readonly string[];
  /** Values of variables, where a Rollout gives none. @default - none */
  readonly values?: Readonly<Record<string, string>>;
  /** Names of metrics that are measured and don't count. @default - all count */
  readonly dryRun?: readonly string[];
}

export const clusterAnalysisTemplatePropsKeys: OptionsOf<ClusterAnalysisTemplateProps> = {
  name: 'plain',
  labels: 'plain',
  annotations: 'plain',
  metrics: listOf(analysisMetricKeys),
  until: 'plain',
  variables: 'list',
  values: 'plain',
  dryRun: 'list',
};

/** What an AnalysisTemplate is made of. */
export interface AnalysisTemplateProps extends ClusterAnalysisTemplateProps {
  /** Namespace of the Rollouts. @default - the chart's */
  readonly namespace?: string;
}

export const analysisTemplatePropsKeys: OptionsOf<AnalysisTemplateProps> = {
  ...clusterAnalysisTemplatePropsKeys,
  namespace: 'plain',
};
