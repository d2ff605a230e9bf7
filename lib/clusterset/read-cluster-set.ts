import type { Document } from 'yaml';
import { isMap, isNode, isSeq } from 'yaml';
import type { Problem } from '../problems';
import { InvalidInput } from '../problems';
import { checkLength, firstProblems, moreProblems, pairOf, plainValue, readYaml } from '../reading';
import type { ClusterSet } from './cluster-set';
import { clusterSetProblems } from './cluster-set-problems';
import type { Steps } from './located-problems';

/**
 * Reads a set from YAML or JSON.
 *
 * @param file name of the file, for messages
 * @throws InvalidInput with every problem: `clusterset.yaml:7:9 spec.template.metadata.labels.env: …`
 */
export function parseClusterSet(text: string, file: string): ClusterSet {
  checkLength(text, file);
  const { document, lines, problems: unread } = readYaml(text);
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const unreadable = unread.map(({ offset, message, code }): Problem => ({
    path: at(offset),
    allowed: code === 'MULTIPLE_DOCS' ? 'the end of the file: one set a file' : `valid YAML: ${message}`,
  }));
  throwIfAny(file, unreadable);
  const content = contentOf(document, file);
  const found = clusterSetProblems(content);
  const problems = firstProblems(found).map(({ steps, ...problem }) => ({
    ...problem,
    path: `${at(offsetOf(document, steps))} ${problem.path}`.trimEnd(),
  }));
  throwIfAny(file, [...problems, ...moreProblems(file, found)]);
  return content as ClusterSet;
}

/**
 * Checks a set that a program made.
 *
 * @throws InvalidInput with every problem
 */
export function checkClusterSet(set: ClusterSet): void {
  throwIfAny(
    'ClusterSet',
    clusterSetProblems(set).map(({ steps: _steps, ...problem }) => problem),
  );
}

function contentOf(document: Document, file: string): unknown {
  const read = plainValue(document);
  if ('reason' in read) {
    throw new InvalidInput(file, [{ path: `${file}:1:1`, allowed: `valid YAML without ${read.reason}` }]);
  }
  return read.value;
}

/** Where a field stands: its key, or the innermost part of its way that is there. */
function offsetOf(document: Document, steps: Steps): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of steps) {
    const pair = isMap(node) ? pairOf(node, String(step)) : undefined;
    node = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined;
    const place = pair?.key ?? node;
    if (!isNode(place)) {
      break;
    }
    offset = place.range?.[0] ?? offset;
  }
  return offset;
}

function throwIfAny(subject: string, problems: readonly Problem[]): void {
  if (problems.length > 0) {
    throw new InvalidInput(subject, problems);
  }
}
