import { oneLine } from '../../core/printable-text';
import type { Cause } from './causes';
import type { DoctorCheckStatus, DoctorFinding, FindingSeverity, Likelihood } from './check';
import type { DoctorReport } from './doctor';

/** What `cluster-canary doctor --json` prints; its JSON Schema is `schemas/doctor.json`. */
export interface DoctorDocument {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** URL of the API server. */
  readonly server: string;
  /** Namespace that Argo CD was looked for in. */
  readonly namespace: string;
  /** When it began, by this machine's clock. */
  readonly at: string;
  /** One a check, in the order of the checks. */
  readonly checks: readonly DocumentedCheck[];
  /** The findings of all checks, the most likely cause first. */
  readonly causes: readonly DocumentedCause[];
}

/** What came of one check. */
export interface DocumentedCheck {
  /** Name of the check. */
  readonly id: string;
  /** What it inspects, in one line. */
  readonly title: string;
  /** How it ended. */
  readonly status: DoctorCheckStatus;
  /** What was inspected, and what was found there, a line each. */
  readonly evidence: readonly string[];
  /** The next step of its first finding; of a check that could not look, what it lacks. */
  readonly next: string | null;
  /** What is wrong. */
  readonly findings: readonly DocumentedFinding[];
  /** What could not be inspected, and why. */
  readonly notChecked: readonly string[];
  /** How long it took. */
  readonly seconds: number;
}

/** Something that is wrong. */
export interface DocumentedFinding {
  /** Name of the cause within its check: `clock-slow`. */
  readonly cause: string;
  /** How bad it is. */
  readonly severity: FindingSeverity;
  /** How sure the check is that this is the cause. */
  readonly likelihood: Likelihood;
  /** What it is about: `Node ip-10-0-1-7`. */
  readonly subject: string;
  /** What is wrong, for a person. */
  readonly message: string;
  /** What was seen, a line each. */
  readonly evidence: readonly string[];
  /** What to do next. */
  readonly next: string;
}

/** A finding of `checks`, by its place. */
export interface FindingReference {
  /** Name of the check. */
  readonly check: string;
  /** Name of the cause within its check. */
  readonly cause: string;
  /** What it is about. */
  readonly subject: string;
}

/** A finding, and what goes back to it. */
export interface DocumentedCause extends FindingReference {
  /** The findings of other checks that go back to it. */
  readonly explains: readonly FindingReference[];
}

/** What the doctor has seen, as a document. */
export function doctorDocument({ server, namespace, at, checks, causes }: DoctorReport): DoctorDocument {
  return {
    schemaVersion: 1,
    server,
    namespace,
    at: at.toISOString(),
    checks: checks.map(({ id, title, status, looked, notChecked, seconds }) => {
      const own = causes.filter(({ check }) => check === id).map(({ finding }) => finding);
      return {
        id,
        title,
        status,
        evidence: [
          ...(looked === '' ? [] : [looked]),
          ...own.map(({ subject, message }) => `${subject}: ${message}`),
          ...(status === 'unknown' ? notChecked : []),
        ],
        next: own[0]?.next ?? (status === 'unknown' ? (notChecked[0] ?? null) : null),
        findings: own.map(documented),
        notChecked,
        seconds,
      };
    }),
    causes: causes.map(({ check, finding, explains }) => ({
      ...reference({ check, finding }),
      explains: explains.map(reference),
    })),
  };
}

function documented(finding: DoctorFinding): DocumentedFinding {
  const { cause, severity, likelihood, subject, message, evidence, next } = finding;
  return { cause, severity, likelihood, subject, message, evidence, next };
}

function reference({ check, finding }: { check: string; finding: DoctorFinding }): FindingReference {
  return { check, cause: finding.cause, subject: finding.subject };
}

/** What the doctor has seen, for people: the checks, the causes with the most likely one first, what was not seen. */
export function doctorText({ server, namespace, checks, causes }: DoctorReport): string {
  const width = Math.max(...checks.map(({ id }) => id.length), 0);
  const unseen = checks.flatMap(({ id, notChecked: lines }) => lines.map((line) => `  ${id}: ${line}`));
  return (
    [
      `${server}, Argo CD in namespace ${namespace}`,
      '',
      ...checks.map(({ id, status, looked }) => `${id.padEnd(width)}  ${words[status]}  ${looked}`.trimEnd()),
      ...causes.flatMap((cause, index) => ['', ...causeLines(cause, index + 1)]),
      ...(unseen.length === 0 ? [] : ['', 'Not checked:', ...unseen]),
    ]
      // Evidence quotes what others wrote.
      .map(oneLine)
      .join('\n')
      .concat('\n')
  );
}

const words: Readonly<Record<DoctorCheckStatus, string>> = {
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
