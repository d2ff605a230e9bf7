import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv from 'ajv';
import { load } from 'js-yaml';
import { closed } from './closed-schema';

const folder = resolve(__dirname, '../../../../shared/crds');
const workflows = join(folder, 'argo-workflows');
const events = join(folder, 'argo-events', 'schema.json');

/** Fields of a workflow and of a template that are compiled, since all of them take long; any other is refused. */
const compiled = {
  workflow: ['entrypoint', 'templates', 'activeDeadlineSeconds', 'retryStrategy', 'workflowTemplateRef'],
  template: ['name', 'container', 'script', 'resource', 'suspend', 'steps', 'dag', 'retryStrategy'],
};

const files = {
  Workflow: 'workflows.yaml',
  WorkflowTemplate: 'workflowtemplates.yaml',
  CronWorkflow: 'cronworkflows.yaml',
} as const;

/** Optimizations of such large schemas take longer than they save for a handful of objects. */
const settings = { strict: false, validateFormats: false, code: { optimize: false } };

const validators = new Map<string, (value: unknown) => string[]>();

/** Whether the definitions are at hand. */
export const atHand = existsSync(workflows);

/** What is wrong with the spec of an object, by the whole definition of its kind. */
export function specErrors(file: string): (spec: unknown) => string[] {
  const definition: any = load(readFileSync(join(workflows, file), 'utf8'));
  const { spec } = definition.spec.versions[0].schema.openAPIV3Schema.properties;
  const validate = new Ajv(settings).compile(closed(spec));
  return (value) =>
    validate(value)
      ? []
      : validate.errors!.map(
          (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
        );
}

/** What does not fit the definitions of Argo Workflows and Argo Events, where they are at hand; else nothing. */
export function argoErrors(object: any): string[] {
  const { kind } = object;
  if (!existsSync(folder)) {
    return [];
  }
  if (!validators.has(kind)) {
    validators.set(
      kind,
      kind in files ? byDefinition(kind as keyof typeof files) : byEventsSchema(kind as string),
    );
  }
  return validators.get(kind)!(object);
}

function byDefinition(kind: keyof typeof files): (value: unknown) => string[] {
  const definition: any = load(readFileSync(join(workflows, files[kind]), 'utf8'));
  const { spec } = definition.spec.versions[0].schema.openAPIV3Schema.properties;
  const workflow = kind === 'CronWorkflow' ? spec.properties.workflowSpec : spec;
  workflow.properties = only(workflow.properties, compiled.workflow);
  const template = workflow.properties.templates.items;
  template.properties = only(template.properties, compiled.template);
  const evaluate = validator(closed(spec));
  return (value) => evaluate((value as { spec: unknown }).spec);
}

function byEventsSchema(kind: string): (value: unknown) => string[] {
  const { definitions } = JSON.parse(readFileSync(events, 'utf8'));
  const strict = Object.fromEntries(
    Object.entries<any>(definitions).map(([name, each]) => [
      name,
      name.startsWith('io.argoproj.') && each.properties ? { ...each, additionalProperties: false } : each,
    ]),
  );
  return validator({
    $ref: `#/definitions/io.argoproj.events.v1alpha1.${kind}`,
    definitions: strict,
  });
}

function only(properties: any, names: readonly string[]): any {
  return Object.fromEntries(names.map((name) => [name, properties[name]]));
}

function validator(schema: object): (value: unknown) => string[] {
  const validate = new Ajv({ ...settings, allErrors: true }).compile(schema);
  return (value) =>
    validate(value)
      ? []
      : validate.errors!.map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
}
