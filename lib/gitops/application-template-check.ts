import type { Problem } from '../problems';
import { Problems, dnsSubdomain, labelKey } from '../problems';
import type { ApplicationSetStrategy } from './application-set-strategy';
import { checkStrategy } from './application-set-strategy';
import { checkApplicationSpec } from './application-spec';
import type { ApplicationTemplate } from './application-template';
import { FieldChecks } from './field-checks';
import type { Generator } from './generator';
import { mayGiveSeveral } from './generator-size';
import { templateOf } from './generator-template';
import { both, givenFields, ownFields } from './given-fields';
import type { GivingGenerator, JudgedText, TemplateLanguage } from './template-fields-check';
import { checkTemplateFields, templateTexts } from './template-fields-check';
import { checkTemplateTexts, knownParameters, literalParts } from './template-text';

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
  checkFields(problems, props);
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
  checkTemplate(checks, template, generators);
  const parameters = knownParameters(props.generators);
  checkTemplateTexts(problems, 'template', template, goTemplate, parameters);
  if (goTemplate) {
    checkTemplateTexts(problems, 'templatePatch', templatePatch, goTemplate, parameters);
  }
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
): void {
  const { problems } = checks;
  const literal = literalParts(metadata.name);
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

function checkFields(problems: Problems, props: TemplatedSet): void {
  const { goTemplate = true, goTemplateOptions = ['missingkey=error'] } = props;
  const language: TemplateLanguage = {
    goTemplate,
    isMissingError: goTemplateOptions.includes('missingkey=error'),
  };
  const judged = new Map<string, JudgedText>();
  const add = (path: string, text: string, generator: GivingGenerator): void => {
    const key = JSON.stringify([path, text]);
    const generators = [...(judged.get(key)?.generators ?? []), generator];
    judged.set(key, { path, text, generators });
  };
  const shared = new Set(templateTexts('template', props.template).map(([path, text]) => `${path} ${text}`));
  for (const [position, generator] of props.generators.entries()) {
    const path = `generators[${position}]`;
    const giving = { path: `${path}.${generator.kind}`, given: givenFields(generator, goTemplate) };
    for (const [at, text] of templateTexts('template', templateOf(generator, props.template))) {
      add(shared.has(`${at} ${text}`) ? at : `${giving.path}.${at}`, text, giving);
    }
    for (const [at, text] of templateTexts('templatePatch', goTemplate ? props.templatePatch : undefined)) {
      add(at, text, giving);
    }
    generatorTexts(path, generator, goTemplate, undefined, add);
  }
  judged.forEach((each) => checkTemplateFields(problems, each, language));
}

/**
 * Texts of generators: further parameters read those of their own generator, and whatever stands in the second generator of a
 * matrix reads the first one's.
 */
function generatorTexts(
  path: string,
  generator: Generator,
  goTemplate: boolean,
  first: GivingGenerator | undefined,
  add: (path: string, text: string, generator: GivingGenerator) => void,
): void {
  const at = `${path}.${generator.kind}`;
  const { kind: _kind, template: _template, ...settings } = generator;
  if (generator.kind === 'matrix' || generator.kind === 'merge') {
    const children = generator.generators as readonly Generator[];
    const [one] = children;
    children.forEach((child, position) => {
      const below = generator.kind === 'matrix' ? `${at}[${position}]` : `${at}.generators[${position}]`;
      const isFilled = generator.kind === 'matrix' && position === 1 && one !== undefined;
      const given = isFilled
        ? { path: `${at}[0].${one.kind}`, given: givenFields(one, goTemplate) }
        : undefined;
      generatorTexts(below, child, goTemplate, given, add);
    });
    return;
  }
  const { values, ...rest } = { values: undefined, ...settings } as { readonly values?: unknown };
  if (first) {
    templateTexts(at, rest).forEach(([place, text]) => add(place, text, first));
  }
  // Argo CD takes these as they are.
  if (generator.kind !== 'clusterDecisionResource') {
    const given = ownFields(generator, goTemplate);
    const giving = { path: at, given: first ? both(given, first.given) : given };
    templateTexts(`${at}.values`, values).forEach(([place, text]) => add(place, text, giving));
  }
}
