import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { Problems, refuseOptions } from '../../problems';
import { manifestOf, manifestsInTree } from '../manifests-in-tree';
import { metadataOf } from '../object-metadata';
import { checkCanary } from './canary-problems';
import type { CanaryProps } from './canary-props';
import { canaryPropsKeys } from './canary-props';
import { canarySpec } from './canary-spec';
import { comparedKinds, surroundingProblems } from './surroundings';

/**
 * A Canary of Flagger: a new version of an application gets its traffic step by step, is judged on the way, and is released or
 * taken back.
 *
 * What Flagger would leave out, take for something else or never finish is refused, with the reason. Before it is written, it is
 * compared with the objects of the same tree that it names, or that Flagger makes; what is not in the tree is not judged.
 *
 * @see https://docs.flagger.app/usage/how-it-works
 *
 * @example
 * new progressive.Canary(chart, 'frontend', {
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
    return surroundingProblems(manifestOf(this.apiObject), manifestsInTree(this, comparedKinds));
  }
}
