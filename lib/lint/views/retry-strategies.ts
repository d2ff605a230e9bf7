import { Field } from '../object';
import type { ManifestObject } from '../object';
import type { ObjectIndex } from '../object-index';
import { parseRetryDuration } from './retry-waits';
import type { RetryBackoff } from './retry-waits';

/** The specification of an Argo workflow, wherever it is. */
export interface WorkflowSpec {
  /** The Workflow, or the template of workflows. */
  readonly object: ManifestObject;
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

/** How steps of an Argo workflow are tried again, at the place where it is said. */
export interface RetryStrategyView {
  /** The Workflow, or the template of workflows. */
  readonly object: ManifestObject;
  /** `retryStrategy` of a template, of the defaults of all templates, or of the workflow. */
  readonly field: Field;
  /** Names where it is, for messages: `template build`. */
  readonly name: string;
  /** Whether it is for templates that make pods, as far as can be seen. */
  readonly makesPods: boolean;
  /** What a template does not say its defaults do. */
  readonly get: (...steps: readonly string[]) => Field;
  /** What holds: Always where only an expression is given, else OnFailure, where nothing is said. */
  readonly policy: string;
  /** Number of retries. @default - not said, or known only at run time */
  readonly limit?: number;
  /** How long it waits between tries. @default - not said, or known only at run time */
  readonly backoff?: RetryBackoff;
  /** How long a try may run, in milliseconds. @default - not said as a number */
  readonly longestRun?: number;
  /** `activeDeadlineSeconds` of the workflow. */
  readonly deadline: Field;
}

const podTypes = ['container', 'script', 'containerSet', 'resource', 'data'];

const otherTypes = ['steps', 'dag', 'suspend', 'http', 'plugin'];

/** View of the retry strategies of workflows, each once: `objects.view(retryStrategies)`. */
export function retryStrategies(objects: ObjectIndex): readonly RetryStrategyView[] {
  return objects.view(workflowSpecs).flatMap(ofWorkflow);
}

function ofWorkflow(workflow: WorkflowSpec): RetryStrategyView[] {
  const { spec, templateDefaults, templates } = workflow;
  const own = templates.filter((template) => template.get('retryStrategy').exists);
  const others = templates.filter((template) => !template.get('retryStrategy').exists);
  const inherited = templateDefaults.get('retryStrategy').exists ? templateDefaults : spec;
  // Nobody inherits what every template says itself.
  const isInherited = inherited.get('retryStrategy').exists && (others.length > 0 || templates.length === 0);
  return [
    ...own.map((template) => strategyOf(workflow, template, [template])),
    ...(isInherited ? [strategyOf(workflow, inherited, others)] : []),
  ];
}

function strategyOf(
  { object, spec, templateDefaults }: WorkflowSpec,
  holder: Field,
  templates: readonly Field[],
): RetryStrategyView {
  const field = holder.get('retryStrategy');
  const get = (...steps: readonly string[]): Field => {
    const said = field.get(...steps);
    const byDefault = templateDefaults.get('retryStrategy', ...steps);
    return !said.exists && byDefault.exists ? byDefault : said;
  };
  const limit = countOf(get('limit'));
  const backoff = backoffOf(get);
  const longestRun = countOf(holder.get('activeDeadlineSeconds'));
  return {
    object,
    field,
    name: holder.get('name').exists ? `template ${holder.get('name').text ?? ''}` : 'every template',
    makesPods: templates.length === 0 || templates.some(makesPods),
    get,
    deadline: spec.get('activeDeadlineSeconds'),
    policy: get('retryPolicy').text ?? (get('expression').exists ? 'Always' : 'OnFailure'),
    ...(limit === undefined ? {} : { limit }),
    ...(backoff ? { backoff } : {}),
    ...(longestRun === undefined ? {} : { longestRun: longestRun * 1000 }),
  };
}

function makesPods(template: Field): boolean {
  return (
    podTypes.some((type) => template.get(type).exists) ||
    !otherTypes.some((type) => template.get(type).exists)
  );
}

function backoffOf(get: RetryStrategyView['get']): RetryBackoff | undefined {
  const duration = durationOf(get('backoff', 'duration'));
  const [factor, cap] = [get('backoff', 'factor'), get('backoff', 'cap')];
  const [read, longest] = [countOf(factor), durationOf(cap)];
  const isUnknown = (factor.exists && read === undefined) || (cap.exists && longest === undefined);
  return duration === undefined || isUnknown
    ? undefined
    : {
        duration,
        ...(read === undefined ? {} : { factor: read }),
        ...(longest === undefined ? {} : { cap: longest }),
      };
}

/** A whole number, or a text that is one. */
export function countOf({ number, text }: Field): number | undefined {
  const count = text !== undefined && /^\d+$/.test(text) ? Number(text) : number;
  return count !== undefined && Number.isInteger(count) && count >= 0 ? count : undefined;
}

/** A duration of a retry strategy, in milliseconds. @returns nothing where it is none, or known only at run time */
export function durationOf({ number, text }: Field): number | undefined {
  const seconds = number !== undefined && number >= 0 ? number * 1000 : undefined;
  return text === undefined ? seconds : parseRetryDuration(text);
}
