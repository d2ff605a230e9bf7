import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  checkLabels,
  dnsLabel,
  dnsSubdomainUpTo,
  labelKey,
  oneOf,
  timeZone,
  wholeNumber,
} from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import {
  ruleGroups,
  cutsRetriesOff,
  manifestObjects,
  lint,
  parseJsonPointer,
  totalRetryWait,
} from '../../lint';
import { definitionProblems } from './definition';
import type { WorkflowDefinition } from './definition';
import { backoffOf, completed, retryProblems, retryStrategyKeys } from './retry-strategy';
import type { RetryStrategy } from './retry-strategy';
import { retriesOf, declaresRetry, withRetries } from './with-retries';

/** What every object of Argo Workflows is known by. */
export interface WorkflowObjectProps {
  /** Name of the Kubernetes object: a DNS subdomain, at most 63 characters, a CronWorkflow's at most 52. */
  readonly name: string;
  /** Namespace of the object. @default - the chart's */
  readonly namespace?: string;
  /** Labels of the object. @default - none of its own; labels of the chart are added by cdk8s */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the object. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * When steps are tried again whose template does not say so itself; `false`: never.
   * @default - refused pods, and whatever else Argo calls an error, six times over 285 s
   */
  readonly retry?: RetryStrategy | false;
}

const workflowObjectPropsKeys: OptionsOf<WorkflowObjectProps> = {
  name: 'plain',
  namespace: 'plain',
  labels: 'plain',
  annotations: 'plain',
  retry: retryStrategyKeys,
};

/** An object of Argo Workflows before it is evaluated. */
export interface WorkflowObject extends WorkflowObjectProps {
  readonly kind: 'Workflow' | 'WorkflowTemplate' | 'CronWorkflow';
  /** The workflow in it. */
  readonly definition: WorkflowDefinition;
  /** Path of the workflow in the spec, for messages. */
  readonly path: string;
  /** The spec around the workflow. */
  readonly spec: (workflow: object) => object;
  /** Longest name: the controller makes labels of it. */
  readonly longestName: number;
}

/**
 * Makes the object.
 *
 * @throws InvalidInput with everything that is wrong, and where the retries that the workflow says itself would not
 * outlast a refusal
 */
function workflowObject(scope: Construct, object: WorkflowObject, problems: Problems): ApiObject {
  const { kind, name, namespace, labels, annotations, retry } = object;
  checkMetadata(problems, object);
  const unread = definitionProblems(object.definition, object.path);
  problems.addAll(unread);
  const mayBeWritten = unread.length === 0 && checkRetries(problems, object);
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels ? { labels: { ...labels } } : {}),
    ...(annotations ? { annotations: { ...annotations } } : {}),
  };
  const apiVersion = 'argoproj.io/v1alpha1';
  const spec = mayBeWritten ? object.spec(withRetries(object.definition, retry)) : {};
  evaluate(problems, { apiVersion, kind, metadata, spec });
  problems.throwIfAny();
  return new ApiObject(scope, 'Resource', { apiVersion, kind, metadata, spec });
}

function checkMetadata(problems: Problems, object: WorkflowObject): void {
  const { name, namespace, labels, annotations = {}, longestName } = object;
  problems.check('name', name, dnsSubdomainUpTo(longestName));
  if (namespace !== undefined) {
    problems.check('namespace', namespace, dnsLabel);
  }
  checkLabels(problems, 'labels', labels);
  for (const key of Object.keys(annotations)) {
    problems.check('annotations', key, labelKey);
  }
}

/** Checks the strategies that are said in this module's words. Answers whether they can be written in Argo's. */
function checkRetries(problems: Problems, { definition, path, retry }: WorkflowObject): boolean {
  const said = retriesOf(definition.templates ?? [], `${path}.templates`);
  const usual = declaresRetry(definition) || retry === false ? [] : [{ path: 'retry', retry: retry ?? {} }];
  const before = problems.all.length;
  for (const each of [...usual, ...said]) {
    problems.addAll(retryProblems(each.retry), each.path);
  }
  const isSound = problems.all.length === before;
  const { activeDeadlineSeconds: deadline } = definition;
  if (
    deadline !== undefined &&
    problems.check(`${path}.activeDeadlineSeconds`, deadline, wholeNumber(1, 2_147_483_647)) &&
    isSound &&
    definition.templates
  ) {
    const waits = [...usual, ...said].map((each) =>
      totalRetryWait(completed(each.retry).limit, backoffOf(each.retry)),
    );
    const longest = Math.max(0, ...waits);
    if (cutsRetriesOff(deadline * 1000, longest)) {
      problems.add(
        `${path}.activeDeadlineSeconds`,
        deadline,
        `more than ${longest / 1000}, which the retries of one step may wait: a workflow past its deadline tries nothing again`,
      );
    }
  }
  return isSound;
}

