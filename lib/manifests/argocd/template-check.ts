import { FieldChecks } from '../../core/validation/fields';
import { dnsSubdomain, labelKey } from '../../core/validation/formats';
import { nearKey } from '../../core/validation/known-keys';
import { Problems, isMapping } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { checkApplicationSpec } from './application';
import type { ApplicationTemplate } from './application-template';
import { templateOf } from './generators/generator-template';
import { mayGiveSeveral } from './generators/generators';
import type { Generator } from './generators/generators';
import { both, givenFields, lackingIn, lackingInPlain, ownFields } from './generators/given-fields';
import type { GivenFields, Lacking } from './generators/given-fields';
import { checkTemplateTexts, goFields, knownParameters, literalParts } from './go-template';
import { checkStrategy } from './rolling-sync';
import type { ApplicationSetStrategy } from './rolling-sync';

/** How templates are read. */
interface TemplateLanguage {
  /** Whether they are Go templates; else names are replaced. */
  readonly goTemplate: boolean;
  /** Whether a field that is not there is an error of Go templates, not a text such as `<no value>`. */
  readonly isMissingError: boolean;
}

/** A text with template expressions, and the generators whose parameters it reads. */
interface JudgedText {
  readonly path: string;
  readonly text: string;
  readonly generators: readonly GivingGenerator[];
}

/** A generator by what it gives. */
interface GivingGenerator {
  /** Of the generator in the arguments. */
  readonly path: string;
  readonly given: GivenFields;
}

/** The texts with template expressions in plain data; names of fields among them. */
function templateTexts(path: string, value: unknown): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') {
    return value.includes('{{') ? [[path, value]] : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((each, position) => templateTexts(`${path}[${position}]`, each));
  }
  return isMapping(value)
    ? Object.entries(value).flatMap(([key, below]) => [
        ...templateTexts(path, key),
        ...templateTexts(`${path}.${key}`, below),
      ])
    : [];
}

/** What is rendered later has templates of its own, which plain substitution leaves as they are. */
const passedOn = /\.(?:helm|kustomize|plugin|directory|annotations)\b/;

/** Refuses fields that no generator gives, or that one of several lacks. */
function checkTemplateFields(problems: Problems, judged: JudgedText, language: TemplateLanguage): void {
  const { path, text, generators } = judged;
  const wholly = generators.map(({ given }) => given).reduce(both);
  const seen = new Set<string>();
  for (const { lackedBy, isSure, name } of usesIn(text, language)) {
    const lacking = lackedBy(wholly);
    if (seen.has(name)) {
      continue;
    }
    seen.add(name);
    if (lacking) {
      const near = nearestOf(lacking);
      if (language.goTemplate || near !== undefined || !passedOn.test(path)) {
        problems.add(
          path,
          text,
          `a template of what the generators give: ${saying(lacking, near, language)}`,
        );
      }
    } else if (isSure && (language.goTemplate || !passedOn.test(path))) {
      const without = generators.find(({ given }) => lackedBy(given));
      if (without) {
        const field = saying(lackedBy(without.given)!, undefined, language);
        problems.add(path, text, `a template of what every generator gives: of ${without.path} ${field}`);
      }
    }
  }
}

/** A field that a text reads. */
interface Use {
  readonly name: string;
  readonly lackedBy: (given: GivenFields) => Lacking | undefined;
  /** Whether a generator that does not give it is a mistake although another one does. */
  readonly isSure: boolean;
}

function usesIn(text: string, { goTemplate, isMissingError }: TemplateLanguage): readonly Use[] {
  if (goTemplate) {
    return goFields(text)
      .filter(({ isWritten }) => isMissingError || isWritten)
      .map(({ names, isSure }) => ({
        name: names.join('.'),
        lackedBy: (given) => lackingIn(given, names),
        isSure: isSure && isMissingError,
      }));
  }
  return [...text.matchAll(/\{\{\s*([A-Za-z_][^{}\s]*)\s*\}\}/g)].map(([, tag]) => ({
    name: tag!,
    lackedBy: (given) => lackingInPlain(given, tag!),
    isSure: true,
  }));
}

function nearestOf({ way, given }: Lacking): string | undefined {
  return nearKey(way.at(-1)!, given);
}

/** As many as a line holds. */
const mostGiven = 15;

function saying({ way, given }: Lacking, near: string | undefined, { goTemplate }: TemplateLanguage): string {
  const written = (name: string): string =>
    `${goTemplate ? '.' : ''}${[...way.slice(0, -1), name].join('.')}`;
  const listed = given.slice(0, mostGiven).map(written);
  const all = given.length > mostGiven ? [...listed, '…'] : listed;
  const spelled = near === undefined ? '' : `, which may be meant for "${written(near)}"`;
  const there = all.length === 0 ? 'there is nothing below it' : `given are ${all.join(', ')}`;
  return `"${written(way.at(-1)!)}" is not given${spelled}; ${there}`;
}

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
