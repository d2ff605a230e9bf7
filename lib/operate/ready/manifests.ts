import { oneLine } from '../../core/printable-text';
import { unknownRemovals } from '../../core/readiness';
import type { ReadinessFinding, SubjectResult } from '../../core/readiness';
import { errorLine } from '../../core/validation/problems';
import { lintEvaluated, ruleGroups } from '../../lint';
import type { LintResult, ManifestObject, TemplateFile, UnreadableDocument } from '../../lint';

/** Name of what is read of files, beside the subjects of clusters. */
export const manifestsSubject = 'manifests';

/** What was read of files. */
export interface ReadFiles {
  readonly objects: readonly ManifestObject[];
  /** Templates of charts that were not rendered. */
  readonly templates: readonly TemplateFile[];
  readonly unreadable: readonly UnreadableDocument[];
}

/** Whether manifests say what the wanted version does not serve any more. A file that can't be read has passed nothing. */
export function judgeManifests({ objects, templates, unreadable }: ReadFiles, to: string): SubjectResult {
  const only = ruleGroups.apis.map(({ id }) => id);
  const result = lintEvaluated(objects, { only, kubernetesVersion: to });
  const charts = new Set(templates.map(({ chart }) => chart.name));
  const files = new Set(objects.flatMap(({ source }) => source?.file ?? []));
  return {
    name: manifestsSubject,
    title: 'manifests in files: APIs that go',
    findings: findingsIn(result),
    looked:
      `${counted(objects.length, 'object')} of ${counted(files.size, 'file')}` +
      (result.suppressed.length > 0 ? `, ${result.suppressed.length} suppressed` : ''),
    untried: [
      ...result.failures.map(({ rule, error }) => `the rule ${rule} failed: ${errorLine(error)}`),
      ...unreadable.map(({ file, line, reason }) =>
        oneLine(`${file}${line === undefined ? '' : `:${line}`}: ${reason}`),
      ),
      ...[...charts].map((name) =>
        oneLine(
          `chart ${name}: render it (helm template), and check the output: its templates are no objects`,
        ),
      ),
      ...(objects.length + charts.size + unreadable.length === 0
        ? ['manifests: no Kubernetes object is there']
        : []),
      ...unknownRemovals(to),
    ],
    seconds: 0,
  };
}

/** As `lint` finds them: annotations suppress them, too. */
function findingsIn(result: LintResult): readonly ReadinessFinding[] {
  return result.findings.map(({ rule, severity, message, why, fix, object, file, line, pointer }) => {
    const { apiVersion, kind, namespace, name } = object;
    return {
      ...{ id: rule, severity, message, why, fix, pointer },
      object: { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) },
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    };
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
