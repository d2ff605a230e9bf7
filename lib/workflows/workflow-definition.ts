import type { RetryStrategy } from './retry-options';

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
  readonly steps?: readonly (readonly Step[])[];
  /** Tasks that depend on each other. */
  readonly dag?: {
    /** The tasks; each says what it depends on. */
    readonly tasks: readonly Step[];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A step, or a task of a DAG. */
export interface Step {
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
   * A retry strategy of Argo's own for every template, DAGs included; it is judged as it is, and `retry` of the construct has
   * no effect then.
   * @default - `retry` of the construct, for each template that makes a pod
   */
  readonly retryStrategy?: object;
  readonly [field: string]: unknown;
}
