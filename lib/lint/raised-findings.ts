import { Field, objectName, parseJsonPointer } from './object';
import type { ManifestObject } from './object';
import { rulePage, severities } from './rule';
import type { Finding, RawFinding, Rule, Severity } from './rule';
import { allRules } from './rules';
import type { EngineRule } from './suppression-rules';

/** By file and line; findings without a file come last, by object. */
export function sortedFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (one, other) =>
      compare(fileKey(one), fileKey(other)) ||
      (one.line ?? 0) - (other.line ?? 0) ||
      compare(one.rule, other.rule) ||
      compare(nameOf(one), nameOf(other)) ||
      compare(one.pointer, other.pointer) ||
      compare(one.message, other.message),
  );
}

/** Whether one is at least as bad as the other. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(least);
}

function fileKey({ file }: Finding): string {
  return file ?? '\uffff';
}

function nameOf({ object }: Finding): string {
  return [object.kind, object.namespace ?? '', object.name].join('/');
}

/** By code units, so the order is the same on every machine. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The page of a rule. @returns nothing for a rule from elsewhere that names none */
export function linkOf(rule: EngineRule): string | undefined {
  // Who runs rules may wrap them, to count how many ran.
  const isOwn = allRules.some((own) => own === rule || Object.prototype.isPrototypeOf.call(own, rule));
  return rule.link ?? (isOwn ? rulePage(rule.id) : undefined);
}

/** What a rule found, before it is put into words. */
export interface Raised {
  readonly rule: Rule;
  readonly raw: RawFinding;
  readonly severity: Severity;
}

const objects = new WeakMap<Finding, ManifestObject>();

/** The object that a finding of {@link inWords} is about. */
export function objectOf(finding: Finding): ManifestObject | undefined {
  return objects.get(finding);
}

/** Puts findings into words, in the order in which they come. */
export function inWords(raised: readonly Raised[]): Finding[] {
  const lines = linesOf(raised);
  return raised.map(({ rule, raw, severity }, position) => {
    const { object, pointer, message, why = rule.why, fix = rule.fix, also, fixPatch: patch } = raw;
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
      ...(patch && patch.length > 0 ? { fixPatch: patch } : {}),
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

/** Fewer are told one by one. */
const fewest = 3;

/** As many as a line holds. */
const mostNamed = 2;

/**
 * Puts findings together that say the same of several entries of one object: an operator may have hundreds of webhooks, all
 * with one omission. The first one names the others.
 */
export function grouped(raised: readonly Raised[]): readonly Raised[] {
  const groups = new Map<unknown, Map<string, Raised[]>>();
  for (const each of raised) {
    const ofObject = groups.get(each.raw.object) ?? new Map<string, Raised[]>();
    groups.set(each.raw.object, ofObject);
    const key = causeOf(each);
    const same = ofObject.get(key) ?? [];
    ofObject.set(key, same);
    same.push(each);
  }
  const all = [...groups.values()].flatMap((ofObject) => [...ofObject.values()]);
  return all.flatMap((same) => (same.length < fewest ? same : [together(same)]));
}

/** What is found, whatever the entry. */
function causeOf({ rule, severity, raw }: Raised): string {
  const { pointer, message, why, fix, line } = raw;
  const entry = entryOf(raw);
  return entry === undefined
    ? JSON.stringify([rule.id, severity, pointer, message, why, fix, line])
    : JSON.stringify([rule.id, severity, entry.rest, message.replaceAll(entry.name, '\0'), why, fix, line]);
}

/** The item of the first list on the way, if it has a name: `/webhooks/3/timeoutSeconds` is of an entry with one. */
function entryOf({ object, pointer }: Raised['raw']): { name: string; rest: string } | undefined {
  const steps = parseJsonPointer(pointer);
  const position = steps.findIndex((step) => /^\d+$/.test(step));
  const name = position < 0 ? undefined : Field.of(object).get(...steps.slice(0, position + 1), 'name').text;
  return name === undefined || name === ''
    ? undefined
    : { name, rest: [...steps.slice(0, position), '*', ...steps.slice(position + 1)].join('/') };
}

function together(same: readonly Raised[]): Raised {
  const [first, ...others] = same;
  const patch = same.flatMap(({ raw }) => raw.fixPatch ?? []);
  const names = others.slice(0, mostNamed).map(({ raw }) => entryOf(raw)?.name ?? raw.pointer);
  return {
    ...first!,
    raw: {
      ...first!.raw,
      message: `${first!.raw.message}; the same of ${others.length} more, ${others.length > mostNamed ? 'such as ' : ''}${names.join(' and ')}`,
      also: others.map(({ raw }) => raw.pointer),
      ...(patch.length > 0 ? { fixPatch: patch } : {}),
    },
  };
}
