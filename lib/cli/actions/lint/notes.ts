import { clusterNotes, hardenChangesIt, noSafeFix } from '../../../lint';
import type { Finding, UnfixedFinding, LintResult, FixResult, UnreadableDocument } from '../../../lint';
import { shownPath } from './inputs';
import type { LintInputs } from './inputs';

/** What could not be checked, a line each. */
export function unreadableNotes(
  unreadable: readonly UnreadableDocument[],
  failures: LintResult['failures'],
): string[] {
  return [
    ...unreadable.map(({ file, line, column, reason }) => {
      const place = [file, line, column].filter((part) => part !== undefined).join(':');
      return `error: ${place}: not checked: ${reason}`;
    }),
    ...failures.map(({ rule, object, file, error }) => {
      const at = object ? ` at ${object.kind} ${object.name}${file === undefined ? '' : ` of ${file}`}` : '';
      const said = error instanceof Error ? error.message : String(error);
      return `error: the rule ${rule} failed${at}: ${said.split('\n')[0]}`;
    }),
  ];
}

/**
 * What was fixed and what was not: findings without a safe change are counted, those whose change failed are named. Lines are
 * those of the copies.
 */
export function fixingNotes(fixing: FixResult, folder: string): string[] {
  const { texts, fixed, gone, leftAlone } = fixing;
  const all = fixed.length + gone.length + leftAlone.length;
  const of = fixed.length === all ? '' : ` of ${all}`;
  const count = `${fixed.length}${of} ${all === 1 ? 'finding' : 'findings'}`;
  return [
    fixed.length === 0
      ? `fixed: ${count}; unchanged copies of all files are in ${folder}`
      : `fixed: ${count} in ${plural(texts.size, 'file')}; copies of all files are in ${folder}, and lines are theirs`,
    ...fixed.map(({ rule, file, line, message }) => `  ${file}:${line} ${rule} ${message}`),
    ...(gone.length > 0 ? [`gone with them: ${plural(gone.length, 'finding')} (${countsByRule(gone)})`] : []),
    ...[...byReason(leftAlone)].flatMap(([reason, left]) => {
      const findings = left.map(({ finding }) => finding);
      const isTried =
        left.every(({ decision }) => !decision) && ![noSafeFix, hardenChangesIt].includes(reason);
      return [
        `left alone: ${plural(findings.length, 'finding')} (${countsByRule(findings)}): ${reason}`,
        ...(isTried ? findings.map(({ rule, file, line }) => `  ${file ?? '-'}:${line ?? '-'} ${rule}`) : []),
      ];
    }),
  ];
}

function byReason(leftAlone: FixResult['leftAlone']): ReadonlyMap<string, FixResult['leftAlone']> {
  const reasons = new Map<string, UnfixedFinding[]>();
  for (const each of leftAlone) {
    const same = reasons.get(each.reason) ?? [];
    reasons.set(each.reason, same);
    same.push(each);
  }
  return reasons;
}

/** `WH01, 3 × WH06` */
function countsByRule(findings: readonly Finding[]): string {
  const counts = new Map<string, number>();
  findings.forEach(({ rule }) => counts.set(rule, (counts.get(rule) ?? 0) + 1));
  return [...counts].map(([rule, count]) => (count === 1 ? rule : `${count} × ${rule}`)).join(', ');
}

/** Templates with findings were checked, if only as text. @returns nothing where something was */
export function nothingEvaluated(
  { objects, templates, others, patches }: LintInputs,
  { findings }: LintResult,
): string[] {
  if (objects.length > 0 || findings.length > 0) {
    return [];
  }
  const found =
    templates.length > 0
      ? `: nothing was found in ${plural(templates.length, 'template')} of a chart that was not rendered`
      : patches.size > 0
        ? ': patches of a kustomization that was not built'
        : others > 0
          ? `: ${plural(others, 'document')}, and no Kubernetes object among them`
          : '';
  return [`error: nothing to check${found}`];
}

/** What was read and not checked as objects. */
export function materialNotes({ objects, templates, others, patches }: LintInputs): string[] {
  const charts = new Set(templates.map(({ chart }) => chart.name));
  return [
    ...[...charts].map(
      (name) =>
        `chart ${name}: its templates were checked as text only: render it (helm template), and check the output`,
    ),
    ...patchNotes(patches),
    ...(objects.length > 0 && others > 0
      ? [`skipped: ${plural(others, 'document')} without apiVersion and kind`]
      : []),
  ];
}

/** As many as a line holds. */
const mostNamed = 3;

function patchNotes(patches: LintInputs['patches']): string[] {
  if (patches.size === 0) {
    return [];
  }
  const count = [...patches.values()].reduce((sum, each) => sum + each);
  const folders = [...patches.keys()].map(shownPath);
  const more = folders.length > mostNamed ? ` and ${folders.length - mostNamed} more` : '';
  return [
    `kustomize: ${plural(count, 'patch', 'patches')} of ${folders.slice(0, mostNamed).join(', ')}${more} left out: build what has them (kubectl kustomize), and check the output`,
  ];
}

/** Which clusters were checked, each separately, and how to say it where the command line does not. */
export function evaluatedClusters(clusters: LintResult['clusters'], isGiven: boolean): readonly string[] {
  const why =
    ' (the same objects come again in other folders or files; --cluster NAME=PATH names those of one)';
  return clusterNotes(clusters, isGiven ? '' : why);
}

function plural(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
