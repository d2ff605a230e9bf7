import type { RuleCount } from '../lib/lint';
import { whole } from './text';

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

/** What a reading of the findings of a rule and a severity, with their manifests, gave. */
export interface Evaluation {
  readonly rule: string;
  readonly severity: string;
  readonly right: number;
  readonly wrong: number;
}

/** What the section says. */
export interface CorpusSection {
  readonly date: string;
  readonly node: string;
  readonly charts: number;
  readonly counts: CorpusCounts;
  readonly evaluations: readonly Evaluation[];
}

/** The section as Markdown, line by line. */
export function corpusSection({ date, node, charts, counts, evaluations }: CorpusSection): string[] {
  const { error, warning, info, objects } = counts.summary;
  const sum = (severity: string, of: 'right' | 'wrong'): number =>
    evaluations.filter((each) => each.severity === severity).reduce((total, each) => total + each[of], 0);
  return [
    corpusHeading,
    '',
    `Counted ${date} with Node.js ${node} by \`lint --count\`. The input is ${charts} charts,`,
    `kustomizations and install files of public repositories with ${whole(objects)} objects, each linted as one cluster.`,
    `lint reports ${whole(error)} errors, ${whole(warning)} warnings and ${whole(info)} infos, and cannot read ${counts.unreadable.length} documents.`,
    '',
    'Errors and warnings were compared with their manifests, by reading or by a script.',
    '',
    ...(['error', 'warning'] as const).map((severity) => {
      const [right, wrong] = [sum(severity, 'right'), sum(severity, 'wrong')];
      const rest = counts.summary[severity] - right - wrong;
      return `- ${severity}: ${right} right, ${wrong} wrong, ${rest} not decided.`;
    }),
    '',
  ];
}
