import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import type { ObjectIndex } from '../object-index';

/** The specification of an Argo workflow, wherever it stands. */
export interface WorkflowSpec {
  /** The Workflow, or the template of workflows. */
  readonly object: JudgedObject;
  /** `spec` of a Workflow or a template, `spec.workflowSpec` of a CronWorkflow. */
  readonly spec: Field;
  /** What holds for every template that does not say otherwise. */
  readonly templateDefaults: Field;
  /** Each template's place. */
  readonly templates: readonly Field[];
}

const kinds = [
  ['Workflow', ['spec']],
  ['WorkflowTemplate', ['spec']],
  ['ClusterWorkflowTemplate', ['spec']],
  ['CronWorkflow', ['spec', 'workflowSpec']],
] as const;

/** View of the specifications of Argo workflows: `objects.view(workflowSpecs)`. */
export function workflowSpecs(objects: ObjectIndex): readonly WorkflowSpec[] {
  return kinds.flatMap(([kind, steps]) =>
    objects.ofKind('argoproj.io', kind).map((object) => {
      const spec = Field.of(object).get(...steps);
      return {
        object,
        spec,
        templateDefaults: spec.get('templateDefaults'),
        templates: spec.get('templates').items,
      };
    }),
  );
}
