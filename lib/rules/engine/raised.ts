import type { Finding, Severity } from '../finding';
import type { JudgedObject } from '../judged-object';
import { objectName } from '../judged-object';
import type { RawFinding, Rule } from '../rule';
import { linkOf } from './link-of';

/** What a rule found, before it is put into words. */
export interface Raised {
  readonly rule: Rule;
  readonly raw: RawFinding;
  readonly severity: Severity;
}

const objects = new WeakMap<Finding, JudgedObject>();

/** The object that a finding of {@link inWords} is about. */
export function objectOf(finding: Finding): JudgedObject | undefined {
  return objects.get(finding);
}

/** Puts findings into words, in the order in which they come. */
export function inWords(raised: readonly Raised[]): Finding[] {
  const lines = linesOf(raised);
  return raised.map(({ rule, raw, severity }, position) => {
    const { object, pointer, message, why = rule.why, fix = rule.fix, also, fixPatch: mend } = raw;
    const file = object.source?.file;
    const link = linkOf(rule);
    const finding: Finding = {
      rule: rule.id,
      severity,
      message,
      why,
      fix,
      ...(link === undefined ? {} : { link }),
      ...(file === undefined ? {} : { file, line: lines[position]! }),
      object: objectName(object),
      pointer,
      ...(also ? { also } : {}),
      ...(mend && mend.length > 0 ? { fixPatch: mend } : {}),
    };
    objects.set(finding, object);
    return finding;
  });
}

/** Document by document, since each has to be read again for its lines. */
function linesOf(raised: readonly Raised[]): (number | undefined)[] {
  const lines: (number | undefined)[] = raised.map(() => undefined);
  const byDocument = new Map<string, number[]>();
  raised.forEach(({ raw: { object } }, position) => {
    if (object.source) {
      const key = `${object.source.document} ${object.source.file}`;
      const positions = byDocument.get(key) ?? [];
      positions.push(position);
      byDocument.set(key, positions);
    }
  });
  for (const positions of byDocument.values()) {
    for (const position of positions) {
      const { object, pointer, line } = raised[position]!.raw;
      lines[position] = line ?? object.source?.lineOf(pointer);
    }
  }
  return lines;
}