/** What the linter finds in the retries that are in the workflow in Argo's own words. */
function evaluate(problems: Problems, manifest: object): void {
  const { findings } = lint(manifestObjects([manifest]), {
    rules: ruleGroups.retries,
    minSeverity: 'warning',
  });
  for (const { rule, pointer, message, fix } of findings) {
    const steps = parseJsonPointer(pointer);
    const path = steps
      .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
      .join('')
      .slice(1);
    if (problems.all.some((known) => known.path === path)) {
      continue;
    }
    const value = steps.reduce<unknown>(
      (at, step) => (at as Record<string, unknown> | undefined)?.[step],
      manifest,
    );
    problems.add(path, value, `fixed (${rule}; ${message}): ${fix}`);
  }
}

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

/**
 * The spec of a CronWorkflow. Fields that are not named here go into the manifest as they are.
 * @see https://argo-workflows.readthedocs.io/en/latest/cron-workflows/#cronworkflow-options
 */
export interface CronWorkflowDefinition {
  /** When it runs, as cron says it. A list from Argo Workflows 3.6 on. */
  readonly schedules: readonly string[];
  /** A name of the IANA time zone database. @default - the controller's */
  readonly timezone?: string;
  /**
   * What happens when the one before still runs, as it may while its steps are tried again.
   * @default - Argo's: `Allow`
   */
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  /** How late a run may begin that was missed, in seconds. @default - Argo's: it is not made up for */
  readonly startingDeadlineSeconds?: number;
  /** What runs. */
  readonly workflowSpec: WorkflowDefinition;
  readonly [field: string]: unknown;
}

/** What a CronWorkflow is made of. */
export interface CronWorkflowProps extends WorkflowObjectProps {
  /** When it runs, and what. */
  readonly spec: CronWorkflowDefinition;
}

const cronWorkflowPropsKeys: OptionsOf<CronWorkflowProps> = { ...workflowObjectPropsKeys, spec: 'plain' };

const schedule: Format = {
  allowed: 'a schedule such as "0 3 * * *"',
  accepts: (value) => typeof value === 'string' && /^(@\S.*|\S+( +\S+){4})$/.test(value.trim()),
};

/**
 * A CronWorkflow of Argo Workflows whose steps survive refused pods.
 *
 * @see https://argo-workflows.readthedocs.io/en/latest/cron-workflows/
 *
 * @example
 * new workflows.CronWorkflow(chart, 'nightly', {
 *   name: 'nightly',
 *   namespace: 'batch',
 *   spec: { schedules: ['0 3 * * *'], timezone: 'Asia/Tokyo', workflowSpec: { entrypoint: 'run', templates } },
 * });
 */
export class CronWorkflow extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput with everything that is wrong, retries that are over too soon among it */
  public constructor(scope: Construct, id: string, props: CronWorkflowProps) {
    refuseOptions(`CronWorkflow "${id}"`, props, cronWorkflowPropsKeys);
    super(scope, id);
    const problems = new Problems(`CronWorkflow "${props.name}"`);
    // Without types it may be missing.
    const spec = (props.spec as CronWorkflowDefinition | undefined) ?? ({} as CronWorkflowDefinition);
    checkSchedule(problems, spec);
    this.apiObject = workflowObject(
      this,
      {
        ...props,
        kind: 'CronWorkflow',
        definition: spec.workflowSpec,
        path: 'spec.workflowSpec',
        spec: (workflowSpec) => ({ ...spec, workflowSpec }),
        longestName: 52,
      },
      problems,
    );
  }
}

function checkSchedule(problems: Problems, spec: CronWorkflowDefinition): void {
  if (!Array.isArray(spec.schedules) || spec.schedules.length === 0) {
    problems.add('spec.schedules', spec.schedules, 'a list of at least one schedule');
  } else {
    spec.schedules.forEach((each, position) => problems.check(`spec.schedules[${position}]`, each, schedule));
  }
  problems.checkGiven('spec', spec, {
    timezone: timeZone,
    concurrencyPolicy: oneOf('Allow', 'Forbid', 'Replace'),
    startingDeadlineSeconds: wholeNumber(0, 2_147_483_647),
  });
}
