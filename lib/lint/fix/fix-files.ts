import { refuseArguments } from '../../core/validation/arguments';
import { applyPatch } from '../changes';
import { lintEvaluated } from '../engine';
import type { ManifestObject, ObjectSource } from '../object';
import { lintOptions } from '../options';
import type { LintOptions, LintResult } from '../options';
import { objectOf } from '../raised-findings';
import { splitDocuments } from '../read/documents';
import { readManifests } from '../read/manifests';
import type { JsonPatchOperation, Finding } from '../rule';
import { fixDocument } from './fix-document';
import { leftAs } from './left-as';
import type { UnfixedFinding } from './left-as';

/** Of findings that are placed in another text. */
const sources = new WeakMap<Finding, ObjectSource>();

/**
 * Gives findings the lines of the same objects in another text: fixes change what objects say, and never how many there are
 * nor which document they are in.
 *
 * @param objects as they are in that text
 */
export function placedIn(objects: readonly ManifestObject[]): (finding: Finding) => Finding {
  const places = new Map(objects.flatMap(({ source }) => (source ? [[sourceKey(source), source]] : [])));
  return (finding) => {
    const from = sources.get(finding) ?? objectOf(finding)?.source;
    const to = from && places.get(sourceKey(from));
    if (!from || !to || finding.line === undefined) {
      return finding;
    }
    // What no pointer names is as far below the first line of the object.
    const isByPointer = finding.line === from.lineOf(finding.pointer);
    const line = isByPointer ? to.lineOf(finding.pointer) : finding.line - from.line + to.line;
    const placed = { ...finding, line };
    sources.set(placed, to);
    return placed;
  };
}

function sourceKey({ file, document, pointer }: ObjectSource): string {
  return JSON.stringify([file, document, pointer]);
}

/** Findings of one object whose changes can be made together. */
function compatible(findings: readonly Finding[]): Finding[] {
  const taken: string[] = [];
  return findings.filter(({ fixPatch: patch = [] }) => {
    const roots = patch.map(rootOf);
    const isFree = roots.every((root) => !taken.some((other) => overlap(root, other)));
    if (isFree) {
      taken.push(...roots);
    }
    return isFree;
  });
}

/** What a change may move: a list where an item comes or goes. */
function rootOf({ op, path }: JsonPatchOperation): string {
  return op !== 'replace' && /\/(?:\d+|-)$/.test(path) ? path.slice(0, path.lastIndexOf('/')) : path;
}

function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/** A change of an object as one of its document. */
function inDocument(pointer: string, changes: readonly JsonPatchOperation[]): JsonPatchOperation[] {
  return changes.map((change) => ({ ...change, path: pointer + change.path }));
}

/** What fixing came to. */
export interface FixResult {
  /** Fixed texts by file: files with nothing to fix are not among them. */
  readonly texts: ReadonlyMap<string, string>;
  /** What is fixed, as it was found, with its line in the fixed text. */
  readonly fixed: readonly Finding[];
  /** What was found at first and is gone with what was fixed. */
  readonly gone: readonly Finding[];
  /** What is not fixed. */
  readonly leftAlone: readonly UnfixedFinding[];
  /** All objects, the fixed ones as they are now. */
  readonly objects: readonly ManifestObject[];
  /** What is found in the fixed objects. */
  readonly after: LintResult;
}

/** A fix may uncover another finding; one that never ends is a mistake of a rule. */
const mostRounds = 10;

/**
 * Fixes what rules can fix safely, and checks again what came out, until nothing more can be done. All findings are fixed;
 * those below `minSeverity` are left out of what is still found.
 *
 * @param objects read by {@link readManifests}
 * @param readFile gives the text of a file that objects come from
 * @param mayChange whether a file may be changed; those that may not are read. @default - all may
 */
export function fixFiles(
  objects: readonly ManifestObject[],
  readFile: (file: string) => string,
  options: LintOptions = {},
  mayChange: (file: string) => boolean = () => true,
): FixResult {
  refuseArguments('fixFiles', lintOptions, options);
  const every: LintOptions = { ...options, minSeverity: 'info' };
  const texts = new Map<string, string>();
  const fixed: Finding[] = [];
  const refused = new Map<string, string>();
  let current = objects;
  let result = lintEvaluated(current, every);
  const first = result.findings;
  for (let round = 0; round < mostRounds; round += 1) {
    const before = fixed.length;
    for (const [file, findings] of byFile(result.findings, refused, mayChange)) {
      const outcome = patchText(texts.get(file) ?? readFile(file), findings);
      outcome.refused.forEach((reason, key) => refused.set(key, reason));
      if (outcome.fixed.length > 0) {
        texts.set(file, outcome.text);
        fixed.push(...outcome.fixed);
      }
    }
    if (fixed.length === before) {
      break;
    }
    current = reread(objects, texts);
    result = lintEvaluated(current, every);
  }
  const after = (options.minSeverity ?? 'info') === 'info' ? result : lintEvaluated(current, options);
  const leftAlone = after.findings.map((finding) => leftAs(finding, refused.get(keyOf(finding))));
  const known = new Set([...fixed, ...result.findings].map(keyOf));
  return {
    texts,
    fixed: fixed.map(placedIn(current)),
    gone: first.filter((finding) => !known.has(keyOf(finding))),
    leftAlone,
    ...{ objects: current, after },
  };
}

