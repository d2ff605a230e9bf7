import type { LintResult, Mending, Unreadable } from '../../rules';
import type { Material } from './read-files';

/** What could not be judged, a line each. */
export function unreadableNotes(
  unreadable: readonly Unreadable[],
  failures: LintResult['failures'],
): string[] {
  return [
    ...unreadable.map(({ file, line, column, reason }) => {
      const place = [file, line, column].filter((part) => part !== undefined).join(':');
      return `error: ${place}: not judged: ${reason}`;
    }),
    ...failures.map(({ rule, object, file, error }) => {
      const at = object ? ` at ${object.kind} ${object.name}${file === undefined ? '' : ` of ${file}`}` : '';
      const said = error instanceof Error ? error.message : String(error);
      return `error: the rule ${rule} failed${at}: ${said.split('\n')[0]}`;
    }),
  ];
}

/** What was mended and what was not. */
export function mendingNotes({ texts, mended, leftAlone }: Mending, folder: string): string[] {
  return [
    `mended: ${plural(mended.length, 'finding')} in ${plural(texts.size, 'file')}; copies of all files are in ${folder}`,
    ...mended.map(({ rule, file, line, message }) => `  ${file}:${line} ${rule} ${message}`),
    ...(leftAlone.length > 0 ? [`left alone: ${plural(leftAlone.length, 'finding')}`] : []),
    ...leftAlone.map(
      ({ finding: { rule, file, line }, reason }) => `  ${file ?? '-'}:${line ?? '-'} ${rule}: ${reason}`,
    ),
  ];
}

/** Templates with findings were judged, if only as text. @returns nothing where something was */
export function nothingJudged({ objects, templates, others }: Material, { findings }: LintResult): string[] {
  if (objects.length > 0 || findings.length > 0) {
    return [];
  }
  const found =
    templates.length > 0
      ? ': a chart that was not rendered'
      : others > 0
        ? `: ${plural(others, 'document')}, and no Kubernetes object among them`
        : '';
  return [`error: nothing to judge${found}`];
}

/** What was read and not judged as objects. */
export function materialNotes({ objects, templates, others }: Material): string[] {
  const charts = new Set(templates.map(({ chart }) => chart.name));
  return [
    ...[...charts].map(
      (name) =>
        `chart ${name}: its templates were judged as text only: render it (helm template), and judge what comes out`,
    ),
    ...(objects.length > 0 && others > 0
      ? [`skipped: ${plural(others, 'document')} without apiVersion and kind`]
      : []),
  ];
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
