import { objectOf } from '../engine/raised';
import type { Finding } from '../finding';
import type { JudgedObject, ObjectSource } from '../judged-object';

/** Of findings that are placed in another text. */
const sources = new WeakMap<Finding, ObjectSource>();

/**
 * Gives findings the lines of the same objects in another text: mends change what objects say, and never how many there are
 * nor which document they are in.
 *
 * @param objects as they are in that text
 */
export function placedIn(objects: readonly JudgedObject[]): (finding: Finding) => Finding {
  const places = new Map(objects.flatMap(({ source }) => (source ? [[keyOf(source), source]] : [])));
  return (finding) => {
    const from = sources.get(finding) ?? objectOf(finding)?.source;
    const to = from && places.get(keyOf(from));
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

function keyOf({ file, document, pointer }: ObjectSource): string {
  return JSON.stringify([file, document, pointer]);
}
