import type { RuleCount } from '../lib/lint';
import { table, whole } from './text';

/** The heading that the section begins with. */
export const corpusHeading = '## Lint of public charts';

/** What `cluster-canary lint --count --format json` prints of it. */
export interface CorpusCounts {
  readonly rules: readonly RuleCount[];
  readonly summary: {
    readonly error: number;
    readonly warning: number;
    readonly info: number;
    readonly objects: number;
  };
  readonly unreadable: readonly object[];
}

/** What somebody found who read findings of a rule and a severity, with the manifests. */
export interface Judgement {
  readonly rule: string;
  readonly severity: string;
  readonly right: number;
  readonly wrong: number;
  /** How it was found, or what was wrong. @default - nothing */
  readonly note?: string;
}

/** What the section says. */
export interface CorpusSection {
  readonly date: string;
  readonly node: string;
  readonly charts: number;
  readonly counts: CorpusCounts;
  readonly judgements: readonly Judgement[];
}

/** The section as Markdown, line by line. */
export function corpusSection({ date, node, charts, counts, judgements }: CorpusSection): string[] {
  const { error, warning, info, objects } = counts.summary;
  const sum = (severity: string, of: 'right' | 'wrong'): number =>
    judgements.filter((each) => each.severity === severity).reduce((total, each) => total + each[of], 0);
  return [
    corpusHeading,
    '',
    `Counted ${date} with Node.js ${node} by \`lint --count\`, each set a cluster of its own: ${charts} sets of`,
    `manifests of public repositories (charts with their own values, kustomizations, install files), ${whole(objects)} objects; ${whole(error)} errors, ${whole(warning)} warnings,`,
    `${whole(info)} infos, ${counts.unreadable.length} documents not judged. The last columns are of findings that were held against the manifests.`,
    '',
    ...table(
      ['Rule', 'severity', 'findings', 'objects', 'sets', 'right', 'wrong', ''],
      counts.rules.map(({ rule, severity, findings, objects: about, files }) => {
        const read = judgements.find((each) => each.rule === rule && each.severity === severity);
        return [
          ...[rule, severity, whole(findings), whole(about), whole(files)],
          ...(read ? [whole(read.right), whole(read.wrong), read.note ?? ''] : ['', '', '']),
        ];
      }),
    ),
    '',
    ...['error', 'warning'].map((severity) => {
      const [right, wrong] = [sum(severity, 'right'), sum(severity, 'wrong')];
      return `Of ${right + wrong} findings judged as \`${severity}\`, ${wrong} were wrong.`;
    }),
    '',
  ];
}
