import { oneLine } from '../../core/printable-text';
import type { ObjectName } from '../object';
import type { LintResult } from '../options';
import type { UnreadableDocument } from '../read/manifests';
import type { Finding, Severity } from '../rule';

/** What `cluster-canary lint --format json` prints; its form is `schemas/lint.json`. */
export function lintDocument(
  { findings, summary, suppressed, failures, skippedRules, clusters }: LintResult,
  unreadable: readonly UnreadableDocument[] = [],
): object {
  return {
    schemaVersion: 1,
    findings,
    summary,
    suppressed: suppressed.map(({ finding, reason }) => ({ ...finding, reason })),
    unreadable,
    failures: failuresOf(failures),
    skippedRules,
    clusters,
  };
}

/** Failures as they are printed. */
export function failuresOf(failures: LintResult['failures']): readonly object[] {
  return failures.map(({ error, ...failure }) => ({ ...failure, message: messageOf(error) }));
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An object for a person: `MutatingWebhookConfiguration pod-defaults`, `Service web/frontend`. */
export function objectTitle({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** Marks up parts of a text for a terminal. */
export interface LintColours {
  /** Marks the path of a file. */
  readonly file: (text: string) => string;
  /** Marks a severity. */
  readonly severity: Readonly<Record<Severity, (text: string) => string>>;
  /** Marks what is of less weight. */
  readonly faint: (text: string) => string;
}

const plain = (text: string): string => text;

const escape =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;

/** For files, pipes and people who want none. */
export const withoutColours: LintColours = {
  file: plain,
  severity: { error: plain, warning: plain, info: plain },
  faint: plain,
};

/** For a terminal. */
export const withColours: LintColours = {
  file: escape(1),
  severity: { error: escape(31), warning: escape(33), info: escape(36) },
  faint: escape(2),
};

type Shown = Pick<LintResult, 'findings' | 'summary' | 'skippedRules'>;

/** The findings for a person, by file, and their number. */
export function lintText(shown: Shown, colours: LintColours = withoutColours): string {
  const blocks = byFile(shown.findings).map(([file, inFile]) =>
    [colours.file(oneLine(file)), ...inFile.map((finding) => findingText(finding, colours))].join('\n'),
  );
  return `${[...blocks, closingText(shown, colours)].join('\n\n')}\n`;
}

/** Numbers of findings and objects, and what was left out. */
export function closingText(
  { summary, skippedRules }: Omit<Shown, 'findings'>,
  colours: LintColours,
): string {
  const { error, warning, info, objects, files, suppressed } = summary;
  const counts = [plural(error, 'error'), plural(warning, 'warning'), plural(info, 'info')].join(', ');
  const where = `${plural(objects, 'object')} of ${plural(files, 'file')}`;
  const hidden = suppressed > 0 ? `; ${suppressed} suppressed` : '';
  const notes = skippedRulesNotes(skippedRules).map(colours.faint);
  return [`${counts} in ${where}${hidden}`, ...notes].join('\n');
}

/** One finding for a person, in several lines. */
export function findingText(finding: Finding, colours: LintColours = withoutColours): string {
  const { rule, severity, message, why, fix, link, line, pointer, object } = finding;
  const place = [objectTitle(object), pointer].filter(Boolean).join(' ');
  const head = [`  ${line ?? '-'}`, colours.severity[severity](severity), rule, oneLine(message)].join('  ');
  const rest = [place, `why: ${why}`, `fix: ${fix}`, ...(link === undefined ? [] : [link])].map(oneLine);
  return [head, ...rest.map((each) => colours.faint(`      ${each}`))].join('\n');
}

function byFile(findings: readonly Finding[]): [string, readonly Finding[]][] {
  const files = new Map<string, Finding[]>();
  for (const finding of findings) {
    const file = finding.file ?? 'objects without a file';
    const inFile = files.get(file);
    if (inFile) {
      inFile.push(finding);
    } else {
      files.set(file, [finding]);
    }
  }
  return [...files];
}

/** As many as a person reads. */
const mostNamed = 10;

/** What was checked separately, a line each; nothing where all objects were checked together. */
export function clusterNotes(clusters: LintResult['clusters'], why = ''): readonly string[] {
  if (clusters.length === 0) {
    return [];
  }
  const shown = clusters.slice(0, mostNamed).map(({ name, objects, shared }) => {
    const beside = shared > 0 ? `, and ${shared} that it shares with others` : '';
    return `  ${name ?? 'outside of all'}: ${plural(objects, 'object')}${beside}`;
  });
  const more = clusters.length > mostNamed ? [`  and ${clusters.length - mostNamed} more`] : [];
  return [`checked as ${clusters.length} clusters${why}:`, ...shown, ...more].map(oneLine);
}

const known = {
  before: 'the objects before a change (--baseline)',
  live: 'those of a cluster (--kubeconfig)',
} as const;

function skippedRulesNotes(skippedRules: LintResult['skippedRules']): string[] {
  return (['before', 'live'] as const).flatMap((needs) => {
    const rules = skippedRules.filter((each) => each.needs === needs).map(({ rule }) => rule);
    return rules.length > 0 ? [`left out, without ${known[needs]}: ${rules.join(', ')}`] : [];
  });
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