function byFile(
  findings: readonly Finding[],
  refused: ReadonlyMap<string, string>,
  mayChange: (file: string) => boolean,
): Map<string, Finding[]> {
  const files = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (
      finding.fixPatch &&
      finding.file !== undefined &&
      mayChange(finding.file) &&
      !refused.has(keyOf(finding))
    ) {
      push(files, finding.file, finding);
    }
  }
  return files;
}

interface MendedText {
  readonly text: string;
  readonly fixed: readonly Finding[];
  /** Why, by finding. */
  readonly refused: ReadonlyMap<string, string>;
}

/** A finding with the changes of its document. */
interface Wanted {
  readonly finding: Finding;
  readonly changes: readonly JsonPatchOperation[];
}

function patchText(whole: string, findings: readonly Finding[]): MendedText {
  const fixed: Finding[] = [];
  const refused = new Map<string, string>();
  const documents = splitDocuments(whole);
  const pieces = documents.map(({ text }) => text);
  const byObject = new Map<ManifestObject, Finding[]>();
  findings.forEach((finding) => push(byObject, objectOf(finding)!, finding));
  const byDocument = new Map<number, Wanted[]>();
  for (const [{ source }, ofObject] of byObject) {
    for (const finding of compatible(ofObject)) {
      push(byDocument, source!.document, {
        finding,
        changes: inDocument(source!.pointer, finding.fixPatch!),
      });
    }
  }
  for (const [document, all] of byDocument) {
    const together = fixDocument(
      pieces[document]!,
      all.flatMap(({ changes }) => changes),
    );
    if ('text' in together) {
      pieces[document] = together.text;
      fixed.push(...all.map(({ finding }) => finding));
      continue;
    }
    for (const { finding, changes } of all) {
      const outcome = fixDocument(pieces[document]!, changes);
      if ('text' in outcome) {
        pieces[document] = outcome.text;
        fixed.push(finding);
      } else {
        refused.set(keyOf(finding), outcome.reason);
      }
    }
  }
  let [text, end] = ['', 0];
  documents.forEach((part, position) => {
    text += whole.slice(end, part.start) + pieces[position]!;
    end = part.end;
  });
  return { text: text + whole.slice(end), fixed, refused };
}

/** Objects of fixed files are read anew, the others stay. */
function reread(objects: readonly ManifestObject[], texts: ReadonlyMap<string, string>): ManifestObject[] {
  const done = new Set<string>();
  return objects.flatMap((object) => {
    const file = object.source?.file;
    const text = file === undefined ? undefined : texts.get(file);
    if (file === undefined || text === undefined) {
      return [object];
    }
    if (done.has(file)) {
      return [];
    }
    done.add(file);
    return readManifests(text, { file, read: () => text }).objects;
  });
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) {
    list.push(value);
  } else {
    lists.set(key, [value]);
  }
}

/** Tells a finding from others, before and after a change. */
export function keyOf({ file, rule, object, pointer }: Finding): string {
  return JSON.stringify([file, rule, object, pointer]);
}

/** What fixing of objects came to. */
export interface ValueFixing extends Omit<FixResult, 'texts' | 'objects' | 'gone'> {
  /** In their order, by object. */
  readonly changes: ReadonlyMap<ManifestObject, readonly JsonPatchOperation[]>;
}

/**
 * Fixes objects that are no text, as {@link fixFiles} does files.
 *
 * @param beside objects that are checked with them and stay as they are
 */
export function fixValues(
  objects: readonly ManifestObject[],
  beside: readonly ManifestObject[],
  options: LintOptions = {},
): ValueFixing {
  const changes = new Map<ManifestObject, JsonPatchOperation[]>();
  const fixed: Finding[] = [];
  let current = objects;
  let result = lintEvaluated([...current, ...beside], options);
  for (let round = 0; round < mostRounds; round += 1) {
    const before = fixed.length;
    const findings = byObject(result.findings);
    current = current.map((object, position) => {
      const found = compatible(findings.get(object) ?? []);
      const wanted = found.flatMap(({ fixPatch: patch }) => patch!);
      if (wanted.length === 0) {
        return object;
      }
      const original = objects[position]!;
      changes.set(original, [...(changes.get(original) ?? []), ...wanted]);
      fixed.push(...found);
      return { ...object, value: applyPatch(object.value, wanted) as ManifestObject['value'] };
    });
    if (fixed.length === before) {
      break;
    }
    result = lintEvaluated([...current, ...beside], options);
  }
  const own = new Set(current);
  const leftAlone = result.findings
    .filter((finding) => own.has(objectOf(finding)!))
    .map((finding) => leftAs(finding));
  return { changes, fixed, leftAlone, after: result };
}

function byObject(findings: readonly Finding[]): ReadonlyMap<ManifestObject, readonly Finding[]> {
  const found = new Map<ManifestObject, Finding[]>();
  for (const finding of findings.filter(({ fixPatch: patch }) => patch)) {
    const object = objectOf(finding)!;
    const known = found.get(object) ?? [];
    known.push(finding);
    found.set(object, known);
  }
  return found;
}
