import type { CheckName, CheckReport, DoctorCheck } from './doctor-check';
import type { Finding } from './finding';

/**
 * How a check ended: `failed` with an error, `warned` with a warning, `unknown` where it could not look, or not at
 * everything, and found nothing.
 */
export type CheckStatus = 'passed' | 'warned' | 'failed' | 'unknown';

/** How one check ended. */
export interface CheckResult {
  /** Name of the check. */
  readonly id: CheckName;
  /** What it looks at, in one line. */
  readonly title: string;
  /** How it ended. */
  readonly status: CheckStatus;
  /** What was looked at, in a few words; empty where it was nothing. */
  readonly looked: string;
  /** What is wrong. */
  readonly findings: readonly Finding[];
  /** What could not be looked at, and why, a line each. */
  readonly unseen: readonly string[];
  /** How long it took. */
  readonly seconds: number;
}

type Described = Pick<DoctorCheck, 'name' | 'title'>;

/** The result of a check that ran to its end. */
export function resultOf({ name, title }: Described, report: CheckReport, seconds: number): CheckResult {
  const { findings, looked, unseen } = report;
  return { id: name, title, status: statusOf(report), looked, findings, unseen, seconds };
}

/** The result of a check that could not look. */
export function unknownResult({ name, title }: Described, reason: string, seconds: number): CheckResult {
  return { id: name, title, status: 'unknown', looked: '', findings: [], unseen: [reason], seconds };
}

function statusOf({ findings, unseen, sufficient = false }: CheckReport): CheckStatus {
  if (findings.some(({ severity }) => severity === 'error')) {
    return 'failed';
  }
  if (findings.some(({ severity }) => severity === 'warning')) {
    return 'warned';
  }
  return unseen.length === 0 || sufficient ? 'passed' : 'unknown';
}
