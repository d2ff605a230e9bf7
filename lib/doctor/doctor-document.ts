import type { CheckStatus } from './check-result';
import type { CheckName } from './doctor-check';
import type { Examination } from './examine';
import type { Finding, FindingSeverity, Likelihood } from './finding';

/** What `cluster-canary doctor --json` prints; its JSON Schema is `schemas/doctor.json`. */
export interface DoctorDocument {
  readonly schemaVersion: 1;
  /** URL of the API server. */
  readonly server: string;
  /** Namespace that Argo CD was looked for in. */
  readonly namespace: string;
  /** When it began, by this machine's clock. */
  readonly at: string;
  readonly checks: readonly DocumentedCheck[];
  /** The findings of all checks, the most likely cause first. */
  readonly causes: readonly DocumentedCause[];
}

export interface DocumentedCheck {
  readonly id: CheckName;
  readonly title: string;
  readonly status: CheckStatus;
  /** What was looked at, and what was found there, a line each. */
  readonly evidence: readonly string[];
  /** The next step of its first finding; of a check that could not look, what it lacks. */
  readonly next: string | null;
  readonly findings: readonly DocumentedFinding[];
  /** What could not be looked at, and why. */
  readonly unseen: readonly string[];
  readonly seconds: number;
}

export interface DocumentedFinding {
  readonly cause: string;
  readonly severity: FindingSeverity;
  readonly likelihood: Likelihood;
  readonly subject: string;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly next: string;
}

/** A finding of `checks`, by its place. */
export interface FindingReference {
  readonly check: CheckName;
  readonly cause: string;
  readonly subject: string;
}

export interface DocumentedCause extends FindingReference {
  /** The findings of other checks that go back to it. */
  readonly explains: readonly FindingReference[];
}

/** What the doctor has seen, as a document. */
export function doctorDocument({ server, namespace, at, checks, causes }: Examination): DoctorDocument {
  return {
    schemaVersion: 1,
    server,
    namespace,
    at: at.toISOString(),
    checks: checks.map(({ id, title, status, looked, unseen, seconds }) => {
      const own = causes.filter(({ check }) => check === id).map(({ finding }) => finding);
      return {
        id,
        title,
        status,
        evidence: [
          ...(looked === '' ? [] : [looked]),
          ...own.map(({ subject, message }) => `${subject}: ${message}`),
          ...(status === 'unknown' ? unseen : []),
        ],
        next: own[0]?.next ?? (status === 'unknown' ? (unseen[0] ?? null) : null),
        findings: own.map(documented),
        unseen,
        seconds,
      };
    }),
    causes: causes.map(({ check, finding, explains }) => ({
      ...reference({ check, finding }),
      explains: explains.map(reference),
    })),
  };
}

function documented(finding: Finding): DocumentedFinding {
  const { cause, severity, likelihood, subject, message, evidence, next } = finding;
  return { cause, severity, likelihood, subject, message, evidence, next };
}

function reference({ check, finding }: { check: CheckName; finding: Finding }): FindingReference {
  return { check, cause: finding.cause, subject: finding.subject };
}
