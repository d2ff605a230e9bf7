import { basename } from 'node:path';

/** What Jest's `--json` says of a run, as far as it is needed. */
export interface RunReport {
  readonly testResults: readonly {
    /** The file. */
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Files in which something failed. */
export function failedFiles({ testResults }: RunReport): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name)
    .sort();
}

/** Lines in the form of Jest's summary for a run of all files and another one of those that failed in it. */
export function summary(first: RunReport, second: RunReport = { testResults: [] }): string {
  const repeated = failedFiles(first).filter((file) => second.testResults.some(({ name }) => name === file));
  const statuses = [
    ...first.testResults.filter(({ name }) => !repeated.includes(name)),
    ...second.testResults,
  ].flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (wanted: string): number => statuses.filter((status) => status === wanted).length;
  const [failed, passed] = [count('failed'), count('passed')];
  const names = repeated.map((file) => basename(file).replace(/\.e2e\.ts$/, ''));
  return [
    ...(repeated.length === 0 ? [] : [`Failed at first, and run once more: ${names.join(', ')}`]),
    `Tests:       ${failed > 0 ? `${failed} failed, ` : ''}${passed} passed, ${passed + failed} total`,
  ].join('\n');
}
