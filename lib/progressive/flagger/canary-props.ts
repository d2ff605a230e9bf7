import type { OptionsOf } from '../../problems';
import type { CanaryAnalysis } from './canary-analysis';
import { canaryAnalysisKeys } from './canary-analysis';
import type { CanaryService } from './canary-service';
import { canaryServiceKeys } from './canary-service';
import type { CanaryProvider } from './provider';

/** What is released by a Canary, in its namespace. */
export interface CanaryTarget {
  /** Kind of the object. @default 'Deployment' */
  readonly kind?: 'Deployment' | 'DaemonSet' | 'Service';
  /** Name of the object. */
  readonly name: string;
  /**
   * API version of the object.
   * @default - 'apps/v1'; of a Service 'v1', and 'serving.knative.dev/v1' with the provider `knative`
   */
  readonly apiVersion?: string;
}

const canaryTargetKeys: OptionsOf<CanaryTarget> = { kind: 'plain', name: 'plain', apiVersion: 'plain' };

/** What sets the number of the target's pods. Flagger makes another one for the released pods. */
export interface CanaryAutoscaler {
  /** Kind of the object. @default 'HorizontalPodAutoscaler' */
  readonly kind?: 'HorizontalPodAutoscaler' | 'ScaledObject';
  /** Name of the object. */
  readonly name: string;
  /** API version of the object. @default - 'autoscaling/v2', of a ScaledObject 'keda.sh/v1alpha1' */
  readonly apiVersion?: string;
  /** Queries of the released pods' ScaledObject, by the names of its triggers. @default - the target's, with the names changed */
  readonly primaryScalerQueries?: Readonly<Record<string, string>>;
  /** Pods of the released version. @default - as many as of the target */
  readonly primaryScalerReplicas?: {
    /** The fewest pods. */
    readonly minReplicas?: number;
    /** The most pods. */
    readonly maxReplicas?: number;
  };
}

const canaryAutoscalerKeys: OptionsOf<CanaryAutoscaler> = {
  kind: 'plain',
  name: 'plain',
  apiVersion: 'plain',
  primaryScalerQueries: 'plain',
  primaryScalerReplicas: { minReplicas: 'plain', maxReplicas: 'plain' },
};

/** An object of a provider that a Canary uses. */
export interface CanaryRef {
  /** API version of the object. @default - what Flagger's tutorial of the provider says */
  readonly apiVersion?: string;
  /** Name of the object. */
  readonly name: string;
}

const canaryRefKeys: OptionsOf<CanaryRef> = { apiVersion: 'plain', name: 'plain' };

/** What a Canary is made of. */
export interface CanaryProps {
  /** Name of the Canary: a DNS subdomain. */
  readonly name: string;
  /** Namespace of the Canary, and of what it releases. @default - the chart's */
  readonly namespace?: string;
  /** Labels of the Canary. @default - none of its own */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the Canary. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Who routes the traffic.
   * @default 'gatewayapi:v1' - weights without a mesh; `kubernetes` has none
   */
  readonly provider?: CanaryProvider;
  /** Prometheus of Flagger's own metrics: `http://prometheus.monitoring:9090`. @default - Flagger's setting */
  readonly metricsServer?: string;
  /** What is released. */
  readonly targetRef: CanaryTarget;
  /**
   * What sets the number of its pods. Without it, leave `replicas` in the target's manifest to Flagger.
   * @default - nothing
   */
  readonly autoscalerRef?: CanaryAutoscaler;
  /** The Ingress with the traffic. Providers `nginx` and `skipper`, which need it. */
  readonly ingressRef?: CanaryRef;
  /** The ApisixRoute with the traffic. Provider `apisix`, which needs it. */
  readonly routeRef?: CanaryRef;
  /** The Upstream whose settings are taken over. Provider `gloo`. @default - none */
  readonly upstreamRef?: CanaryRef & {
    /** Its namespace. */
    readonly namespace?: string;
  };
  /** The Services that Flagger makes, and the route to them. */
  readonly service: CanaryService;
  /** How a new version is judged. */
  readonly analysis: CanaryAnalysis;
  /** How long pods may take to become ready, in seconds. @default 600 - Flagger's */
  readonly progressDeadlineSeconds?: number;
  /** Whether every new version is released unjudged. @default false */
  readonly skipAnalysis?: boolean;
  /**
   * Whether the target gets its pods back when the Canary is deleted. Flagger has to run then, and the target has to be there.
   * @default true - without it the released pods go with the Canary, and the target has none
   */
  readonly revertOnDeletion?: boolean;
  /** Whether Flagger leaves the Canary alone, also in the middle of a release. @default false */
  readonly suspend?: boolean;
}

export const canaryPropsKeys: OptionsOf<CanaryProps> = {
  name: 'plain',
  namespace: 'plain',
  labels: 'plain',
  annotations: 'plain',
  provider: 'plain',
  metricsServer: 'plain',
  targetRef: canaryTargetKeys,
  autoscalerRef: canaryAutoscalerKeys,
  ingressRef: canaryRefKeys,
  routeRef: canaryRefKeys,
  upstreamRef: { apiVersion: 'plain', name: 'plain', namespace: 'plain' },
  service: canaryServiceKeys,
  analysis: canaryAnalysisKeys,
  progressDeadlineSeconds: 'plain',
  skipAnalysis: 'plain',
  revertOnDeletion: 'plain',
  suspend: 'plain',
};
