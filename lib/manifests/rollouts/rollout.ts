import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { parseDuration } from '../../core/durations';
import { opaque } from '../../core/validation/arguments';
import { across, object, oneKeyOf, optional } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';
import type { Unevaluated } from '../../core/validation/schema';
import { fits, flag, oneOf, whole } from '../../core/validation/values';
import { completedLabels, namedObject, podMetadata, refuseProps, constructSubject } from '../field-schemas';
import { manifestOf, manifestsInTree, metadataOf } from '../objects';
import type { PodMetadata } from '../objects';
import { blueGreenManifest, blueGreenStrategy } from './blue-green-strategy';
import type { BlueGreenStrategy } from './blue-green-strategy';
import { canaryManifest, canaryStrategy } from './canary-strategy';
import type { CanaryStrategy } from './canary-strategy';
import { comparedKinds, rolloutObjectProblems } from './related-objects';
import { seconds, wholeSeconds } from './steps';

/** The pods of a Rollout, as a Deployment has them. */
export interface PodTemplate {
  /** Labels and annotations of the pods; a selector needs labels. */
  readonly metadata: PodMetadata;
  /** A PodSpec of Kubernetes. */
  readonly spec: object;
}

/** Another object whose pod template counts. */
export interface WorkloadRef {
  /** Name of the object, in the Rollout's namespace. */
  readonly name: string;
  /** Kind of the object. @default 'Deployment' */
  readonly kind?: 'Deployment' | 'ReplicaSet' | 'PodTemplate';
  /**
   * When a Deployment's own pods go: `progressively` as the Rollout's come, `onsuccess` when the Rollout is healthy.
   *
   * @default 'progressively' - as many pods as before, all along
   */
  readonly scaleDown?: 'never' | 'onsuccess' | 'progressively';
}

/** What a Rollout is made of. Times are text as Go reads it: `30s`, `10m`. */
export interface RolloutProps {
  /** Name of the Kubernetes object: a DNS label, since Argo Rollouts makes labels of it. */
  readonly name: string;
  /** Namespace of the Rollout. @default - the chart's */
  readonly namespace?: string;
  /**
   * Labels of the Rollout; those of its pods are in `template`.
   * @default - none of its own; labels of the chart are added by cdk8s
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the Rollout. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Number of pods. @default - not set, so that an autoscaler's number stays; without one Argo creates a single pod */
  readonly replicas?: number;
  /** The pods; or `workloadRef`. */
  readonly template?: PodTemplate;
  /** Labels that its pods are found by, which can't be changed later. @default - all labels of the template */
  readonly selector?: Readonly<Record<string, string>>;
  /** An object whose pods it takes over. @default - none: there is a template */
  readonly workloadRef?: WorkloadRef;
  /** How a new version comes. */
  readonly strategy:
    | {
        /** In steps, each under checks. */
        readonly canary: CanaryStrategy;
      }
    | {
        /** All at once, with the old version kept for a while. */
        readonly blueGreen: BlueGreenStrategy;
      };
  /** How long a new pod has to be ready before it counts. @default - no time */
  readonly minReady?: string;
  /** Old ReplicaSets that are kept. @default 3 - the versions are in Git; Argo's own is 10 */
  readonly revisionHistoryLimit?: number;
  /** Going back to one of so many versions skips the steps. @default - none are skipped */
  readonly rollbackWindow?: number;
  /** How long an update may make no progress before it counts as stuck; pauses and analyses are not counted. @default '10m' */
  readonly progressDeadline?: string;
  /**
   * Whether an update that is stuck is taken back.
   *
   * @default false - Argo Rollouts reports that of healthy Rollouts, too
   * (https://github.com/argoproj/argo-rollouts/issues/3316), and a RolloutRestarter helps none that was taken back. New
   * pods that are not ready get no traffic in either case
   */
  readonly progressDeadlineAbort?: boolean;
}

/** Old ReplicaSets that are kept by default. */
const defaultRevisionHistoryLimit = 3;

const defaultProgressDeadline = '10m';

const workloadRef = across(
  object<WorkloadRef>({
    name: fits(dnsSubdomain),
    kind: optional(oneOf('Deployment', 'ReplicaSet', 'PodTemplate')),
    scaleDown: optional(oneOf('never', 'onsuccess', 'progressively')),
  }),
  ({ kind = 'Deployment', scaleDown }, { mustBe }) => {
    if (scaleDown !== undefined && kind !== 'Deployment') {
      mustBe(['scaleDown'], 'left out: only a Deployment has pods that it scales');
    }
  },
);

const template = object<PodTemplate>({
  metadata: across(podMetadata, ({ labels: given = {} }, { mustBe }) => {
    if (isPlainObject(given) && Object.keys(given).length === 0) {
      mustBe(['labels'], 'at least one label');
    }
  }),
  spec: opaque('a PodSpec'),
});

/** A Rollout, by the rules of its controller and those of its objects. */
const rolloutProps = across(
  object<RolloutProps>({
    ...namedObject(dnsLabel),
    replicas: optional(whole(0, 10_000)),
    template: optional(template),
    selector: optional(completedLabels()),
    workloadRef: optional(workloadRef),
    strategy: oneKeyOf<{ readonly canary: CanaryStrategy; readonly blueGreen: BlueGreenStrategy }>({
      canary: canaryStrategy,
      blueGreen: blueGreenStrategy,
    }),
    minReady: optional(wholeSeconds()),
    revisionHistoryLimit: optional(whole(0, 10_000)),
    rollbackWindow: optional(whole(1, 10_000)),
    progressDeadline: optional(wholeSeconds(1)),
    progressDeadlineAbort: optional(flag),
  }),
  (props, objections) => {
    const { minReady = '0s', progressDeadline = defaultProgressDeadline } = props;
    checkPods(props, objections);
    const [ready, deadline] = [minReady, progressDeadline].map((each) => parseDuration(String(each)));
    if (ready !== undefined && deadline !== undefined && deadline > 0 && deadline <= ready) {
      objections.mustBe(['progressDeadline'], `more than "minReady", which is ${String(minReady)}`);
    }
    checkStrategy(props, objections);
  },
);

