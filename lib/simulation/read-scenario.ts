import type { Document } from 'yaml';
import { isCollection, isMap, isPair, visit } from 'yaml';
import type { Problem } from '../problems';
import { InvalidInput } from '../problems';
import { checkLength, firstProblems, moreProblems, pairOf, readYaml } from '../reading';
import type { Scenario } from './scenario';
import { scenarioProblems } from './scenario-problems';

/**
 * Reads a scenario from YAML or JSON text. Nothing that it does not know is passed over.
 *
 * @param file name of the file, for messages
 * @param slots names of the slots of the plan that it is for; without them names are not judged
 * @throws InvalidInput with every problem, each with its line and column: `outage.yaml:3:5 slots.green.errorShare`
 */
export function readScenario(text: string, file: string, slots?: readonly string[]): Scenario {
  checkLength(text, file);
  const { document, lines, problems } = readYaml(text);
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const unread = problems.map(({ offset, message }): Problem => ({
    path: place(offset),
    allowed: `YAML: ${message}`,
  }));
  visit(document, {
    Alias: (_, { source, range }) => {
      unread.push({
        path: place(range?.[0] ?? 0),
        value: `*${source}`,
        allowed: 'written out: aliases are not read here',
      });
    },
  });
  if (unread.length > 0) {
    throw new InvalidInput(file, unread);
  }
  const scenario: unknown = document.toJS();
  const found = scenarioProblems(scenario, slots);
  const located = firstProblems(found).map((problem) => ({
    problem,
    offset: offsetOf(document, problem.path),
  }));
  if (located.length > 0) {
    located.sort((one, other) => one.offset - other.offset);
    throw new InvalidInput(file, [
      ...located.map(({ problem, offset }): Problem => {
        const where = place(offset);
        return { ...problem, path: problem.path === '' ? where : `${where} ${problem.path}` };
      }),
      ...moreProblems(file, found),
    ]);
  }
  return scenario as Scenario;
}

/** Where the innermost part of the path begins that is there: its key, where it has one. */
function offsetOf(document: Document, path: string): number {
  let node: unknown = document.contents;
  let offset = start(node) ?? 0;
  for (const key of path.match(/[^.[\]]+/g) ?? []) {
    const pair = isMap(node) ? pairOf(node, key) : undefined;
    const next: unknown = pair ? pair.value : isCollection(node) ? node.items[Number(key)] : undefined;
    const found = start(pair?.key) ?? start(isPair(next) ? undefined : next);
    if (found === undefined) {
      break;
    }
    offset = found;
    node = next;
  }
  return offset;
}

function start(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}
