import type { ReadinessFinding } from '../../core/readiness';
import { readySummary, subjectStatus, worstFirst } from './report';
import type { AskedServer, LeftOutSubject, ReadyReport, ReadyStatus, ReadySummary } from './report';

/** What `cluster-canary ready --output json` prints; its JSON Schema is `schemas/ready.json`. */
export interface ReadyDocument {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** When it was asked, by the clock of the machine that asked. */
  readonly at: string;
  /** What was compared with what. */
  readonly versions: {
    /** The Kubernetes version to upgrade to. */
    readonly to: string;
    /** Version of the API server that runs now; null where it was not asked, or did not say. */
    readonly kubernetes: string | null;
    /** Version of the new API server; null where it was not asked, or did not say. */
    readonly newKubernetes: string | null;
  };
  /** What was asked; null for what was not. */
  readonly clusters: {
    /** Name of the EKS cluster. */
    readonly eks: string | null;
    /** URL of the API server that runs now. */
    readonly kubernetes: string | null;
    /** URL of the new API server. */
    readonly newKubernetes: string | null;
  };
  /** Counts of findings, and of what could not be inspected. */
  readonly summary: ReadySummary;
  /** What came of each subject that was asked. */
  readonly subjects: readonly DocumentedSubject[];
  /** Subjects that were not asked, with what they lack. */
  readonly leftOut: readonly LeftOutSubject[];
  /** All findings, subject by subject, the worst of each first. */
  readonly findings: readonly DocumentedReadiness[];
}

/** A subject without its findings. */
export interface DocumentedSubject {
  readonly name: string;
  readonly title: string;
  readonly status: ReadyStatus;
  /** What was inspected, in a few words. */
  readonly looked: string;
  /** What could not be inspected, a line each. */
  readonly untried: readonly string[];
  readonly seconds: number;
}

/** A finding, and whose it is. */
export interface DocumentedReadiness extends ReadinessFinding {
  /** Name of the subject. */
  readonly subject: string;
}

/** A report as a document. */
export function readyDocument(report: ReadyReport): ReadyDocument {
  const { to, at, asked, subjects, leftOut } = report;
  const { kubernetes, newKubernetes, eks } = asked;
  return {
    schemaVersion: 1,
    at: at.toISOString(),
    versions: { to, kubernetes: versionOf(kubernetes), newKubernetes: versionOf(newKubernetes) },
    clusters: {
      eks: eks ?? null,
      kubernetes: kubernetes?.server ?? null,
      newKubernetes: newKubernetes?.server ?? null,
    },
    summary: readySummary(report),
    subjects: subjects.map((subject) => {
      const { name, title, looked, untried, seconds } = subject;
      return { name, title, status: subjectStatus(subject), looked, untried, seconds };
    }),
    leftOut,
    findings: subjects.flatMap(({ name, findings }) =>
      worstFirst(findings).map((finding) => ({ subject: name, ...finding })),
    ),
  };
}

function versionOf(server: AskedServer | undefined): string | null {
  return server?.version ?? null;
}
