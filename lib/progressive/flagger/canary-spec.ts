import { usualInterval } from './analysis-problems';
import type { CanaryAnalysis } from './canary-analysis';
import { usualProvider } from './canary-problems';
import type { CanaryAutoscaler, CanaryProps, CanaryRef, CanaryTarget } from './canary-props';
import { courseOf } from './course';
import type { CanaryProvider } from './provider';

/** Failed checks at which a new version is taken back, where nothing is said. */
const usualThreshold = 3;

/** The spec of a Canary, with what it does not say. Everything in it was checked. */
export function canarySpec(props: CanaryProps): Record<string, unknown> {
  const { provider = usualProvider, autoscalerRef, ingressRef, routeRef, upstreamRef } = props;
  return {
    // Flagger's own setting would hold otherwise, and that is Istio.
    provider,
    metricsServer: props.metricsServer,
    targetRef: target(props.targetRef, provider),
    autoscalerRef: autoscalerRef && autoscaler(autoscalerRef),
    ingressRef: ingressRef && reference(ingressRef, 'Ingress', 'networking.k8s.io/v1'),
    routeRef: routeRef && reference(routeRef, 'ApisixRoute', 'apisix.apache.org/v2'),
    upstreamRef: upstreamRef && reference(upstreamRef, 'Upstream', 'gloo.solo.io/v1'),
    service: props.service,
    analysis: analysisManifest(props.analysis, provider),
    progressDeadlineSeconds: props.progressDeadlineSeconds,
    skipAnalysis: props.skipAnalysis,
    revertOnDeletion: props.revertOnDeletion ?? true,
    suspend: props.suspend,
  };
}

function target({ kind = 'Deployment', name, apiVersion }: CanaryTarget, provider: CanaryProvider): object {
  const service = provider === 'knative' ? 'serving.knative.dev/v1' : 'v1';
  return { apiVersion: apiVersion ?? (kind === 'Service' ? service : 'apps/v1'), kind, name };
}

function autoscaler({ kind = 'HorizontalPodAutoscaler', ...rest }: CanaryAutoscaler): object {
  return { apiVersion: kind === 'ScaledObject' ? 'keda.sh/v1alpha1' : 'autoscaling/v2', kind, ...rest };
}

function reference(ref: CanaryRef, kind: string, apiVersion: string): object {
  return { apiVersion, kind, ...ref };
}

function analysisManifest(analysis: CanaryAnalysis, provider: CanaryProvider): object {
  const { interval = usualInterval, threshold = usualThreshold, metrics, webhooks } = analysis;
  const { way: _, ...course } = courseOf(analysis, provider);
  return {
    ...analysis,
    interval,
    threshold,
    ...course,
    // Flagger gives its default to its own metrics only, and another source can't be asked without an interval.
    metrics: metrics?.map((metric) => ({ ...metric, interval: metric.interval ?? '1m' })),
    webhooks: webhooks?.map((webhook) => ({ ...webhook, type: webhook.type ?? 'rollout' })),
  };
}
