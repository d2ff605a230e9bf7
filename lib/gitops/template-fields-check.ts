import type { Problems } from '../problems';
import { isMapping, nearKey } from '../problems';
import type { GivenFields, Lacking } from './given-fields';
import { both, lackingIn, lackingInPlain } from './given-fields';
import { goFields } from './go-fields';

/** How templates are read. */
export interface TemplateLanguage {
  /** Whether they are Go templates; else names are replaced. */
  readonly goTemplate: boolean;
  /** Whether a field that is not there is an error of Go templates, not a text such as `<no value>`. */
  readonly isMissingError: boolean;
}

/** A text with template expressions, and the generators whose parameters it reads. */
export interface JudgedText {
  readonly path: string;
  readonly text: string;
  readonly generators: readonly GivingGenerator[];
}

/** A generator by what it gives. */
export interface GivingGenerator {
  /** Of the generator in the arguments. */
  readonly path: string;
  readonly given: GivenFields;
}

/** The texts with template expressions in plain data; names of fields among them. */
export function templateTexts(
  path: string,
  value: unknown,
): readonly (readonly [path: string, text: string])[] {
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
export function checkTemplateFields(
  problems: Problems,
  judged: JudgedText,
  language: TemplateLanguage,
): void {
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
