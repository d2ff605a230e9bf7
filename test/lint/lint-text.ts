import type { Finding, LintOptions, LintResult } from '../../lib/lint';
import { allRules, lint, readManifests } from '../../lib/lint';

/** How a text is evaluated: as {@link LintOptions} say, with texts in place of objects. */
export interface TextOptions extends Omit<LintOptions, 'before' | 'live' | 'rules'> {
  /** Ids of the rules that run. @default - all of the library */
  readonly rules?: readonly string[];
  readonly before?: string;
  readonly live?: string;
}

/** Noon of some day: certificates of the tests are made around it. */
export const now = Date.parse('2026-06-01T12:00:00Z');

/** Evaluates YAML. What can't be read is a mistake of the test. */
export function evaluateText(yaml: string, options: TextOptions = {}): LintResult {
  const { rules: ids, before, live, ...rest } = options;
  const rules = ids ? allRules.filter(({ id }) => ids.includes(id)) : allRules;
  if (ids && rules.length !== ids.length) {
    throw new Error(`no such rule among ${ids.join(', ')}`);
  }
  const result = lint(objectsOf(yaml), {
    now,
    ...rest,
    rules,
    ...(before === undefined ? {} : { before: objectsOf(before) }),
    ...(live === undefined ? {} : { live: objectsOf(live) }),
  });
  if (result.failures.length > 0) {
    throw result.failures[0]!.error;
  }
  result.findings.forEach(inSingleLines);
  return result;
}

/** Whatever a rule finds, it says so in lines that can be shown as they are. */
function inSingleLines({ rule, message, why, fix }: Finding): void {
  for (const text of [message, why, fix]) {
    if (!/^\S.*[^\s.]$/.test(text)) {
      throw new Error(`${rule} says no line: ${JSON.stringify(text)}`);
    }
  }
}

/** Findings of YAML, in their order. */
export function lintText(yaml: string, options: TextOptions = {}): readonly Finding[] {
  return evaluateText(yaml, options).findings;
}

/** Findings as `SEVERITY RULE POINTER`, or with the line: short enough for a table of cases. */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ severity, rule, pointer }) => `${severity} ${rule} ${pointer}`);
}

/** Findings of one rule as `SEVERITY POINTER: MESSAGE`, for a table of what it says. */
export function said(rule: string, yaml: string, options: TextOptions = {}): string[] {
  return lintText(yaml, { ...options, rules: [rule] }).map(
    ({ severity, pointer, message }) => `${severity} ${pointer}: ${message}`,
  );
}

function objectsOf(yaml: string): LintObjects {
  const { objects, unreadable } = readManifests(yaml, { file: 'test.yaml', read: () => yaml });
  if (unreadable.length > 0) {
    throw new Error(JSON.stringify(unreadable));
  }
  return objects;
}

type LintObjects = Parameters<typeof lint>[0];
