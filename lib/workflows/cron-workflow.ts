import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { Rule, OptionsOf } from '../problems';
import { oneOf, Problems, timeZone, wholeNumber, refuseOptions } from '../problems';
import type { WorkflowDefinition } from './workflow-definition';
import type { WorkflowObjectProps } from './workflow-object';
import { workflowObject, workflowObjectPropsKeys } from './workflow-object';

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

const schedule: Rule = {
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
