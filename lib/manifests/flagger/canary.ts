import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { across, object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import { fits, flag, oneOf, whole } from '../../core/validation/values';
import { namedObject, refuseProps, constructSubject } from '../field-schemas';
import { manifestOf, manifestsInTree, metadataOf } from '../objects';
import { checkCanaryAnalysis, analysisCourse, defaultInterval } from './analysis-problems';
import { canaryAnalysis } from './canary-analysis';
import type { CanaryAnalysis } from './canary-analysis';
import { canaryService, canaryServiceName } from './canary-service';
import type { CanaryService } from './canary-service';
import { serviceUrl, someText, texts } from './formats';
import { canaryProvider } from './provider';
import type { CanaryProvider } from './provider';
import { flaggerKinds, canaryObjectProblems } from './related-objects';
import { checkCanaryService } from './service-problems';

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

/** An object of a provider that a Canary uses. */
export interface CanaryRef {
  /** API version of the object. @default - what Flagger's tutorial of the provider says */
  readonly apiVersion?: string;
  /** Name of the object. */
  readonly name: string;
}

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
  /** Whether every new version is released without analysis. @default false */
  readonly skipAnalysis?: boolean;
  /**
   * Whether the target gets its pods back when the Canary is deleted. Flagger has to run then, and the target has to be there.
   * @default true - without it the released pods go with the Canary, and the target has none
   */
  readonly revertOnDeletion?: boolean;
  /** Whether Flagger leaves the Canary alone, also in the middle of a release. @default false */
  readonly suspend?: boolean;
}

const reference = object<CanaryRef>({ apiVersion: optional(someText), name: fits(dnsSubdomain) });

const count = whole(1, 2_147_483_647);

const autoscaler = across(
  object<CanaryAutoscaler>({
    kind: optional(oneOf('HorizontalPodAutoscaler', 'ScaledObject')),
    name: fits(dnsSubdomain),
    apiVersion: optional(someText),
    primaryScalerQueries: optional(texts),
    primaryScalerReplicas: optional(
      across(
        object({ minReplicas: optional(count), maxReplicas: optional(count) }),
        ({ minReplicas = 1, maxReplicas }, { mustBe }) => {
          if (Number(minReplicas) > Number(maxReplicas)) {
            mustBe(['minReplicas'], `at most "maxReplicas", ${String(maxReplicas)}`);
          }
        },
      ),
    ),
  }),
  ({ kind = 'HorizontalPodAutoscaler', primaryScalerQueries }, { mustBe }) => {
    if (primaryScalerQueries !== undefined && kind !== 'ScaledObject') {
      mustBe(['primaryScalerQueries'], `left out: a ${String(kind)} has no queries`);
    }
  },
);

const canaryProps = object<CanaryProps>({
  ...namedObject(),
  provider: optional(canaryProvider),
  metricsServer: optional(serviceUrl),
  targetRef: object<CanaryTarget>({
    kind: optional(oneOf('Deployment', 'DaemonSet', 'Service')),
    name: fits(dnsSubdomain),
    apiVersion: optional(someText),
  }),
  autoscalerRef: optional(autoscaler),
  ingressRef: optional(reference),
  routeRef: optional(reference),
  upstreamRef: optional(
    object<CanaryRef & { readonly namespace?: string }>({
      apiVersion: optional(someText),
      name: fits(dnsSubdomain),
      namespace: optional(fits(dnsLabel)),
    }),
  ),
  service: canaryService,
  analysis: canaryAnalysis,
  progressDeadlineSeconds: optional(count),
  skipAnalysis: optional(flag),
  revertOnDeletion: optional(flag),
  suspend: optional(flag),
});

/** Who routes where nothing is said. */
const defaultProvider: CanaryProvider = 'gatewayapi:v1';

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

/** What of a Canary does not go together, and what its provider would leave out. */
function canaryProblems(sound: Partial<CanaryProps>, given: CanaryProps): readonly Problem[] {
  const problems = new Problems('Canary');
  const known = sound.provider === given.provider;
  // What has an effect with an unknown provider can't be said.
  const { provider = defaultProvider, service, analysis } = sound;
  checkTarget(problems, sound, provider);
  if (known) {
    checkRefs(problems, sound, provider);
    if (service) {
      checkCanaryService(problems, 'service', service, provider);
    }
    if (analysis) {
      const skipped = sound.skipAnalysis === true;
      checkCanaryAnalysis(problems, 'analysis', {
        given: given.analysis,
        sound: analysis,
        provider,
        skipped,
      });
    }
  }
  return problems.all;
}

function checkTarget(
  problems: Problems,
  { targetRef, autoscalerRef, service }: Partial<CanaryProps>,
  provider: CanaryProvider,
): void {
  const { kind = 'Deployment', name }: Partial<CanaryTarget> = targetRef ?? {};
  // The Services are named after it, unless they have a name of their own.
  if (name !== undefined && service?.name === undefined && problemsOf(canaryServiceName, name).length > 0) {
    problems.add('targetRef.name', name, canaryServiceName.allowed);
  }
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
  if (autoscalerRef !== undefined && kind !== 'Deployment') {
    problems.add('autoscalerRef', autoscalerRef, `left out: nothing scales a ${kind}`);
  }
}

function checkRefs(problems: Problems, props: Partial<CanaryProps>, provider: CanaryProvider): void {
  for (const { field, providers, needed } of refs) {
    const ref: CanaryRef | undefined = props[field];
    const belongs = providers.includes(provider);
    if (ref !== undefined && !belongs) {
      problems.add(field, ref, `left out: it has no effect with the provider "${provider}"`);
    } else if (ref === undefined && belongs && needed) {
      problems.add(field, ref, `given: the provider "${provider}" needs it`);
    }
  }
}

/** Failed checks at which a new version is taken back, where nothing is said. */
const defaultThreshold = 3;

/** The spec of a Canary, with what it does not say. Everything in it was checked. */
function canarySpec(props: CanaryProps): Record<string, unknown> {
  const { provider = defaultProvider, autoscalerRef, ingressRef, routeRef, upstreamRef } = props;
  return {
    // Flagger's own setting would hold otherwise, and that is Istio.
    provider,
    metricsServer: props.metricsServer,
    targetRef: target(props.targetRef, provider),
    autoscalerRef: autoscalerRef && autoscalerManifest(autoscalerRef),
    ingressRef: ingressRef && referenceManifest(ingressRef, 'Ingress', 'networking.k8s.io/v1'),
    routeRef: routeRef && referenceManifest(routeRef, 'ApisixRoute', 'apisix.apache.org/v2'),
    upstreamRef: upstreamRef && referenceManifest(upstreamRef, 'Upstream', 'gloo.solo.io/v1'),
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

function autoscalerManifest({ kind = 'HorizontalPodAutoscaler', ...rest }: CanaryAutoscaler): object {
  return { apiVersion: kind === 'ScaledObject' ? 'keda.sh/v1alpha1' : 'autoscaling/v2', kind, ...rest };
}

function referenceManifest(ref: CanaryRef, kind: string, apiVersion: string): object {
  return { apiVersion, kind, ...ref };
}

function analysisManifest(analysis: CanaryAnalysis, provider: CanaryProvider): object {
  const { interval = defaultInterval, threshold = defaultThreshold, metrics, webhooks } = analysis;
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
    refuseProps(constructSubject('Canary', id, props), canaryProps, props, (sound) =>
      canaryProblems(sound, props),
    );
    super(scope, id);
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
