import { setMaxListeners } from 'node:events';
import { orAborted } from '../async';
import { oneLine } from '../printable-text';
import { minorVersion, newestKnownMinor } from './api-lifecycles';
import type { ReadinessQuestion, ReadinessReport, ReadinessSubject } from './report';

/** What came of one subject. */
export interface SubjectResult extends ReadinessReport {
  /** Name of the subject. */
  readonly name: string;
  /** What it inspects, in one line. */
  readonly title: string;
  /** How long it took. */
  readonly seconds: number;
}

/** What is asked of subjects, and for how long. */
export interface ReadinessRun {
  /** @default - every one of them */
  readonly subjects: readonly ReadinessSubject[];
  readonly question: ReadinessQuestion;
  /** How long they may take, in milliseconds: one that is not done by then has passed nothing. */
  readonly timeout: number;
}

/** What is missing for a subject to be asked; undefined where it can be. */
export function missingFor(
  { needs, optional }: ReadinessSubject,
  question: Partial<ReadinessQuestion>,
): ReadinessSubject['needs'] | NonNullable<ReadinessSubject['optional']> | undefined {
  if (question[needs] === undefined) {
    return needs;
  }
  return optional !== undefined && question[optional] !== true ? optional : undefined;
}

/**
 * Asks subjects, all at once: most of their time is waiting. Those that the question has nothing for are left out. One that
 * fails, or is not done in time, says so as untried, and the others go on.
 *
 * @throws the signal's reason where that is aborted
 */
export async function inspectReadiness({
  subjects,
  question,
  timeout,
}: ReadinessRun): Promise<readonly SubjectResult[]> {
  const asked = subjects.filter((subject) => missingFor(subject, question) === undefined);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`not done within ${timeout / 1000} s`)), timeout);
  const signal = AbortSignal.any([question.signal, late.signal]);
  // Every call that is under way listens to it.
  setMaxListeners(Infinity, signal);
  // The same question for all: subjects of one cluster share what they have read.
  const shared = { ...question, signal };
  try {
    return await Promise.all(
      asked.map(async (subject) => {
        try {
          return await inspected(subject, shared);
        } finally {
          question.signal.throwIfAborted();
        }
      }),
    );
  } finally {
    clearTimeout(timer);
  }
}

async function inspected(subject: ReadinessSubject, question: ReadinessQuestion): Promise<SubjectResult> {
  const { name, title } = subject;
  const begun = performance.now();
  const seconds = (): number => Math.round((performance.now() - begun) / 100) / 10;
  try {
    const { findings, looked, untried } = await orAborted(subject.inspect(question), question.signal);
    return { name, title, findings, looked, untried, seconds: seconds() };
  } catch (error) {
    const untried = [reasonOf(question.signal.aborted ? question.signal.reason : error)];
    return { name, title, findings: [], looked: 'nothing', untried, seconds: seconds() };
  }
}

/** By name: the classes of errors that say all in their message. */
const expected = new Set(['AwsError', 'Error', 'InvalidInput', 'KubernetesError']);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return oneLine(String(error));
  }
  const { name, message } = error;
  return oneLine((expected.has(name) ? message : `${name}: ${message}`).replace(/\s+/g, ' '));
}

/** What nobody here knows yet of a version: which APIs it removes; empty for every version that is known. */
export function unknownRemovals(to: string): readonly string[] {
  return (minorVersion(to) ?? 0) > newestKnownMinor
    ? [
        `APIs that Kubernetes removes after 1.${newestKnownMinor}: they are not known here; take a newer release of ` +
          'cluster-canary, or read the release notes',
      ]
    : [];
}
