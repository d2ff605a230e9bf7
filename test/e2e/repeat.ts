import { basename } from 'node:path';

/** What Jest's `--json` says of a run, as far as it is needed. */
export interface RunReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    /** The file. */
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Parts in which something failed. */
export function failedParts({ testResults }: RunReport): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => basename(name, '.e2e.ts'))
    .sort();
}

/** One line in the form of Jest's summary for a run of all parts and another of those that failed in it. */
export function summary(first: RunReport, second: RunReport): string {
  const passedElsewhere = first.testResults
    .filter(({ status }) => status === 'passed')
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed').length;
  const passed = passedElsewhere + second.numPassedTests;
  const { numFailedTests: failed } = second;
  return [
    `Failed at first, and run once more: ${failedParts(first).join(', ')}`,
    `Tests:       ${failed > 0 ? `${failed} failed, ` : ''}${passed} passed, ${passed + failed} total`,
  ].join('\n');
}
