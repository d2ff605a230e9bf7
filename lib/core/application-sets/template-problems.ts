import { hasMarker } from '../tokens';
import { nearKey } from '../validation/near-key';
import { fieldsOf, givenBy, lackingIn, lackingInPlain, union } from './given-fields';
import type { GivenFields, Lacking } from './given-fields';
import { readGoTemplate } from './go-template';
import { readPlainTemplate } from './plain-template';
import { elementsOf } from './set-generator';
import type { SetGenerator, Steps } from './set-generator';
import { evaluatedTexts } from './template-texts';
import type { GivingGenerator, EvaluatedText, TemplatedSet } from './template-texts';

/** What is wrong with a template of an ApplicationSet. */
export interface TemplateProblem {
  /** The place of the text. */
  readonly steps: Steps;
  /** The text. */
  readonly text: string;
  /**
   * `refused`: Argo CD makes no Application of it. `noValue`: it writes `<no value>`. `asItIs`: the expression stays in the
   * Application.
   */
  readonly effect: 'refused' | 'noValue' | 'asItIs';
  /** What is allowed. */
  readonly allowed: string;
  /** What it is instead. @default - the opposite of what is allowed */
  readonly fault?: string;
}

/** How templates are read. */
interface Reading {
  readonly goTemplate: boolean;
  /** Whether a field that is not there is an error of Go templates, not a text such as `<no value>`. */
  readonly isMissingError: boolean;
  /** Parameters that generators are known to give. */
  readonly parameters: ReadonlySet<string>;
  /** A place, for a person. */
  readonly place: (steps: Steps) => string;
}

/** Parameters that generators give by themselves. */
const builtIn = [
  'name',
  'nameNormalized',
  'server',
  'project',
  'clusters',
  'path',
  'values',
  'metadata',
  'generator',
];

/**
 * What is wrong with the templates of an ApplicationSet: what Argo CD can't read, and fields that no generator gives, or that
 * one of several generators or elements lacks. What only a cluster or a repository knows is taken for given.
 *
 * @param place a place, for a person
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/GoTemplate/
 */
export function templateProblems(
  set: TemplatedSet,
  place: (steps: Steps) => string,
): readonly TemplateProblem[] {
  const { goTemplate } = set;
  const given = set.generators.flatMap((each) => Object.keys(givenBy(each, goTemplate).some.fields));
  const reading: Reading = {
    goTemplate,
    isMissingError: set.goTemplateOptions.includes('missingkey=error'),
    parameters: new Set([...builtIn, ...given]),
    place,
  };
  return evaluatedTexts(set).flatMap((evaluated) => problemsOf(evaluated, reading));
}

function problemsOf(evaluated: EvaluatedText, reading: Reading): readonly TemplateProblem[] {
  const { steps, text } = evaluated;
  const { fault, uses } = reading.goTemplate ? goUses(text, reading) : plainUses(text);
  const swapped = !reading.goTemplate
    ? dotted(evaluated, reading)
    : fault === undefined
      ? []
      : undotted(text, reading);
  if (swapped.length > 0) {
    const effect = reading.goTemplate ? 'refused' : 'asItIs';
    return swapped.map((allowed) => ({ steps, text, effect, allowed }));
  }
  // What a deployment puts into the text may be what it lacks.
  if (fault !== undefined && !hasMarker(text)) {
    return [{ steps, text, effect: 'refused', allowed: 'a template that Argo CD can read', fault }];
  }
  return missingFields(evaluated, uses, reading);
}

/** An expression that is a bare parameter: `{{name}}`, `{{ metadata.labels.env }}`, `{{path[0]}}`. */
const bareParameter = /\{\{-?\s*([A-Za-z_]\w*)((?:\.[\w./-]+)?(?:(?:\[\d+\])+(?:\.[\w./-]+)?)*)\s*-?\}\}/g;

/** `{{name}}` is no Go template: the controller stops with an unknown function. */
function undotted(text: string, { parameters }: Reading): readonly string[] {
  return [...text.matchAll(bareParameter)]
    .filter(([, name, rest]) => rest !== '' || parameters.has(name!))
    .map(([expression]) => `a Go template: "{{.name}}" with a leading dot instead of "${expression}"`);
}

