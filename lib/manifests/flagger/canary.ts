import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { dnsSubdomain, oneOf, trueOrFalse, wholeNumber } from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import { checkMetadata, manifestOf, manifestsInTree, metadataOf } from '../objects';
import { checkCanaryAnalysis, analysisCourse, usualInterval } from './analysis-problems';
import { canaryAnalysisKeys } from './canary-analysis';
import type { CanaryAnalysis } from './canary-analysis';
import { canaryServiceKeys } from './canary-service';
import type { CanaryService } from './canary-service';
import { checkMapping, checkUrl, someText, texts } from './formats';
import { providerRule } from './provider';
import type { CanaryProvider } from './provider';
import { flaggerKinds, canaryObjectProblems } from './related-objects';
import { checkCanaryService, serviceName } from './service-problems';

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
  /** How a new version is evaluated. */
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

const canaryPropsKeys: OptionsOf<CanaryProps> = {
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

/** Who routes where nothing is said. */
const usualProvider: CanaryProvider = 'gatewayapi:v1';

/** Objects that a Canary of a provider uses: `needed`, or possible. */
const refs: readonly {
  readonly field: 'ingressRef' | 'routeRef' | 'upstreamRef';
  readonly providers: readonly CanaryProvider[];
  readonly needed: boolean;
}[] = [
  { field: 'ingressRef', providers: ['nginx', 'skipper'], needed: true },
  { field: 'routeRef', providers: ['apisix'], needed: true },
  { field: 'upstreamRef', providers: ['gloo'], needed: false },
];

/** Adds everything that is wrong with a Canary. */
function checkCanary(problems: Problems, props: CanaryProps): void {
  checkMetadata(problems, props);
  const { provider = usualProvider, metricsServer } = props;
  if (metricsServer !== undefined) {
    checkUrl(problems, 'metricsServer', metricsServer);
  }
  problems.checkGiven('', props, {
    progressDeadlineSeconds: wholeNumber(1, 2_147_483_647),
    skipAnalysis: trueOrFalse,
    revertOnDeletion: trueOrFalse,
    suspend: trueOrFalse,
  });
  const known = problems.check('provider', provider, providerRule(provider));
  // What has an effect with an unknown provider can't be said.
  const evaluatedAs = known ? provider : usualProvider;
  if (checkMapping(problems, 'targetRef', props.targetRef)) {
    checkTarget(problems, props, evaluatedAs);
  }
  if (known) {
    checkRefs(problems, props, provider);
    checkCanaryService(problems, 'service', props.service, provider);
    checkCanaryAnalysis(problems, 'analysis', props.analysis, provider, props.skipAnalysis === true);
  }
}

function checkTarget(problems: Problems, props: CanaryProps, provider: CanaryProvider): void {
  const { targetRef, autoscalerRef, service } = props;
  const target: CanaryTarget = targetRef;
  const { kind = 'Deployment' } = target;
  // The Services are named after it, unless they have a name of their own.
  const named = (service as typeof service | undefined)?.name === undefined;
  problems.check('targetRef.name', target.name, named ? serviceName : dnsSubdomain);
  problems.checkGiven('targetRef', target, {
    kind: oneOf('Deployment', 'DaemonSet', 'Service'),
    apiVersion: someText,
  });
  if (provider === 'knative' && kind !== 'Service') {
    problems.add('targetRef.kind', kind, '"Service" with the provider "knative"');
  }
  if (provider === 'kubernetes' && kind === 'Service') {
    problems.add(
      'targetRef.kind',
      kind,
      '"Deployment" or "DaemonSet" with the provider "kubernetes": it exchanges pods, and a Service has none of its own',
    );
  }
  if (autoscalerRef !== undefined && checkMapping(problems, 'autoscalerRef', autoscalerRef)) {
    checkAutoscaler(problems, autoscalerRef);
    if (kind !== 'Deployment') {
      problems.add('autoscalerRef', autoscalerRef, `left out: nothing scales a ${kind}`);
    }
  }
}

function checkAutoscaler(problems: Problems, autoscaler: CanaryAutoscaler): void {
  const path = 'autoscalerRef';
  const {
    kind = 'HorizontalPodAutoscaler',
    primaryScalerQueries,
    primaryScalerReplicas: replicas,
  } = autoscaler;
  problems.check(`${path}.name`, autoscaler.name, dnsSubdomain);
  problems.checkGiven(path, autoscaler, {
    kind: oneOf('HorizontalPodAutoscaler', 'ScaledObject'),
    apiVersion: someText,
    primaryScalerQueries: texts,
  });
  if (primaryScalerQueries !== undefined && kind !== 'ScaledObject') {
    problems.add(`${path}.primaryScalerQueries`, primaryScalerQueries, `left out: a ${kind} has no queries`);
  }
  if (replicas !== undefined && checkMapping(problems, `${path}.primaryScalerReplicas`, replicas)) {
    const at = `${path}.primaryScalerReplicas`;
    const count = wholeNumber(1, 2_147_483_647);
    problems.checkGiven(at, replicas, { minReplicas: count, maxReplicas: count });
    const { minReplicas = 1, maxReplicas = Infinity } = replicas;
    if (minReplicas > maxReplicas) {
      problems.add(`${at}.minReplicas`, minReplicas, `at most "maxReplicas", ${maxReplicas}`);
    }
  }
}

function checkRefs(problems: Problems, props: CanaryProps, provider: CanaryProvider): void {
  for (const { field, providers, needed } of refs) {
    const ref: CanaryRef | undefined = props[field];
    const belongs = providers.includes(provider);
    if (ref !== undefined && !belongs) {
      problems.add(field, ref, `left out: it has no effect with the provider "${provider}"`);
    } else if (ref === undefined && belongs && needed) {
      problems.add(field, ref, `given: the provider "${provider}" needs it`);
    } else if (ref !== undefined && checkMapping(problems, field, ref)) {
      problems.check(`${field}.name`, ref.name, dnsSubdomain);
      problems.checkGiven(field, ref, { apiVersion: someText });
    }
  }
}

/** Failed checks at which a new version is taken back, where nothing is said. */
const usualThreshold = 3;

/** The spec of a Canary, with what it does not say. Everything in it was checked. */
function canarySpec(props: CanaryProps): Record<string, unknown> {
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
  const { way: _, ...course } = analysisCourse(analysis, provider);
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

/**
 * A Canary of Flagger: a new version of an application gets its traffic step by step, is evaluated on the way, and is released or
 * taken back.
 *
 * What Flagger would leave out, take for something else or never finish is refused, with the reason. Before it is written, it is
 * compared with the objects of the same tree that it names, or that Flagger makes; what is not in the tree is not evaluated.
 *
 * @see https://docs.flagger.app/usage/how-it-works
 *
 * @example
 * new flagger.Canary(chart, 'frontend', {
 *   name: 'frontend',
 *   namespace: 'podinfo',
 *   targetRef: { name: 'frontend' },
 *   service: { port: 9898, gatewayRefs: [{ name: 'public', namespace: 'gateways' }], hosts: ['www.example.com'] },
 *   analysis: { metrics: [{ name: 'request-success-rate', thresholdRange: { min: 99 } }] },
 * });
 */
export class Canary extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: CanaryProps) {
    refuseOptions(`Canary "${id}"`, props, canaryPropsKeys);
    super(scope, id);
    const problems = new Problems(`Canary "${props.name}"`);
    checkCanary(problems, props);
    problems.throwIfAny();
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'flagger.app/v1beta1',
      kind: 'Canary',
      metadata: metadataOf(props),
      spec: canarySpec(props),
    });
    this.node.addValidation({ validate: () => this.problemsInTree() });
  }

  private problemsInTree(): string[] {
    return canaryObjectProblems(manifestOf(this.apiObject), manifestsInTree(this, flaggerKinds));
  }
}
