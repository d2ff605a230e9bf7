import { checkLength, firstProblems, moreProblems, offsetAt } from './document';
import { withMergeKeys } from './merge-keys';
import { InvalidInput, isPlainObject } from './problems';
import type { Problem } from './problems';
import type { PlacedProblem, PathSteps } from './schema';
import { plainYaml, readYaml } from './yaml';
import type { YamlProblem } from './yaml';

/** The content of a file of settings, and where it stands there. */
interface PlacedSettings<T> {
  readonly value: T;
  /** Line of what the steps lead to, from 1. */
  readonly lineOf: (steps: PathSteps) => number;
}

/**
 * Reads a file of this library's settings, YAML or JSON. Merge keys are in place; keys of the file that begin with `x-` are the
 * user's own, for anchors, and left out.
 *
 * @param file its name, for messages
 * @param evaluate everything that is wrong with its content
 * @returns the content
 * @throws InvalidInput with every problem, each with its line and column: `outage.yaml:3:5 slots.green.errorShare`
 */
export function readSettings<T>(
  text: string,
  file: string,
  evaluate: (content: unknown) => readonly PlacedProblem[],
): T {
  return readPlacedSettings<T>(text, file, evaluate).value;
}

/** The same, with the places of what is said there. */
export function readPlacedSettings<T>(
  text: string,
  file: string,
  evaluate: (content: unknown) => readonly PlacedProblem[],
): PlacedSettings<T> {
  return readPlaced(text, file, evaluate, (content) => withoutOwnKeys(withMergeKeys(content)));
}

/** Reads a YAML or JSON file of another format, as {@link readSettings} does, with its keys as they are written. */
export function readForeignSettings<T>(
  text: string,
  file: string,
  evaluate: (content: unknown) => readonly PlacedProblem[],
): T {
  return readPlaced<T>(text, file, evaluate, (content) => content).value;
}

/** As in files of Docker Compose and OpenAPI. */
function withoutOwnKeys(content: unknown): unknown {
  return isPlainObject(content)
    ? Object.fromEntries(Object.entries(content).filter(([key]) => !key.startsWith('x-')))
    : content;
}

function readPlaced<T>(
  text: string,
  file: string,
  evaluate: (content: unknown) => readonly PlacedProblem[],
  asSettings: (content: unknown) => unknown,
): PlacedSettings<T> {
  checkLength(text, file);
  const { document, lines, problems } = readYaml(text);
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  throwIfAny(
    file,
    shownProblems(problems).map((problem) => ({ path: at(problem.offset), allowed: readable(problem) })),
  );
  const read = plainYaml(document);
  if ('reason' in read) {
    throw new InvalidInput(file, [{ path: at(0), allowed: `YAML without ${read.reason}` }]);
  }
  const value = asSettings(read.value);
  const offsetOf = (steps: PathSteps): number =>
    offsetAt(document, steps) ?? document.contents?.range[0] ?? 0;
  const found = evaluate(value);
  // A problem that names a key says more than that the file is empty.
  const isOfAll = found.length > 0 && found.every(({ steps }) => steps.length === 0);
  if ((value === null || value === undefined) && isOfAll) {
    throw new InvalidInput(file, [{ path: at(0), allowed: 'a file with settings: this one is empty' }]);
  }
  const placed = firstProblems(found).map(({ steps, ...problem }) => ({
    problem: steps.length === 0 ? withoutValue(problem) : problem,
    offset: offsetOf(steps),
  }));
  placed.sort((one, other) => one.offset - other.offset);
  throwIfAny(file, [
    ...placed.map(({ problem, offset }) => ({ ...problem, path: `${at(offset)} ${problem.path}`.trimEnd() })),
    ...moreProblems(file, found),
  ]);
  return {
    value: value as T,
    lineOf: (steps) => Math.max(1, lines.linePos(offsetOf(steps)).line),
  };
}

/** Of a problem with a whole file: the file may hold a secret. */
function withoutValue({ value: _value, ...problem }: Problem): Problem {
  return problem;
}

const instead: Partial<Record<YamlProblem['code'], string>> = {
  MULTIPLE_DOCS: 'the end of the file: it has one document',
  TAG_RESOLVE_FAILED: 'plain YAML without tags of its own',
};

/** What follows the first errors of syntax comes of them: in a file that is none of YAML, one for every few characters. */
const mostSyntax = 3;

function shownProblems(problems: readonly YamlProblem[]): readonly YamlProblem[] {
  const syntax = problems.filter(({ code }) => instead[code] === undefined && code !== 'DUPLICATE_KEY');
  const more = new Set(syntax.slice(mostSyntax));
  return problems.filter((problem) => !more.has(problem)).sort((one, other) => one.offset - other.offset);
}

function readable({ code, message }: YamlProblem): string {
  return code === 'DUPLICATE_KEY' ? `another key: ${message}` : (instead[code] ?? `YAML or JSON: ${message}`);
}

function throwIfAny(file: string, problems: readonly Problem[]): void {
  if (problems.length > 0) {
    throw new InvalidInput(file, problems);
  }
}