/** An expression that starts as a Go template's do: `{{ .name }}`. */
const goExpression = /\{\{-?\s*\.(\w*)/g;

/** `{{.name}}` stays as it is where Go templates are off; what is rendered later may have its own. */
function dotted({ steps, text }: EvaluatedText, { parameters }: Reading): readonly string[] {
  const found = [...text.matchAll(goExpression)].some(
    ([, name]) => !isPassedOn(steps) || parameters.has(name!),
  );
  return found ? ['a template such as "{{name}}", without a leading dot: "goTemplate" is off'] : [];
}

/** What is rendered later has templates of its own, which plain substitution leaves as they are. */
function isPassedOn(steps: Steps): boolean {
  return steps.some((step) => passedOn.has(String(step)));
}

const passedOn = new Set(['helm', 'kustomize', 'plugin', 'directory', 'annotations']);

/** A field that a text reads. */
interface Use {
  readonly name: string;
  readonly lackedBy: (given: GivenFields) => Lacking | undefined;
  /** Whether a generator that does not give it is a mistake although another one does. */
  readonly isSure: boolean;
}

interface Uses {
  readonly fault?: string;
  readonly uses: readonly Use[];
}

function goUses(text: string, { isMissingError }: Reading): Uses {
  const { fault, fields } = readGoTemplate(text);
  const uses = fields
    .filter(({ isWritten }) => isMissingError || isWritten)
    .map(({ names, isSure }): Use => ({
      name: names.join('.'),
      lackedBy: (given) => lackingIn(given, names),
      // Of further parameters, which are texts, what is missing is an empty one.
      isSure: isSure && (isMissingError || names[0] !== 'values'),
    }));
  return { ...(fault === undefined ? {} : { fault }), uses };
}

function plainUses(text: string): Uses {
  const { fault, tags } = readPlainTemplate(text);
  const uses = tags
    .filter((tag) => /^[A-Za-z_][^{}\s]*$/.test(tag))
    .map((tag): Use => ({ name: tag, lackedBy: (given) => lackingInPlain(given, tag), isSure: true }));
  return { ...(fault === undefined ? {} : { fault }), uses };
}

/** Of one text: a person reads no more, and each costs a look at every element. */
const mostProblems = 20;

/** Fields that no generator gives, or that one of several generators or elements lacks. */
function missingFields(
  { steps, text, generators }: EvaluatedText,
  uses: readonly Use[],
  reading: Reading,
): readonly TemplateProblem[] {
  const isOpen = !reading.goTemplate && isPassedOn(steps);
  const effect = !reading.goTemplate ? 'asItIs' : reading.isMissingError ? 'refused' : 'noValue';
  const wholly = union(generators.map(({ given }) => given.some));
  const problems: TemplateProblem[] = [];
  const seen = new Set<string>();
  for (const { name, lackedBy, isSure } of uses) {
    if (seen.has(name) || problems.length >= mostProblems) {
      continue;
    }
    seen.add(name);
    const lacking = lackedBy(wholly);
    if (lacking) {
      const near = nearKey(lacking.way.at(-1)!, lacking.given);
      if (near !== undefined || !isOpen) {
        const allowed = 'a template of what the generators give';
        problems.push({ steps, text, effect, allowed, fault: saying(lacking, near, reading) });
      }
    } else if (isSure && !isOpen) {
      const without = lackingPart(generators, lackedBy);
      if (without) {
        const fault = `of ${reading.place(without.steps)} ${saying(without.lacking, undefined, reading)}`;
        const allowed = `a template of what every ${without.isElement ? 'element' : 'generator'} gives`;
        problems.push({ steps, text, effect, allowed, fault });
      }
    }
  }
  return problems;
}

/** As many as a line holds. */
const mostGiven = 15;

function saying({ way, given }: Lacking, near: string | undefined, { goTemplate }: Reading): string {
  const written = (name: string): string =>
    `${goTemplate ? '.' : ''}${[...way.slice(0, -1), name].join('.')}`;
  const listed = given.slice(0, mostGiven).map(written);
  const all = given.length > mostGiven ? [...listed, '…'] : listed;
  const spelled = near === undefined ? '' : `, which may be meant for "${written(near)}"`;
  const there = all.length === 0 ? 'there is nothing below it' : `given are ${all.join(', ')}`;
  return `"${written(way.at(-1)!)}" is not given${spelled}; ${there}`;
}

/** Where a field is lacking that is given elsewhere. */
interface LackingPart {
  readonly steps: Steps;
  readonly lacking: Lacking;
  readonly isElement: boolean;
}

function lackingPart(
  generators: readonly GivingGenerator[],
  lackedBy: Use['lackedBy'],
): LackingPart | undefined {
  for (const { generator, given } of generators) {
    const lacking = lackedBy(given.some);
    if (lacking) {
      return { steps: generator.steps, lacking, isElement: false };
    }
  }
  for (const { generator, given } of generators) {
    const lacking = lackedBy(given.every);
    if (lacking) {
      return lackingElement(generator, lackedBy) ?? { steps: generator.steps, lacking, isElement: false };
    }
  }
  return undefined;
}

/** The first element without it, of a list in which others have it. */
function lackingElement(generator: SetGenerator, lackedBy: Use['lackedBy']): LackingPart | undefined {
  for (const [position, element] of elementsOf(generator).entries()) {
    const lacking = lackedBy(fieldsOf(element));
    if (lacking) {
      return { steps: [...generator.steps, 'elements', position], lacking, isElement: true };
    }
  }
  // Where some elements have it, the others were meant to.
  const children = generator.generators.filter((each) => !lackedBy(givenBy(each, true).some));
  for (const child of children) {
    const found = lackingElement(child, lackedBy);
    if (found) {
      return found;
    }
  }
  return undefined;
}
