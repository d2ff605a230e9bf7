import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import type { WorkflowDefinition } from './workflow-definition';
import type { WorkflowObjectProps } from './workflow-object';
import { workflowObject, workflowObjectPropsKeys } from './workflow-object';

/** What a WorkflowTemplate is made of. */
export interface WorkflowTemplateProps extends WorkflowObjectProps {
  /** What its workflows do. */
  readonly spec: WorkflowDefinition;
}

const workflowTemplatePropsKeys: OptionsOf<WorkflowTemplateProps> = {
  ...workflowObjectPropsKeys,
  spec: 'plain',
};

/**
 * A WorkflowTemplate of Argo Workflows. Workflows that are made from it survive refused pods.
 *
 * @see https://argo-workflows.readthedocs.io/en/latest/workflow-templates/
 *
 * @example
 * new workflows.WorkflowTemplate(chart, 'build', {
 *   name: 'build',
 *   namespace: 'batch',
 *   retry: { retries: 'interruptions' },
 *   spec: { entrypoint: 'build', templates: [{ name: 'build', script: { image, command: ['sh'], source } }] },
 * });
 */
export class WorkflowTemplate extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput with everything that is wrong, retries that are over too soon among it */
  public constructor(scope: Construct, id: string, props: WorkflowTemplateProps) {
    refuseOptions(`WorkflowTemplate "${id}"`, props, workflowTemplatePropsKeys);
    super(scope, id);
    this.apiObject = workflowObject(
      this,
      {
        ...props,
        kind: 'WorkflowTemplate',
        definition: props.spec,
        path: 'spec',
        spec: (workflow) => workflow,
        longestName: 63,
      },
      new Problems(`WorkflowTemplate "${props.name}"`),
    );
  }
}
