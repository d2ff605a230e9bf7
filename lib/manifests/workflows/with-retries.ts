import type { WorkflowStep, StepTemplate, WorkflowDefinition } from './definition';
import { retryStrategy } from './retry-strategy';
import type { RetryStrategy, RetryStrategyManifest } from './retry-strategy';

const podTypes = ['container', 'script', 'containerSet', 'resource', 'data'];

/** A retry strategy that a workflow says itself, with the path where it does. */
export interface DeclaredRetry {
  readonly path: string;
  readonly retry: RetryStrategy;
}

/** The strategies of the templates, wherever they are; `false` is none. */
export function retriesOf(templates: readonly StepTemplate[], path: string): readonly DeclaredRetry[] {
  return templates.flatMap((template, position) => ofTemplate(template, `${path}[${position}]`));
}

function ofTemplate(template: StepTemplate, path: string): readonly DeclaredRetry[] {
  const { retry, steps = [], dag } = template;
  const own = retry === undefined || retry === false ? [] : [{ path: `${path}.retry`, retry }];
  const inline = ({ inline: below }: WorkflowStep, at: string): readonly DeclaredRetry[] =>
    below === undefined ? [] : ofTemplate(below, `${at}.inline`);
  return [
    ...own,
    ...steps.flatMap((group, outer) =>
      group.flatMap((step, inner) => inline(step, `${path}.steps[${outer}][${inner}]`)),
    ),
    ...(dag?.tasks ?? []).flatMap((task, position) => inline(task, `${path}.dag.tasks[${position}]`)),
  ];
}

/** Whether a workflow's own fields say how every step is tried again. */
export function declaresRetry({ retryStrategy: own, templateDefaults }: WorkflowDefinition): boolean {
  const defaults = templateDefaults as { readonly retryStrategy?: unknown } | null | undefined;
  return own !== undefined || defaults?.retryStrategy !== undefined;
}

/**
 * The spec of a workflow with a retry strategy in each template that makes a pod. It is not put into `spec.retryStrategy`
 * or `templateDefaults`: both hold for DAGs and lists of steps, too, which would begin anew as a whole.
 */
export function withRetries(definition: WorkflowDefinition, retry: RetryStrategy | false = {}): object {
  const byDefault = retry === false || declaresRetry(definition) ? undefined : retryStrategy(retry);
  const { templates } = definition;
  return templates === undefined
    ? definition
    : { ...definition, templates: templates.map((template) => templateManifest(template, byDefault)) };
}

function templateManifest(
  { retry, ...template }: StepTemplate,
  byDefault: RetryStrategyManifest | undefined,
): object {
  const { steps, dag } = template;
  const inline = (step: WorkflowStep): object =>
    step.inline === undefined ? step : { ...step, inline: templateManifest(step.inline, byDefault) };
  return {
    ...template,
    ...(steps ? { steps: steps.map((group) => group.map(inline)) } : {}),
    ...(dag ? { dag: { ...dag, tasks: dag.tasks.map(inline) } } : {}),
    ...strategyOf(template, retry, byDefault),
  };
}

function strategyOf(
  template: StepTemplate,
  retry: StepTemplate['retry'],
  byDefault: RetryStrategyManifest | undefined,
): { readonly retryStrategy?: object } {
  if (retry === false || template['retryStrategy'] !== undefined) {
    return {};
  }
  if (retry !== undefined) {
    return { retryStrategy: retryStrategy(retry) };
  }
  const makesPods = podTypes.some((type) => template[type] !== undefined);
  return makesPods && byDefault ? { retryStrategy: byDefault } : {};
}
