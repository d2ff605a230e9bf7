import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Problems, OptionsOf } from '../problems';
import { checkLabels, dnsLabel, dnsSubdomainUpTo, labelKey, wholeNumber } from '../problems';
import { allRules, cutsRetriesOff, judgedObjects, lint, stepsOf, totalRetryWait } from '../rules';
import { definitionProblems } from './definition-problems';
import type { RetryStrategy } from './retry-options';
import { backoffOf, completed, retryProblems, retryStrategyKeys } from './retry-options';
import { retriesOf, saysItself, withRetries } from './with-retries';
import type { WorkflowDefinition } from './workflow-definition';

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

export const workflowObjectPropsKeys: OptionsOf<WorkflowObjectProps> = {
  name: 'plain',
  namespace: 'plain',
  labels: 'plain',
  annotations: 'plain',
  retry: retryStrategyKeys,
};

/** An object of Argo Workflows before it is judged. */
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

const retryRules = allRules.filter(({ id }) => id.startsWith('RT'));

/**
 * Makes the object.
 *
 * @throws InvalidInput with everything that is wrong, and where the retries that the workflow says itself would not
 * outlast a refusal
 */
export function workflowObject(scope: Construct, object: WorkflowObject, problems: Problems): ApiObject {
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
  judge(problems, { apiVersion, kind, metadata, spec });
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

/** Checks the strategies that are said in this room's words. Answers whether they can be written in Argo's. */
function checkRetries(problems: Problems, { definition, path, retry }: WorkflowObject): boolean {
  const said = retriesOf(definition.templates ?? [], `${path}.templates`);
  const usual = saysItself(definition) || retry === false ? [] : [{ path: 'retry', retry: retry ?? {} }];
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

/** What the linter finds in the retries that stand in the workflow in Argo's own words. */
function judge(problems: Problems, manifest: object): void {
  const { findings } = lint(judgedObjects([manifest]), { rules: retryRules, minSeverity: 'warning' });
  for (const { rule, pointer, message, fix } of findings) {
    const steps = stepsOf(pointer);
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
