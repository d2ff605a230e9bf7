import type { Change } from '../change';
import { lint } from '../engine/lint';
import type { LintOptions } from '../engine/options';
import { objectOf } from '../engine/raised';
import type { Finding } from '../finding';
import type { JudgedObject } from '../judged-object';
import { changed } from './apply-changes';
import type { Mending } from './mend-files';
import { mostRounds } from './mend-files';
import { leftAs } from './left-as';
import { compatible } from './mend-objects';

/** What mending of objects came to. */
export interface ValueMending extends Omit<Mending, 'texts' | 'objects' | 'gone'> {
  /** In their order, by object. */
  readonly changes: ReadonlyMap<JudgedObject, readonly Change[]>;
}

/**
 * Mends objects that are no text, as {@link mendFiles} does files.
 *
 * @param beside objects that are judged with them and stay as they are
 */
export function mendValues(
  objects: readonly JudgedObject[],
  beside: readonly JudgedObject[],
  options: LintOptions = {},
): ValueMending {
  const changes = new Map<JudgedObject, Change[]>();
  const mended: Finding[] = [];
  let current = objects;
  let result = lint([...current, ...beside], options);
  for (let round = 0; round < mostRounds; round += 1) {
    const before = mended.length;
    const findings = byObject(result.findings);
    current = current.map((object, position) => {
      const found = compatible(findings.get(object) ?? []);
      const wanted = found.flatMap(({ fixPatch: mend }) => mend!);
      if (wanted.length === 0) {
        return object;
      }
      const original = objects[position]!;
      changes.set(original, [...(changes.get(original) ?? []), ...wanted]);
      mended.push(...found);
      return { ...object, value: changed(object.value, wanted) as JudgedObject['value'] };
    });
    if (mended.length === before) {
      break;
    }
    result = lint([...current, ...beside], options);
  }
  const own = new Set(current);
  const leftAlone = result.findings
    .filter((finding) => own.has(objectOf(finding)!))
    .map((finding) => leftAs(finding));
  return { changes, mended, leftAlone, after: result };
}

function byObject(findings: readonly Finding[]): ReadonlyMap<JudgedObject, readonly Finding[]> {
  const found = new Map<JudgedObject, Finding[]>();
  for (const finding of findings.filter(({ fixPatch: mend }) => mend)) {
    const object = objectOf(finding)!;
    const known = found.get(object) ?? [];
    known.push(finding);
    found.set(object, known);
  }
  return found;
}
