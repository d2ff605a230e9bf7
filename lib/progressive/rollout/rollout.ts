import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { refuseOptions } from '../../problems';
import { manifestOf, manifestsInTree } from '../manifests-in-tree';
import { metadataOf } from '../object-metadata';
import { blueGreenManifest } from './blue-green-strategy';
import { canaryManifest } from './canary-strategy';
import { checkRollout, defaultProgressDeadline, defaultRevisionHistoryLimit } from './rollout-problems';
import type { RolloutProps } from './rollout-props';
import { rolloutPropsKeys } from './rollout-props';
import { seconds } from './seconds';
import { comparedKinds, surroundingProblems } from './surroundings';

/**
 * A Rollout of Argo Rollouts: a Deployment whose new versions come step by step, or all at once when they have been
 * looked at.
 *
 * Before it is written, it is compared with the Services, Ingresses, HTTPRoutes and AnalysisTemplates of the same tree
 * that it names; what is not in the tree is not judged.
 *
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/
 *
 * @example
 * new progressive.Rollout(chart, 'backend', {
 *   name: 'backend',
 *   namespace: 'podinfo',
 *   replicas: 4,
 *   template: { metadata: { labels: { app: 'backend' } }, spec },
 *   strategy: {
 *     canary: {
 *       stableService: 'backend',
 *       canaryService: 'backend-canary',
 *       trafficRouting: { gatewayApi: { httpRoutes: ['backend'] } },
 *       steps: progressive.stepsOf({ step: 25, every: '2m', analysis: errors.analysis() }),
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
    return surroundingProblems(manifestOf(this.apiObject), manifestsInTree(this, comparedKinds));
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
