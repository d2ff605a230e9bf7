import { readGoTemplate } from '../../core/application-sets/go-template';
import { mergeKeyProblems } from '../../core/application-sets/merge-keys';
import { readPlainTemplate } from '../../core/application-sets/plain-template';
import type { SetGenerator, Steps } from '../../core/application-sets/set-generator';
import { templateProblems } from '../../core/application-sets/template-problems';
import { FieldChecks } from '../../core/validation/fields';
import { dnsSubdomain, labelKey } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { checkApplicationSpec } from './application';
import type { ApplicationTemplate } from './application-template';
import { templateOf } from './generators/generator-template';
import { mayGiveSeveral } from './generators/generators';
import type { Generator } from './generators/generators';
import { checkStrategy } from './rolling-sync';
import type { ApplicationSetStrategy } from './rolling-sync';

/** What of an ApplicationSet makes Applications. */
interface TemplatedSet {
  readonly generators: readonly Generator[];
  readonly template: ApplicationTemplate;
  readonly templatePatch?: string;
  readonly goTemplate?: boolean;
  readonly goTemplateOptions?: readonly string[];
  readonly strategy?: ApplicationSetStrategy;
}

/** Checks the template, those of single generators laid over it, the patch, and the fields that they read. */
export function checkTemplates(problems: Problems, props: TemplatedSet): void {
  const before = problemsOf(props, props.template, props.generators);
  problems.addAll(before);
  const told = new Set(before.map(keyOf));
  for (const [position, generator] of props.generators.entries()) {
    if (generator.template !== undefined) {
      const path = `generators[${position}].${generator.kind}`;
      // What is wrong with the set's template was told above.
      const own = problemsOf(props, templateOf(generator, props.template), [generator]);
      problems.addAll(
        own.filter((each) => !told.has(keyOf(each))),
        path,
      );
    }
  }
  checkReading(problems, props);
}

function keyOf({ path, allowed }: Problem): string {
  return JSON.stringify([path, allowed]);
}

function problemsOf(
  props: TemplatedSet,
  template: ApplicationTemplate,
  generators: readonly Generator[],
): readonly Problem[] {
  const checks = new FieldChecks(new Problems(''), 'deployment or controller');
  const { problems } = checks;
  const { goTemplate = true, templatePatch, strategy } = props;
  checkTemplate(checks, template, generators, goTemplate);
  if (strategy) {
    // A patch may add labels that are not known here.
    const labels = templatePatch === undefined ? (template.metadata.labels ?? {}) : undefined;
    checkStrategy(checks, strategy, template.spec, labels);
  }
  return problems.all;
}

function checkTemplate(
  checks: FieldChecks,
  { metadata, spec }: ApplicationTemplate,
  generators: readonly Generator[],
  goTemplate: boolean,
): void {
  const { problems } = checks;
  const { literal } = goTemplate ? readGoTemplate(metadata.name) : readPlainTemplate(metadata.name);
  if (literal === metadata.name) {
    problems.check('template.metadata.name', metadata.name, dnsSubdomain);
    if (mayGiveSeveral(generators)) {
      problems.add(
        'template.metadata.name',
        metadata.name,
        'a text with a template expression such as "{{.name}}": the generators may give several Applications',
      );
    }
  } else if (!/^[a-z0-9.-]*$/.test(literal) || literal.length > 253) {
    problems.add(
      'template.metadata.name',
      metadata.name,
      'lower-case letters, digits, "-" and "." around the template expressions, at most 253 characters',
    );
  }
  checks.labels('template.metadata.labels', metadata.labels);
  checks.annotations('template.metadata.annotations', metadata.annotations);
  checks.each('template.metadata.finalizers', metadata.finalizers, labelKey);
  checkApplicationSpec(checks, 'template.spec', spec, metadata.name);
}

/** What Argo CD can't read, and fields that are not given. */
function checkReading(problems: Problems, props: TemplatedSet): void {
  const { goTemplate = true, goTemplateOptions = ['missingkey=error'], template, templatePatch } = props;
  const set = {
    generators: props.generators.map((each, position) => setGenerator(each, ['generators', position])),
    template: { steps: ['template'], value: template },
    templatePatch: { steps: ['templatePatch'], value: templatePatch },
    goTemplate,
    goTemplateOptions,
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
