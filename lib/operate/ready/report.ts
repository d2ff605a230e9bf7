import { missingFor } from '../../core/readiness';
import type {
  ReadinessFinding,
  ReadinessQuestion,
  ReadinessSeverity,
  ReadinessSubject,
  SubjectResult,
} from '../../core/readiness';

/** Everything that is known before an upgrade. */
export interface ReadyReport {
  /** The Kubernetes version to upgrade to: `1.36`. */
  readonly to: string;
  /** When it was asked, by this machine's clock. */
  readonly at: Date;
  /** What was asked. */
  readonly asked: AskedClusters;
  /** What came of each subject that was asked, in the order of the registry. */
  readonly subjects: readonly SubjectResult[];
  /** Subjects that there was nothing to ask for: nobody wanted them. */
  readonly leftOut: readonly LeftOutSubject[];
}

/** Which clusters were asked. */
export interface AskedClusters {
  /** The API server of the cluster that runs now. @default - it was not asked */
  readonly kubernetes?: AskedServer;
  /** An API server of the new version. @default - it was not asked */
  readonly newKubernetes?: AskedServer;
  /** Name of the EKS cluster. @default - EKS was not asked */
  readonly eks?: string;
}

/** An API server that was asked. */
export interface AskedServer {
  /** Its URL. */
  readonly server: string;
  /** `v1.35.4` @default - it did not say */
  readonly version?: string;
  /** Why it did not say. @default - it did */
  readonly silence?: string;
}

/** A subject that was not asked, with what it lacks. */
export interface LeftOutSubject {
  readonly name: string;
  /** What it inspects, in one line. */
  readonly title: string;
  /** What it can't do without. */
  readonly needs: NonNullable<ReturnType<typeof missingFor>>;
}

/** The subjects that a question has nothing for. */
export function leftOutOf(
  subjects: readonly ReadinessSubject[],
  question: Partial<ReadinessQuestion>,
): readonly LeftOutSubject[] {
  return subjects.flatMap((subject) => {
    const needs = missingFor(subject, question);
    return needs === undefined ? [] : [{ name: subject.name, title: subject.title, needs }];
  });
}

/** The worst first. */
export const readinessSeverities: readonly ReadinessSeverity[] = ['error', 'warning', 'info'];

/** The same findings, the worst first; the order among those of one severity stays. */
export function worstFirst(findings: readonly ReadinessFinding[]): readonly ReadinessFinding[] {
  return readinessSeverities.flatMap((severity) => findings.filter((each) => each.severity === severity));
}

/**
 * How a subject ended: `failed` with an error, `warned` with a warning, `unknown` where it found neither and could not look at
 * everything.
 */
export type ReadyStatus = 'passed' | 'warned' | 'failed' | 'unknown';

/** How a subject ended. What is untried has not passed. */
export function subjectStatus({ findings, untried }: SubjectResult): ReadyStatus {
  if (findings.some(({ severity }) => severity === 'error')) {
    return 'failed';
  }
  if (findings.some(({ severity }) => severity === 'warning')) {
    return 'warned';
  }
  return untried.length === 0 ? 'passed' : 'unknown';
}

/** How many findings there are of each severity, and how much could not be looked at. */
export interface ReadySummary extends Readonly<Record<ReadinessSeverity, number>> {
  /** Lines of what could not be inspected. */
  readonly untried: number;
}

/** Counts of a whole report. */
export function readySummary({ subjects }: Pick<ReadyReport, 'subjects'>): ReadySummary {
  const findings = subjects.flatMap((subject) => subject.findings);
  const [error = 0, warning = 0, info = 0] = readinessSeverities.map(
    (severity) => findings.filter((each) => each.severity === severity).length,
  );
  return { error, warning, info, untried: subjects.flatMap(({ untried }) => untried).length };
}

/**
 * What a report amounts to: `failed` with a finding that is bad enough, else `unknown` where something was not inspected.
 *
 * @param failOn the least severity that fails
 */
export function readyVerdict(
  report: Pick<ReadyReport, 'subjects'>,
  failOn: 'error' | 'warning',
): 'passed' | 'failed' | 'unknown' {
  const { error, warning, untried } = readySummary(report);
  if (error > 0 || (failOn === 'warning' && warning > 0)) {
    return 'failed';
  }
  return untried > 0 ? 'unknown' : 'passed';
}
