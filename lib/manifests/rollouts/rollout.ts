import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { parseDuration } from '../../core/durations';
import { dnsLabel, dnsSubdomain, oneOf, wholeNumber } from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import {
  checkMetadata,
  checkPodMetadata,
  manifestOf,
  manifestsInTree,
  metadataOf,
  podMetadataKeys,
} from '../objects';
import type { PodMetadata } from '../objects';
import { blueGreenManifest, blueGreenStrategyKeys, checkBlueGreen } from './blue-green-strategy';
import type { BlueGreenStrategy } from './blue-green-strategy';
import { canaryManifest, canaryStrategyKeys, checkCanary } from './canary-strategy';
import type { CanaryStrategy } from './canary-strategy';
import { comparedKinds, rolloutObjectProblems } from './related-objects';
import { checkSeconds, seconds } from './steps';

/** The pods of a Rollout, as a Deployment has them. */
export interface PodTemplate {
  /** Labels and annotations of the pods; a selector needs labels. */
  readonly metadata: PodMetadata;
  /** A PodSpec of Kubernetes. */
  readonly spec: object;
}

const podTemplateKeys: OptionsOf<PodTemplate> = { metadata: podMetadataKeys, spec: 'plain' };

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

const workloadRefKeys: OptionsOf<WorkloadRef> = { name: 'plain', kind: 'plain', scaleDown: 'plain' };

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

const rolloutPropsKeys: OptionsOf<RolloutProps> = {
  name: 'plain',
  namespace: 'plain',
  labels: 'plain',
  annotations: 'plain',
  replicas: 'plain',
  template: podTemplateKeys,
  selector: 'plain',
  workloadRef: workloadRefKeys,
  strategy: { canary: canaryStrategyKeys, blueGreen: blueGreenStrategyKeys },
  minReady: 'plain',
  revisionHistoryLimit: 'plain',
  rollbackWindow: 'plain',
  progressDeadline: 'plain',
  progressDeadlineAbort: 'plain',
};

/** Old ReplicaSets that are kept by default. */
const defaultRevisionHistoryLimit = 3;

const defaultProgressDeadline = '10m';

/**
 * Checks the props of a Rollout, by the rules of its controller and those of its objects.
 *
 * @throws InvalidInput with everything that is wrong
 */
function checkRollout(props: RolloutProps): void {
  const problems = new Problems(`Rollout "${props.name}"`);
  const { replicas, revisionHistoryLimit, rollbackWindow } = props;
  checkMetadata(problems, props, dnsLabel);
  const numbers = { replicas, revisionHistoryLimit, rollbackWindow };
  for (const [key, value] of Object.entries(numbers)) {
    if (value !== undefined) {
      problems.check(key, value, wholeNumber(key === 'rollbackWindow' ? 1 : 0, 10_000));
    }
  }
  checkPodsOf(problems, props);
  checkTimes(problems, props);
  checkStrategy(problems, props);
  problems.throwIfAny();
}

function checkPodsOf(problems: Problems, { template, workloadRef, selector }: RolloutProps): void {
  if ((template === undefined) === (workloadRef === undefined)) {
    const allowed = 'there, or "workloadRef", and not both of them';
    problems.add('template', template === undefined ? undefined : 'a template', allowed);
  }
  if (workloadRef !== undefined) {
    const { name, kind = 'Deployment', scaleDown } = workloadRef;
    problems.check('workloadRef.name', name, dnsSubdomain);
    problems.check('workloadRef.kind', kind, oneOf('Deployment', 'ReplicaSet', 'PodTemplate'));
    if (scaleDown !== undefined) {
      problems.check('workloadRef.scaleDown', scaleDown, oneOf('never', 'onsuccess', 'progressively'));
      if (kind !== 'Deployment') {
        problems.add(
          'workloadRef.scaleDown',
          scaleDown,
          'left out: only a Deployment has pods that it scales',
        );
      }
    }
    if (kind === 'PodTemplate' && selector === undefined) {
      problems.add('selector', selector, 'given: a PodTemplate has none');
    }
  }
  const labels = template?.metadata?.labels ?? {};
  if (template !== undefined && Object.keys(labels).length === 0) {
    problems.add('template.metadata.labels', template.metadata?.labels, 'at least one label');
  }
  checkPodMetadata(problems, 'template.metadata', template?.metadata);
  if (template !== undefined && (typeof template.spec !== 'object' || template.spec === null)) {
    problems.add('template.spec', template.spec, 'a PodSpec');
  }
  for (const [key, value] of Object.entries(selector ?? {})) {
    if (template !== undefined && labels[key] !== value) {
      problems.add(
        `selector.${key}`,
        value,
        `a label of the template, where it is ${labels[key] ?? 'missing'}`,
      );
    }
  }
  if (selector !== undefined && Object.keys(selector).length === 0) {
    problems.add('selector', selector, 'at least one label');
  }
}

function checkTimes(problems: Problems, { minReady, progressDeadline }: RolloutProps): void {
  const before = problems.all.length;
  checkSeconds(problems, 'minReady', minReady);
  checkSeconds(problems, 'progressDeadline', progressDeadline, 1);
  const deadline = progressDeadline ?? defaultProgressDeadline;
  if (problems.all.length === before && parseDuration(deadline)! <= parseDuration(minReady ?? '0s')!) {
    problems.add('progressDeadline', progressDeadline, `more than "minReady", which is ${minReady}`);
  }
}

function checkStrategy(problems: Problems, props: RolloutProps): void {
  const { strategy, namespace, revisionHistoryLimit = defaultRevisionHistoryLimit } = props;
  const entries = typeof strategy === 'object' && strategy !== null ? Object.keys(strategy) : [];
  if (entries.length !== 1 || !['canary', 'blueGreen'].includes(entries[0]!)) {
    problems.add('strategy', strategy, 'exactly one of { canary } and { blueGreen }');
  } else if ('canary' in strategy) {
    checkCanary(problems, 'strategy.canary', strategy.canary, namespace);
  } else {
    checkBlueGreen(problems, 'strategy.blueGreen', strategy.blueGreen, revisionHistoryLimit);
  }
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
    refuseOptions(`Rollout "${id}"`, props, rolloutPropsKeys);
    super(scope, id);
    checkRollout(props);
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
