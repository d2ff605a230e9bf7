import { opaque } from '../../core/validation/arguments';
import { across, falseOr, list, object, optional } from '../../core/validation/collections';
import type { PlainObject } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Entries, OptionalSchema, Schema } from '../../core/validation/schema';
import { whole } from '../../core/validation/values';
import { retryStrategySchema } from './retry-strategy';
import type { RetryStrategy } from './retry-strategy';

/**
 * An object of which some fields are checked; others go into the manifest as they are, and the API server evaluates them.
 *
 * @param entries asked when there is an object: it may stand within itself
 */
export function openObject(
  entries: () => Readonly<Record<string, Schema | OptionalSchema>>,
  allowed = 'a mapping',
): Schema<never> {
  return across<PlainObject>(opaque(allowed), (value, { add }) => {
    const known = entries() as Entries<PlainObject>;
    const given = Object.fromEntries(Object.keys(known).map((key) => [key, value[key]]));
    problemsOf(object<PlainObject>(known), given).forEach(add);
  }) as Schema as Schema<never>;
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

const step: Schema<WorkflowStep> = openObject(() => ({ inline: optional(template) }));

const template: Schema<StepTemplate> = openObject(() => ({
  retry: optional(falseOr(retryStrategySchema, 'a retry strategy, or false')),
  steps: optional(list(list(step))),
  dag: optional(openObject(() => ({ tasks: list(step) }))),
}));

/** A workflow, as far as retries are looked for in it. */
export const workflowDefinition: Schema<WorkflowDefinition> = openObject(() => ({
  templates: optional(list(template)),
  activeDeadlineSeconds: optional(whole(1, 2_147_483_647)),
}));
