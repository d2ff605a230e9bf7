import { shortMessage } from '../../../core/redaction';
import type * as Rules from '../../../lint';

/** What a plugin has written to stdout. */
export interface CheckedOutput {
  /** How many objects it has. */
  readonly objects: number;
  /** What in it is no Kubernetes object. */
  readonly problems: readonly OutputProblem[];
}

/** Something in the output that is no Kubernetes object. */
export interface OutputProblem {
  /** From 1. */
  readonly line: number;
  /** Why it is none. */
  readonly reason: string;
  /** The line, without what looks like a secret. */
  readonly text: string;
}

/**
 * Checks a text as Argo CD reads it: YAML documents between lines `---`, each of them one object. Blank output is a
 * problem, too: with pruning Argo CD would delete everything.
 *
 * @see https://github.com/argoproj/gitops-engine/blob/97ad5b59a627/pkg/utils/kube/kube.go SplitYAMLToString
 */
export function checkOutput(output: string): CheckedOutput {
  const documents = documentsOf(output);
  const checked = documents.map(checkDocument);
  const problems = checked.flatMap((each) => each.problems);
  const objects = checked.reduce((sum, each) => sum + each.objects, 0);
  return objects === 0 && problems.length === 0
    ? { objects, problems: [{ line: 1, reason: 'blank output: there is no object', text: '' }] }
    : { objects, problems };
}

interface OutputDocument {
  readonly lines: readonly string[];
  /** Line before its first one, in the output. */
  readonly before: number;
}

function documentsOf(output: string): readonly OutputDocument[] {
  const documents: OutputDocument[] = [];
  let [lines, before]: [string[], number] = [[], 0];
  output.split(/\r?\n/).forEach((line, position) => {
    if (/^---(?:\s|$)/.test(line)) {
      documents.push({ lines, before });
      // What is behind the dashes is part of the document.
      [lines, before] = [[line.slice(3).trimStart()], position];
    } else {
      lines.push(line);
    }
  });
  return [...documents, { lines, before }];
}

function checkDocument(document: OutputDocument): CheckedOutput {
  // Whoever checks no output is spared the loading of all rules.
  const { Field, parseYaml } = require('../../../lint') as typeof Rules;
  let value: unknown;
  try {
    value = parseYaml(document.lines.join('\n'), { repeatedKeys: true });
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line?: number } };
    const at = strayLine(document) ?? mark?.line ?? 0;
    return { objects: 0, problems: [problem(document, at, `not YAML: ${reason ?? "it can't be read"}`)] };
  }
  if (value === undefined || value === null) {
    return { objects: 0, problems: [] };
  }
  const stray = strayLine(document);
  const reasons = objectProblems(Field.ofValue(value));
  if (reasons.length === 0 && stray !== undefined) {
    return { objects: 0, problems: [problem(document, stray, 'a line that is no field of an object')] };
  }
  return reasons.length === 0
    ? { objects: Field.ofValue(value).get('items').items.length || 1, problems: [] }
    : {
        objects: 0,
        problems: reasons.map((reason) => problem(document, stray ?? firstLine(document), reason)),
      };
}

function objectProblems(object: Rules.Field): string[] {
  if (typeof object.value !== 'object' || Array.isArray(object.value)) {
    const kind = Array.isArray(object.value) ? 'a list' : `a ${typeof object.value}`;
    return [`not a Kubernetes object: ${kind} (Argo CD: "cannot unmarshal")`];
  }
  const kind = object.get('kind').text ?? '';
  if (kind === '') {
    return ['not a Kubernetes object: it has no kind (Argo CD: "Object \'Kind\' is missing")'];
  }
  if (!object.get('apiVersion').text) {
    return [`${kind}: it has no apiVersion`];
  }
  if (kind.endsWith('List') && Array.isArray(object.get('items').value)) {
    return object.get('items').items.flatMap(objectProblems);
  }
  const named = object.get('metadata', 'name').text ?? object.get('metadata', 'generateName').text;
  return named ? [] : [`${kind}: it has no metadata.name`];
}

/** The first line that has no place at the top of an object: a log line of a tool, most likely. In JSON there is none. */
function strayLine({ lines }: OutputDocument): number | undefined {
  if (
    lines
      .find((line) => line.trim() !== '')
      ?.trimStart()
      .startsWith('{')
  ) {
    return undefined;
  }
  const position = lines.findIndex((line) => line !== '' && !atTop.test(line));
  return position < 0 ? undefined : position;
}

/** Indented, blank, a comment, a bracket, a dash, or a key as objects have them. */
const atTop = /^(?:\s|#|[-{}[\]]|[a-z][A-Za-z0-9]{0,60}:(?:\s|$)|"[^"]{1,60}":)/;

function firstLine({ lines }: OutputDocument): number {
  return Math.max(
    lines.findIndex((line) => line.trim() !== '' && !line.trimStart().startsWith('#')),
    0,
  );
}

function problem({ lines, before }: OutputDocument, position: number, reason: string): OutputProblem {
  return {
    line: before + Math.min(position, lines.length - 1) + 1,
    reason,
    text: shortMessage(lines[position] ?? '', 200),
  };
}