function checkPods(props: Unevaluated<RolloutProps>, { mustBe }: Objections): void {
  const { template: pods, workloadRef: workload, selector } = props;
  if ((pods === undefined) === (workload === undefined)) {
    const shown = pods === undefined ? undefined : 'a template';
    mustBe(['template'], 'there, or "workloadRef", and not both of them', shown);
  }
  if (isPlainObject(workload) && workload.kind === 'PodTemplate' && selector === undefined) {
    mustBe(['selector'], 'given: a PodTemplate has none');
  }
  if (!isPlainObject(selector)) {
    return;
  }
  const given = objectIn(objectIn(pods, 'metadata'), 'labels') ?? {};
  for (const [key, value] of Object.entries(selector)) {
    if (pods !== undefined && given[key] !== value) {
      const label = typeof given[key] === 'string' ? given[key] : 'missing';
      mustBe(['selector', key], `a label of the template, where it is ${label}`);
    }
  }
  if (Object.keys(selector).length === 0) {
    mustBe(['selector'], 'at least one label');
  }
}

/** What a strategy needs of the rest. */
function checkStrategy(props: Unevaluated<RolloutProps>, { mustBe }: Objections): void {
  const { strategy, namespace, revisionHistoryLimit = defaultRevisionHistoryLimit } = props;
  const { scaleDownDelayRevisionLimit: kept } = objectIn(strategy, 'blueGreen') ?? {};
  if (Number(kept) > Number(revisionHistoryLimit)) {
    mustBe(
      ['strategy', 'blueGreen', 'scaleDownDelayRevisionLimit'],
      `at most "revisionHistoryLimit", which is ${Number(revisionHistoryLimit)}`,
    );
  }
  const routes = objectIn(objectIn(objectIn(strategy, 'canary'), 'trafficRouting'), 'gatewayApi');
  if (routes && routes.namespace === undefined && namespace === undefined) {
    mustBe(
      ['strategy', 'canary', 'trafficRouting', 'gatewayApi', 'namespace'],
      "the namespace of the routes, where the Rollout's is not given",
    );
  }
}

function objectIn(value: unknown, key: string): PlainObject | undefined {
  const found = isPlainObject(value) ? value[key] : undefined;
  return isPlainObject(found) ? found : undefined;
}

/**
 * A Rollout of Argo Rollouts: a Deployment whose new versions come step by step, or all at once when they have been
 * looked at.
 *
 * Before it is written, it is compared with the Services, Ingresses, HTTPRoutes and AnalysisTemplates of the same tree
 * that it names; what is not in the tree is not evaluated.
 *
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/
 *
 * @example
 * new rollouts.Rollout(chart, 'backend', {
 *   name: 'backend',
 *   namespace: 'podinfo',
 *   replicas: 4,
 *   template: { metadata: { labels: { app: 'backend' } }, spec },
 *   strategy: {
 *     canary: {
 *       stableService: 'backend',
 *       canaryService: 'backend-canary',
 *       trafficRouting: { gatewayApi: { httpRoutes: ['backend'] } },
 *       steps: rollouts.canarySteps({ step: 25, every: '2m', analysis: errors.analysis() }),
 *     },
 *   },
 * });
 */
export class Rollout extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: RolloutProps) {
    refuseProps(constructSubject('Rollout', id, props), rolloutProps, props);
    super(scope, id);
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: metadataOf(props),
      spec: rolloutSpec(props),
    });
    this.node.addValidation({ validate: () => this.problemsInTree() });
  }

  private problemsInTree(): string[] {
    return rolloutObjectProblems(manifestOf(this.apiObject), manifestsInTree(this, comparedKinds));
  }
}

function rolloutSpec(props: RolloutProps): object {
  const { replicas, template, workloadRef, strategy, namespace, rollbackWindow } = props;
  const { revisionHistoryLimit = defaultRevisionHistoryLimit, progressDeadlineAbort = false } = props;
  const selector = props.selector ?? template?.metadata.labels;
  const minReadySeconds = seconds(props.minReady);
  return {
    ...(replicas !== undefined && { replicas }),
    ...(selector && { selector: { matchLabels: { ...selector } } }),
    ...(template && { template }),
    ...(workloadRef && { workloadRef: workloadManifest(workloadRef) }),
    strategy:
      'canary' in strategy
        ? { canary: canaryManifest(strategy.canary, namespace) }
        : { blueGreen: blueGreenManifest(strategy.blueGreen) },
    ...(minReadySeconds !== undefined && { minReadySeconds }),
    revisionHistoryLimit,
    ...(rollbackWindow !== undefined && { rollbackWindow: { revisions: rollbackWindow } }),
    progressDeadlineSeconds: seconds(props.progressDeadline ?? defaultProgressDeadline),
    progressDeadlineAbort,
  };
}

function workloadManifest({
  name,
  kind = 'Deployment',
  scaleDown,
}: NonNullable<RolloutProps['workloadRef']>): object {
  return {
    apiVersion: kind === 'PodTemplate' ? 'v1' : 'apps/v1',
    kind,
    name,
    ...(kind === 'Deployment' && { scaleDown: scaleDown ?? 'progressively' }),
  };
}
