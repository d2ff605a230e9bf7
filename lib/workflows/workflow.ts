import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import type { WorkflowDefinition } from './workflow-definition';
import type { WorkflowObjectProps } from './workflow-object';
import { workflowObject, workflowObjectPropsKeys } from './workflow-object';

/** What a Workflow is made of. */
export interface WorkflowProps extends WorkflowObjectProps {
  /** What it does. */
  readonly spec: WorkflowDefinition;
}

const workflowPropsKeys: OptionsOf<WorkflowProps> = { ...workflowObjectPropsKeys, spec: 'plain' };

/**
 * A Workflow of Argo Workflows whose steps survive refused pods.
 *
 * @see https://argo-workflows.readthedocs.io/en/latest/walk-through/
 *
 * @example
 * new workflows.Workflow(chart, 'report', {
 *   name: 'report',
 *   namespace: 'batch',
 *   spec: { entrypoint: 'make', templates: [{ name: 'make', container: { image, command: ['make-report'] } }] },
 * });
 */
export class Workflow extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput with everything that is wrong, retries that are over too soon among it */
  public constructor(scope: Construct, id: string, props: WorkflowProps) {
    refuseOptions(`Workflow "${id}"`, props, workflowPropsKeys);
    super(scope, id);
    this.apiObject = workflowObject(
      this,
      {
        ...props,
        kind: 'Workflow',
        definition: props.spec,
        path: 'spec',
        spec: (workflow) => workflow,
        longestName: 63,
      },
      new Problems(`Workflow "${props.name}"`),
    );
  }
}
