import { oneLine } from '../problems';
import type { CheckStatus } from './check-result';
import type { Examination } from './examine';
import type { Cause } from './in-order';

/** What the doctor has seen, for people: the checks, the causes with the most likely one first, what was not seen. */
export function doctorText({ server, namespace, checks, causes }: Examination): string {
  const width = Math.max(...checks.map(({ id }) => id.length), 0);
  const unseen = checks.flatMap(({ id, unseen: lines }) => lines.map((line) => `  ${id}: ${line}`));
  return (
    [
      `${server}, Argo CD in namespace ${namespace}`,
      '',
      ...checks.map(({ id, status, looked }) => `${id.padEnd(width)}  ${words[status]}  ${looked}`.trimEnd()),
      ...causes.flatMap((cause, index) => ['', ...causeLines(cause, index + 1)]),
      ...(unseen.length === 0 ? [] : ['', 'Not looked at:', ...unseen]),
    ]
      // Evidence quotes what others wrote.
      .map(oneLine)
      .join('\n')
      .concat('\n')
  );
}

const words: Readonly<Record<CheckStatus, string>> = {
  passed: 'passed ',
  warned: 'warned ',
  failed: 'FAILED ',
  unknown: 'unknown',
};

function causeLines({ check, finding, explains }: Cause, number: number): string[] {
  const { cause, severity, likelihood, subject, message, evidence, next } = finding;
  return [
    `${number}. ${subject}: ${message}`,
    `   ${severity}, ${likelihood} (${check}: ${cause})`,
    ...evidence.map((line) => `   - ${line}`),
    ...explains.map((each) => `   explains ${each.check}: ${each.finding.subject} (${each.finding.cause})`),
    `   next: ${next}`,
  ];
}
