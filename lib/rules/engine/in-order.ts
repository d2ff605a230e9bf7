import type { Finding, Severity } from '../finding';
import { severities } from '../finding';

/** By file and line; findings without a file come last, by object. */
export function inOrder(findings: readonly Finding[]): Finding[] {
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
