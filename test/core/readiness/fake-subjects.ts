import type {
  ReadinessFinding,
  ReadinessQuestion,
  ReadinessReport,
  ReadinessSubject,
} from '../../../lib/core/readiness';

/** A subject that answers with what a test gives. */
export function subjectOf(
  name: string,
  answer: Partial<ReadinessReport> | ((question: ReadinessQuestion) => Promise<ReadinessReport>) = {},
  more: Partial<ReadinessSubject> = {},
): ReadinessSubject {
  return {
    ...{ name, title: `what ${name} looks at`, needs: 'eks' },
    inspect:
      typeof answer === 'function'
        ? answer
        : () => Promise.resolve({ findings: [], looked: `3 things of ${name}`, untried: [], ...answer }),
    ...more,
  };
}

/** A finding. */
export function findingOf(id: string, more: Partial<ReadinessFinding> = {}): ReadinessFinding {
  return {
    ...{ id, severity: 'error', message: `${id} is there`, why: `${id} hurts`, fix: `mend ${id}` },
    ...more,
  };
}

/** A question that names an EKS cluster which is never asked. */
export function questionOf(more: Partial<ReadinessQuestion> = {}): ReadinessQuestion {
  return {
    ...{ to: '1.36', concurrency: 4, now: Date.parse('2026-11-23T09:00:00Z'), progress: () => undefined },
    signal: new AbortController().signal,
    eks: { clusterName: 'apps', clients: {} as never },
    ...more,
  };
}
