import type { LintResult, LintStart } from './lint';
import { lintGoals, startGoal } from './lint';
import { measuredLine, number, spread, table, whole } from './text';

/** The heading that the section begins with. */
export const lintHeading = '## Lint';

/** What the section says, and when it was measured: it may be measured alone. */
export interface LintSection {
  readonly date: string;
  readonly node: string;
  /** Load average before. */
  readonly load: number;
  readonly results: readonly LintResult[];
  /** All objects in one file. */
  readonly forms: readonly LintResult[];
}

/** The section as Markdown, line by line. */
export function lintSection({ date, node, load, results, forms }: LintSection): string[] {
  return [
    lintHeading,
    '',
    measuredLine(date, node, load),
    '',
    '`cluster-canary lint` of a folder, ten objects in a file, and kubeconform with four workers and without schemas.',
    '',
    ...table(
      ['Objects', 'findings', 'lint, s', 'kubeconform, s', 'ratio', 'lint, MB', 'kubeconform, MB'],
      results.map(({ objects, findings, lint, kubeconform, ratio }) => [
        whole(objects),
        whole(findings),
        spread(lint.seconds),
        kubeconform ? spread(kubeconform.seconds) : '',
        ratio ? spread(ratio) : '',
        whole(lint.peakMegabytes),
        kubeconform ? whole(kubeconform.peakMegabytes) : '',
      ]),
    ),
    '',
    ...goalLines(results),
    ...growth(results),
    ...formLines(forms),
  ];
}

/** What a chart renders, or a cluster is dumped to. */
function formLines(forms: readonly LintResult[]): string[] {
  const [first] = forms;
  if (!first) {
    return [];
  }
  return [
    `The same ${whole(first.objects)} objects in one file:`,
    '',
    ...table(
      ['Form', 'lint, s', 'kubeconform, s', 'ratio', 'lint, MB', 'kubeconform, MB'],
      forms.map(({ form, lint, kubeconform, ratio }) => [
        form ?? '',
        spread(lint.seconds),
        kubeconform ? spread(kubeconform.seconds) : '',
        ratio ? spread(ratio) : '',
        whole(lint.peakMegabytes),
        kubeconform ? whole(kubeconform.peakMegabytes) : '',
      ]),
    ),
    '',
  ];
}

function goalLines(results: readonly LintResult[]): string[] {
  const largest = results.find(({ objects }) => objects === lintGoals.objects);
  if (!largest) {
    return [];
  }
  const isFast = largest.ratio === undefined || largest.ratio.median <= lintGoals.ratio;
  const isSmall = largest.lint.peakMegabytes < lintGoals.megabytes;
  return [
    `Goal for ${whole(lintGoals.objects)} objects: at most ${lintGoals.ratio} times kubeconform's time (${isFast ? 'met' : '**missed**'}) and under ${whole(lintGoals.megabytes)} MB (${isSmall ? 'met' : '**missed**'}).`,
    '',
  ];
}

/** Whether time grows in proportion, start-up left out. */
function growth(results: readonly LintResult[]): string[] {
  const steps = results.slice(1).map((after, index) => {
    const before = results[index]!;
    const more =
      (after.lint.cpuSeconds.median - before.lint.cpuSeconds.median) / (after.objects - before.objects);
    return `from ${whole(before.objects)} to ${whole(after.objects)} objects ${number(more * 1000)} s`;
  });
  return steps.length > 0 ? [`CPU time of each further 1,000 objects: ${steps.join(', ')}.`, ''] : [];
}

/** The heading of the section on the start. */
export const startHeading = '## Start of lint';

/** What the section says, and when it was measured: it may be measured alone. */
export interface StartSection {
  readonly date: string;
  /** Load average before. */
  readonly load: number;
  /** One for each version of Node.js. */
  readonly results: readonly LintStart[];
}

/** The section as Markdown, line by line. */
export function startSection({ date, load, results }: StartSection): string[] {
  return [
    startHeading,
    '',
    measuredLine(date, results.map(({ version }) => version).join(' and '), load),
    '',
    '`cluster-canary lint` of a folder, compared with `node -e 0`. `NODE_BESIDE=/path/to/node` adds a version of Node.js.',
    '',
    ...table(
      ['Node.js', 'objects', 'lint, s', '`node -e 0`, s', 'ratio', `goal ${startGoal}`],
      results.map(({ version, objects, lint, node, ratio }) => [
        version,
        whole(objects),
        spread(lint),
        spread(node),
        spread(ratio),
        ratio.median <= startGoal ? 'met' : '**missed**',
      ]),
    ),
    '',
  ];
}
