import { oneLine } from '../../core/printable-text';
import type { LintResult } from '../options';
import type { UnreadableDocument } from '../read/manifests';
import { severities } from '../rule';
import type { Finding, Severity } from '../rule';
import type { EngineRule } from '../suppression-rules';
import { closingText, failuresOf, objectTitle, withoutColours } from './text';
import type { LintColours } from './text';

/** How often a rule found something of one severity. */
export interface RuleCount {
  /** Id of the rule. */
  readonly rule: string;
  /** What it looks for. @default - the rule is not among those that are known */
  readonly title?: string;
  /** Severity of the findings: a rule may have findings of several. */
  readonly severity: Severity;
  /** Number of findings. */
  readonly findings: number;
  /** Number of objects that they are about. */
  readonly objects: number;
  /** Number of files that they are in. */
  readonly files: number;
  /** The first of them, in the order of files. */
  readonly places: readonly Pick<Finding, 'file' | 'line' | 'object' | 'pointer' | 'message'>[];
}

/** As many as one looks up to check a rule. */
const mostPlaces = 3;

/** Findings by rule and severity: the worst first, then the most. */
export function countByRule(
  findings: readonly Finding[],
  rules: readonly EngineRule[],
): readonly RuleCount[] {
  const titles = new Map(rules.map(({ id, title }) => [id, title]));
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.severity}`;
    const same = groups.get(key) ?? [];
    groups.set(key, same);
    same.push(finding);
  }
  const counts = [...groups.values()].map((same): RuleCount => {
    const { rule, severity } = same[0]!;
    const title = titles.get(rule);
    const objects = same.map(({ file, object }) => JSON.stringify([file, object]));
    return {
      rule,
      ...(title === undefined ? {} : { title }),
      ...{ severity, findings: same.length, objects: new Set(objects).size },
      files: new Set(same.flatMap(({ file }) => file ?? [])).size,
      places: same.slice(0, mostPlaces).map(({ file, line, object, pointer, message }) => ({
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line }),
        ...{ object, pointer, message },
      })),
    };
  });
  const rank = ({ severity }: RuleCount): number => severities.indexOf(severity);
  return counts.sort(
    (one, other) =>
      rank(one) - rank(other) || other.findings - one.findings || (one.rule < other.rule ? -1 : 1),
  );
}

/** What `cluster-canary lint --count --format json` prints; its form is `schemas/lint-counts.json`. */
export function countsDocument(
  { findings, summary, failures, skippedRules, clusters }: LintResult,
  rules: readonly EngineRule[],
  unreadable: readonly UnreadableDocument[] = [],
): object {
  return {
    schemaVersion: 1,
    ...{ rules: countByRule(findings, rules), summary, unreadable },
    ...{ failures: failuresOf(failures), skippedRules, clusters },
  };
}

/** Findings by rule for a person, with the first places of each, and their number. */
export function countsText(
  result: Pick<LintResult, 'findings' | 'summary' | 'skippedRules'>,
  rules: readonly EngineRule[],
  colours: LintColours = withoutColours,
): string {
  const blocks = countByRule(result.findings, rules).map((count) => countText(count, colours));
  return `${[...blocks, closingText(result, colours)].join('\n\n')}\n`;
}

function countText(
  { rule, title = '', severity, findings, ...where }: RuleCount,
  colours: LintColours,
): string {
  const { objects, files, places } = where;
  const counted = `${findings} in ${plural(objects, 'object')} of ${plural(files, 'file')}`;
  const head = [rule, colours.severity[severity](severity), counted, oneLine(title)].join('  ').trimEnd();
  const shown = places.map(
    ({ file = 'objects without a file', line = '-', object, pointer }) =>
      `${file}:${line}  ${[objectTitle(object), pointer].filter(Boolean).join(' ')}`,
  );
  const more = findings > places.length ? [`and ${findings - places.length} more`] : [];
  return [head, ...[...shown, ...more].map((each) => colours.faint(`    ${oneLine(each)}`))].join('\n');
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
