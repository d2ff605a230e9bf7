import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { falseOr, list, object, optional } from '../../core/validation/collections';
import { dnsSubdomainUpTo, timeZone } from '../../core/validation/formats';
import { valueAt } from '../../core/validation/places';
import { Problems } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Entries, Schema } from '../../core/validation/schema';
import { fits, oneOf, text, that, whole } from '../../core/validation/values';
import {
  ruleGroups,
  cutsRetriesOff,
  manifestObjects,
  lint,
  parseJsonPointer,
  totalRetryWait,
} from '../../lint';
import { namedObject, propsProblems, constructSubject } from '../field-schemas';
import { metadataOf } from '../objects';
import { openObject, workflowDefinition } from './definition';
import type { WorkflowDefinition } from './definition';
import { backoffOf, completedRetries, retryStrategySchema, waitProblems } from './retry-strategy';
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

/** @param longestName the controller makes labels of it */
function workflowObjectEntries(longestName: number): Entries<WorkflowObjectProps> {
  return {
    ...namedObject(dnsSubdomainUpTo(longestName)),
    retry: optional(falseOr(retryStrategySchema, 'a retry strategy, or false')),
  };
}

/** A kind of objects with a workflow in them. */
interface WorkflowKind<T extends WorkflowObjectProps> {
  readonly kind: 'Workflow' | 'WorkflowTemplate' | 'CronWorkflow';
  readonly schema: Schema<T>;
  /** The workflow in props. */
  readonly definition: (props: T) => WorkflowDefinition;
  /** Path of the workflow in the spec, for messages. */
  readonly path: string;
  /** The spec around the workflow. */
  readonly spec: (workflow: object, props: T) => object;
}

interface WorkflowManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: object;
}

/**
 * Makes the manifest.
 *
 * @throws InvalidInput with everything that is wrong, and where the retries that the workflow says itself would not
 * outlast a refusal
 */
function workflowManifest<T extends WorkflowObjectProps>(
  of: WorkflowKind<T>,
  id: string,
  props: T,
): WorkflowManifest {
  const { kind, path } = of;
  const problems = new Problems(constructSubject(kind, id, props));
  const found = propsProblems(of.schema, props);
  problems.addAll(found);
  const apiVersion = 'argoproj.io/v1alpha1';
  // Strategies that are wrong by themselves have no waits; without the form of a workflow none are found.
  const unread = found.filter((each) => isAt(each.path, path) && !/\.retry\b/.test(each.path));
  if (unread.length > 0 || found.some((each) => ['props', 'spec'].includes(each.path))) {
    problems.throwIfAny();
  }
  const definition = of.definition(props);
  const { retry = {} } = props;
  const mayBeWritten = checkRetries(problems, { definition, path, retry });
  const spec = mayBeWritten ? of.spec(withRetries(definition, retry), props) : {};
  const metadata = problems.all.length === 0 ? metadataOf(props) : {};
  evaluate(problems, { apiVersion, kind, metadata, spec });
  problems.throwIfAny();
  return { apiVersion, kind, metadata, spec };
}

function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`);
}

/** What is checked of a workflow's retries. */
interface DeclaredRetries {
  readonly definition: WorkflowDefinition;
  readonly path: string;
  readonly retry: RetryStrategy | false;
}

/** Checks the waits of the strategies that are said in this module's words. Answers whether they can be written in Argo's. */
function checkRetries(problems: Problems, { definition, path, retry }: DeclaredRetries): boolean {
  const said = retriesOf(definition.templates ?? [], `${path}.templates`);
  const usual = declaresRetry(definition) || retry === false ? [] : [{ path: 'retry', retry }];
  const all = [...usual, ...said];
  const sound = all.filter((each) => problemsOf(retryStrategySchema, each.retry).length === 0);
  const waits = sound.map((each) => ({ ...each, found: waitProblems(each.retry) }));
  waits.forEach((each) => problems.addAll(each.found, each.path));
  const isSound = sound.length === all.length && waits.every(({ found }) => found.length === 0);
  const { activeDeadlineSeconds: deadline } = definition;
  if (deadline !== undefined && isSound && definition.templates) {
    const longest = Math.max(
      0,
      ...all.map((each) => totalRetryWait(completedRetries(each.retry).limit, backoffOf(each.retry))),
    );
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
    problems.add(path, valueAt(manifest, steps), `fixed (${rule}; ${message}): ${fix}`);
  }
}

/** What a Workflow is made of. */
export interface WorkflowProps extends WorkflowObjectProps {
  /** What it does. */
  readonly spec: WorkflowDefinition;
}

const workflow: WorkflowKind<WorkflowProps> = {
  kind: 'Workflow',
  schema: object<WorkflowProps>({ ...workflowObjectEntries(63), spec: workflowDefinition }),
  definition: ({ spec }) => spec,
  path: 'spec',
  spec: (written) => written,
};

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
    const manifest = workflowManifest(workflow, id, props);
    super(scope, id);
    this.apiObject = new ApiObject(this, 'Resource', manifest);
  }
}

/** What a WorkflowTemplate is made of. */
export interface WorkflowTemplateProps extends WorkflowObjectProps {
  /** What its workflows do. */
  readonly spec: WorkflowDefinition;
}

const workflowTemplate: WorkflowKind<WorkflowTemplateProps> = { ...workflow, kind: 'WorkflowTemplate' };

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
    const manifest = workflowManifest(workflowTemplate, id, props);
    super(scope, id);
    this.apiObject = new ApiObject(this, 'Resource', manifest);
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

const scheduleText = text('a schedule such as "0 3 * * *"');

const schedule = that(scheduleText, scheduleText.allowed, (value) =>
  /^(@\S.*|\S+( +\S+){4})$/.test(value.trim()),
);

const cronWorkflow: WorkflowKind<CronWorkflowProps> = {
  kind: 'CronWorkflow',
  schema: object<CronWorkflowProps>({
    ...workflowObjectEntries(52),
    spec: openObject(() => ({
      schedules: list(schedule, 1, 'a list of at least one schedule'),
      timezone: optional(fits(timeZone)),
      concurrencyPolicy: optional(oneOf('Allow', 'Forbid', 'Replace')),
      startingDeadlineSeconds: optional(whole(0, 2_147_483_647)),
      workflowSpec: workflowDefinition,
    })),
  }),
  definition: ({ spec }) => spec.workflowSpec,
  path: 'spec.workflowSpec',
  spec: (workflowSpec, { spec }) => ({ ...spec, workflowSpec }),
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
    const manifest = workflowManifest(cronWorkflow, id, props);
    super(scope, id);
    this.apiObject = new ApiObject(this, 'Resource', manifest);
  }
}
