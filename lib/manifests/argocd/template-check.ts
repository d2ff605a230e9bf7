import { readGoTemplate } from '../../core/application-sets/go-template';
import { mergeKeyProblems } from '../../core/application-sets/merge-keys';
import { readPlainTemplate } from '../../core/application-sets/plain-template';
import type { SetGenerator, Steps } from '../../core/application-sets/set-generator';
import { templateProblems } from '../../core/application-sets/template-problems';
import { dnsSubdomain } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Problem, Problems } from '../../core/validation/problems';
import { placedBelow, problemsOf } from '../../core/validation/schema';
import type { Unevaluated } from '../../core/validation/schema';
import { applicationTemplateSchema } from './application-template';
import type { ApplicationTemplate } from './application-template';
import { templateOf } from './generators/generator-template';
import { mayGiveSeveral } from './generators/generators';
import type { Generator } from './generators/generators';
import { strategyProblems } from './rolling-sync';

/** What of an ApplicationSet makes Applications. */
interface TemplatedSet {
  readonly generators: readonly Generator[];
  readonly template: Unevaluated<ApplicationTemplate>;
  readonly templatePatch?: unknown;
  readonly goTemplate?: unknown;
  readonly goTemplateOptions?: unknown;
  readonly strategy?: unknown;
}

/**
 * What is wrong with the template, beside what its schema says of it, with those of single generators laid over it, and with
 * the fields that they and the patch read.
 */
export function checkTemplates(problems: Problems, props: TemplatedSet): void {
  const agreed = agreementProblems(props, props.template, props.generators);
  problems.addAll(agreed);
  const known = new Set([...templateProblemsOf(props.template), ...agreed].map(keyOf));
  for (const [position, generator] of props.generators.entries()) {
    if (isPlainObject(generator.template)) {
      const template = templateOf(generator, props.template as ApplicationTemplate);
      const own = [...templateProblemsOf(template), ...agreementProblems(props, template, [generator])];
      // What is wrong with the set's template is in the list already.
      problems.addAll(
        own.filter((each) => !known.has(keyOf(each))),
        `generators[${position}].${generator.kind}`,
      );
    }
  }
  checkReading(problems, props);
}

function keyOf({ path, allowed }: Problem): string {
  return JSON.stringify([path, allowed]);
}

function templateProblemsOf(template: unknown): readonly Problem[] {
  return placedBelow(['template'], problemsOf(applicationTemplateSchema, template));
}

/** Where a template does not agree with its generators and with the strategy. */
function agreementProblems(
  { goTemplate, templatePatch, strategy }: TemplatedSet,
  { metadata, spec }: Unevaluated<ApplicationTemplate>,
  generators: readonly Generator[],
): readonly Problem[] {
  const { name, labels = {} } = isPlainObject(metadata) ? metadata : {};
  // A patch may add labels that are not known here.
  const given = templatePatch === undefined && isPlainObject(labels) ? labels : undefined;
  return [
    ...(typeof name === 'string' ? nameProblems(name, generators, goTemplate !== false) : []),
    ...strategyProblems(strategy, isPlainObject(spec) ? spec : {}, given),
  ];
}

function nameProblems(
  name: string,
  generators: readonly Generator[],
  goTemplate: boolean,
): readonly Problem[] {
  const path = 'template.metadata.name';
  const { literal } = goTemplate ? readGoTemplate(name) : readPlainTemplate(name);
  const problem = (allowed: string): Problem => ({ path, value: name, allowed });
  if (literal !== name) {
    return /^[a-z0-9.-]*$/.test(literal) && literal.length <= 253
      ? []
      : [
          problem(
            'lower-case letters, digits, "-" and "." around the template expressions, at most 253 characters',
          ),
        ];
  }
  const several =
    'a text with a template expression such as "{{.name}}": the generators may give several Applications';
  return [
    ...(dnsSubdomain.accepts(name) ? [] : [problem(dnsSubdomain.allowed)]),
    ...(mayGiveSeveral(generators) ? [problem(several)] : []),
  ];
}

/** What Argo CD can't read, and fields that are not given. */
function checkReading(problems: Problems, props: TemplatedSet): void {
  const { goTemplateOptions, template, templatePatch } = props;
  const goTemplate = props.goTemplate !== false;
  const set = {
    generators: props.generators.map((each, position) => setGenerator(each, ['generators', position])),
    template: { steps: ['template'], value: template },
    templatePatch: { steps: ['templatePatch'], value: templatePatch },
    goTemplate,
    goTemplateOptions: Array.isArray(goTemplateOptions) ? goTemplateOptions : ['missingkey=error'],
  };
  for (const { steps, text, allowed, fault } of [
    ...templateProblems(set, pathOf),
    ...mergeKeyProblems(set, pathOf),
  ]) {
    problems.add(pathOf(steps), text, fault === undefined ? allowed : `${allowed}: ${fault}`);
  }
}

/** A path as the arguments have it: `generators[0].list`. */
function pathOf(steps: Steps): string {
  return steps
    .map((step, position) => (typeof step === 'number' ? `[${step}]` : position === 0 ? step : `.${step}`))
    .join('');
}

/** A generator with its place, which follows the calls that made it: `generators[0].matrix[1].clusters`. */
function setGenerator(generator: Generator, place: Steps): SetGenerator {
  const { kind, template, postSelector, ...settings } = generator;
  const steps = [...place, kind];
  const isCombining = generator.kind === 'matrix' || generator.kind === 'merge';
  const below = generator.kind === 'merge' ? [...steps, 'generators'] : steps;
  const children = isCombining ? (generator.generators as readonly Generator[]) : [];
  return {
    kind,
    steps,
    settings: isCombining ? { ...settings, generators: undefined } : settings,
    template,
    isFiltered: postSelector !== undefined,
    generators: children.map((each, position) => setGenerator(each, [...below, position])),
  };
}
