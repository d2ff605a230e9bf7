import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import type { RetryStrategy } from './retry-strategy';

export const mapping: Format = { allowed: 'a mapping', accepts: isPlainObject };

const list: Format = { allowed: 'a list', accepts: (value) => Array.isArray(value) };

/** What has not the form of a workflow, as far as retries are looked for in it; all else the API server evaluates. */
export function definitionProblems(definition: unknown, path: string): readonly Problem[] {
  const problems = new Problems('workflow');
  if (problems.check(path, definition, mapping)) {
    each(problems, `${path}.templates`, (definition as { templates?: unknown }).templates, checkTemplate);
  }
  return problems.all;
}

type Check = (problems: Problems, path: string, value: unknown) => void;

function checkTemplate(problems: Problems, path: string, template: unknown): void {
  if (!problems.check(path, template, mapping)) {
    return;
  }
  const { retry, steps, dag } = template as { retry?: unknown; steps?: unknown; dag?: unknown };
  if (retry !== undefined && retry !== false) {
    problems.check(`${path}.retry`, retry, { ...mapping, allowed: 'a retry strategy, or false' });
  }
  each(problems, `${path}.steps`, steps, (_, at, group) => each(problems, at, group, checkStep));
  if (dag !== undefined && problems.check(`${path}.dag`, dag, mapping)) {
    each(problems, `${path}.dag.tasks`, (dag as { tasks?: unknown }).tasks ?? null, checkStep);
  }
}

function checkStep(problems: Problems, path: string, step: unknown): void {
  if (problems.check(path, step, mapping)) {
    const { inline } = step as { inline?: unknown };
    if (inline !== undefined) {
      checkTemplate(problems, `${path}.inline`, inline);
    }
  }
}

function each(problems: Problems, path: string, values: unknown, check: Check): void {
  if (values !== undefined && problems.check(path, values, list)) {
    (values as readonly unknown[]).forEach((value, position) =>
      check(problems, `${path}[${position}]`, value),
    );
  }
}

/**
 * A template of a workflow. Fields that are not named here go into the manifest as they are.
 * @see https://argo-workflows.readthedocs.io/en/latest/fields/#template
 */
export interface StepTemplate {
  /**
   * Name of the template, once in a workflow.
   * @default - none; a template that stands `inline` in a step or a task needs none
   */
  readonly name?: string;
  /**
   * When a step of this template is tried again; `false`: never.
   * @default - what the workflow says, where the template makes a pod; else never, since a DAG that is tried again repeats
   * all of its steps
   */
  readonly retry?: RetryStrategy | false;
  /** A container of a pod. */
  readonly container?: object;
  /** A program in a container of a pod. */
  readonly script?: object;
  /** Several containers of one pod. */
  readonly containerSet?: object;
  /** An object of the cluster that a pod makes or changes. */
  readonly resource?: object;
  /** Data that a pod reads from artifacts. */
  readonly data?: object;
  /** Steps one after the other; those of an inner list at the same time. */
  readonly steps?: readonly (readonly WorkflowStep[])[];
  /** Tasks that depend on each other. */
  readonly dag?: {
    /** The tasks; each says what it depends on. */
    readonly tasks: readonly WorkflowStep[];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A step, or a task of a DAG. */
export interface WorkflowStep {
  /** Name of the step or task, once among its neighbours. */
  readonly name?: string;
  /** Name of its template. @default - `inline`, or `templateRef` */
  readonly template?: string;
  /** Its template. @default - `template`, or `templateRef` */
  readonly inline?: StepTemplate;
  readonly [field: string]: unknown;
}

/**
 * The spec of a workflow. Fields that are not named here go into the manifest as they are.
 * @see https://argo-workflows.readthedocs.io/en/latest/fields/#workflowspec
 */
export interface WorkflowDefinition {
  /** Name of the template that it begins with. @default - that of the WorkflowTemplate */
  readonly entrypoint?: string;
  /** Templates of its steps. @default - those of the WorkflowTemplate */
  readonly templates?: readonly StepTemplate[];
  /** The WorkflowTemplate that it is made from: its retries hold. @default - none */
  readonly workflowTemplateRef?: {
    /** Name of the WorkflowTemplate. */
    readonly name: string;
    /** Whether it is a ClusterWorkflowTemplate. @default false */
    readonly clusterScope?: boolean;
  };
  /** Service account that its pods run as. @default - the namespace's default account */
  readonly serviceAccountName?: string;
  /** Values of parameters, and artifacts. @default - none */
  readonly arguments?: object;
  /** When it ends at the latest, in seconds: more than its retries wait. @default - never */
  readonly activeDeadlineSeconds?: number;
  /**
   * A retry strategy of Argo's own for every template, DAGs included; it is evaluated as it is, and `retry` of the construct has
   * no effect then.
   * @default - `retry` of the construct, for each template that makes a pod
   */
  readonly retryStrategy?: object;
  readonly [field: string]: unknown;
}
