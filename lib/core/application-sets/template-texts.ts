import { isPlainObject } from '../validation/problems';
import { givenBy, ownFields, union } from './given-fields';
import type { Given, GivenFields } from './given-fields';
import { generatorTemplateOver } from './set-generator';
import type { SetGenerator, Steps } from './set-generator';

/** What of an ApplicationSet makes Applications. */
export interface TemplatedSet {
  /** All of them. */
  readonly generators: readonly SetGenerator[];
  /** What every Application looks like, and its place. */
  readonly template: { readonly steps: Steps; readonly value: unknown };
  /** Its place, and the patch. @default - none */
  readonly templatePatch?: { readonly steps: Steps; readonly value: unknown };
  /** Whether templates are Go templates; else names are replaced. */
  readonly goTemplate: boolean;
  /** Options of Go templates. */
  readonly goTemplateOptions: readonly string[];
}

/** A generator by what it gives. */
export interface GivingGenerator {
  readonly generator: SetGenerator;
  readonly given: Given;
}

/** A text with template expressions, and the generators whose parameters it reads. */
export interface EvaluatedText {
  readonly steps: Steps;
  readonly text: string;
  readonly generators: readonly GivingGenerator[];
}

/** The texts of an ApplicationSet that Argo CD takes for templates, each once. */
export function evaluatedTexts(set: TemplatedSet): readonly EvaluatedText[] {
  const evaluated = new Map<string, { steps: Steps; text: string; generators: GivingGenerator[] }>();
  const add: Add = (steps, text, generator) => {
    const key = JSON.stringify([steps, text]);
    const known = evaluated.get(key) ?? { steps, text, generators: [] };
    known.generators.push(generator);
    evaluated.set(key, known);
  };
  const { template, templatePatch, goTemplate } = set;
  const shared = new Set(textsIn(template.steps, template.value).map((each) => JSON.stringify(each)));
  const patch = goTemplate && templatePatch ? textsIn(templatePatch.steps, templatePatch.value) : [];
  for (const generator of set.generators) {
    const giving = { generator, given: givenBy(generator, goTemplate) };
    // Without any parameter Argo CD leaves the template as it is.
    if (givesFields(giving.given)) {
      const own = [...generator.steps, 'template'];
      for (const [steps, text] of textsIn(
        template.steps,
        generatorTemplateOver(generator.template, template.value),
      )) {
        const isShared = shared.has(JSON.stringify([steps, text]));
        add(isShared ? steps : [...own, ...steps.slice(template.steps.length)], text, giving);
      }
      patch.forEach(([steps, text]) => add(steps, text, giving));
    }
    generatorTexts(generator, goTemplate, [], add);
  }
  return [...evaluated.values()];
}

type Add = (steps: Steps, text: string, generator: GivingGenerator) => void;

function givesFields({ some }: Given): boolean {
  return some.isOpen || Object.keys(some.fields).length > 0;
}

/** The texts with template expressions in plain data; names of fields among them. */
function textsIn(steps: Steps, value: unknown): readonly (readonly [steps: Steps, text: string])[] {
  if (typeof value === 'string') {
    return value.includes('{{') ? [[steps, value]] : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((each, position) => textsIn([...steps, position], each));
  }
  return isPlainObject(value)
    ? Object.entries(value).flatMap(([key, below]) => [
        ...textsIn(steps, key),
        ...textsIn([...steps, key], below),
      ])
    : [];
}

/**
 * Texts of generators: further parameters read those of their own generator, and whatever stands in the second generator of a
 * matrix reads the first one's. What the outermost matrix fills in goes before the others: where a name is missing, it fails.
 */
function generatorTexts(
  generator: SetGenerator,
  goTemplate: boolean,
  fillers: readonly GivingGenerator[],
  add: Add,
): void {
  const { kind, steps, settings } = generator;
  const [first] = generator.generators;
  generator.generators.forEach((child, position) => {
    const given = kind === 'matrix' && position === 1 && first ? givenBy(first, goTemplate) : undefined;
    const isFilled = given !== undefined && givesFields(given);
    generatorTexts(child, goTemplate, isFilled ? [...fillers, { generator: first!, given }] : fillers, add);
  });
  const { values, ...rest } = settings;
  const [outermost] = fillers;
  if (outermost) {
    const filling = goTemplate ? outermost : { ...outermost, given: allOf(fillers) };
    textsIn(steps, rest).forEach(([place, text]) => add(place, text, filling));
  }
  // Argo CD takes these as they are.
  if (kind !== 'clusterDecisionResource' && values !== undefined) {
    const given = allOf(fillers, ownFields(generator, goTemplate));
    textsIn([...steps, 'values'], values).forEach(([place, text]) => add(place, text, { generator, given }));
  }
}

function allOf(givers: readonly GivingGenerator[], ...own: readonly GivenFields[]): Given {
  return {
    some: union([...own, ...givers.map(({ given }) => given.some)]),
    every: union([...own, ...givers.map(({ given }) => given.every)]),
  };
}
