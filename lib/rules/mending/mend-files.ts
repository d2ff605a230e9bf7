import { refuseOptions } from '../../problems';
import type { LintOptions } from '../engine/options';
import { lintOptionsKeys } from '../engine/options';
import { lint } from '../engine/lint';
import { objectOf } from '../engine/raised';
import type { LintResult } from '../engine/result';
import type { Change } from '../change';
import type { Finding } from '../finding';
import type { JudgedObject } from '../judged-object';
import { readManifests } from '../reading/read-manifests';
import { splitDocuments } from '../reading/split-documents';
import type { LeftAlone } from './left-as';
import { leftAs } from './left-as';
import { mendDocument } from './mend-document';
import { compatible, inDocument } from './mend-objects';
import { placedIn } from './placed';

/** What mending came to. */
export interface Mending {
  /** Mended texts by file: files with nothing to mend are not among them. */
  readonly texts: ReadonlyMap<string, string>;
  /** What is mended, as it was found, with its line in the mended text. */
  readonly mended: readonly Finding[];
  /** What was found at first and is gone with what was mended. */
  readonly gone: readonly Finding[];
  /** What is not mended. */
  readonly leftAlone: readonly LeftAlone[];
  /** All objects, the mended ones as they are now. */
  readonly objects: readonly JudgedObject[];
  /** What is found in the mended objects. */
  readonly after: LintResult;
}

/** A mend may uncover another finding; one that never ends is a mistake of a rule. */
export const mostRounds = 10;

/**
 * Mends what rules can mend safely, and judges again what came out, until nothing more can be done. All findings are mended;
 * those below `minSeverity` are left out of what is still found.
 *
 * @param objects read by {@link readManifests}
 * @param readFile gives the text of a file that objects come from
 * @param mayChange whether a file may be changed; those that may not are looked at. @default - all may
 */
export function mendFiles(
  objects: readonly JudgedObject[],
  readFile: (file: string) => string,
  options: LintOptions = {},
  mayChange: (file: string) => boolean = () => true,
): Mending {
  refuseOptions('mendFiles', options, lintOptionsKeys);
  const every: LintOptions = { ...options, minSeverity: 'info' };
  const texts = new Map<string, string>();
  const mended: Finding[] = [];
  const refused = new Map<string, string>();
  let current = objects;
  let result = lint(current, every);
  const first = result.findings;
  for (let round = 0; round < mostRounds; round += 1) {
    const before = mended.length;
    for (const [file, findings] of byFile(result.findings, refused, mayChange)) {
      const outcome = mendText(texts.get(file) ?? readFile(file), findings);
      outcome.refused.forEach((reason, key) => refused.set(key, reason));
      if (outcome.mended.length > 0) {
        texts.set(file, outcome.text);
        mended.push(...outcome.mended);
      }
    }
    if (mended.length === before) {
      break;
    }
    current = reread(objects, texts);
    result = lint(current, every);
  }
  const after = (options.minSeverity ?? 'info') === 'info' ? result : lint(current, options);
  const leftAlone = after.findings.map((finding) => leftAs(finding, refused.get(keyOf(finding))));
  const known = new Set([...mended, ...result.findings].map(keyOf));
  return {
    texts,
    mended: mended.map(placedIn(current)),
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
  readonly mended: readonly Finding[];
  /** Why, by finding. */
  readonly refused: ReadonlyMap<string, string>;
}

/** A finding with the changes of its document. */
interface Wanted {
  readonly finding: Finding;
  readonly changes: readonly Change[];
}

function mendText(whole: string, findings: readonly Finding[]): MendedText {
  const mended: Finding[] = [];
  const refused = new Map<string, string>();
  const documents = splitDocuments(whole);
  const pieces = documents.map(({ text }) => text);
  const byObject = new Map<JudgedObject, Finding[]>();
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
    const together = mendDocument(
      pieces[document]!,
      all.flatMap(({ changes }) => changes),
    );
    if ('text' in together) {
      pieces[document] = together.text;
      mended.push(...all.map(({ finding }) => finding));
      continue;
    }
    for (const { finding, changes } of all) {
      const outcome = mendDocument(pieces[document]!, changes);
      if ('text' in outcome) {
        pieces[document] = outcome.text;
        mended.push(finding);
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
  return { text: text + whole.slice(end), mended, refused };
}

/** Objects of mended files are read anew, the others stay. */
function reread(objects: readonly JudgedObject[], texts: ReadonlyMap<string, string>): JudgedObject[] {
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

function keyOf({ file, rule, object, pointer }: Finding): string {
  return JSON.stringify([file, rule, object, pointer]);
}
