import type { KubernetesReader } from '../../../lib/core/kubernetes/api';
import type {
  CheckName,
  CheckReport,
  DoctorCheck,
  DoctorContext,
  DoctorFinding,
} from '../../../lib/operate/doctor';
import { doctorChecks } from '../../../lib/operate/doctor';

/** A finding of which only what matters is told. */
export function finding(more: Partial<DoctorFinding> = {}): DoctorFinding {
  return {
    cause: 'some-cause',
    severity: 'error',
    likelihood: 'certain',
    subject: 'Thing something',
    message: 'it is wrong',
    evidence: [],
    next: 'mend it',
    ...more,
  };
}

/** A check that answers this, or fails, in the place of that of the name. */
export function check(name: CheckName, answer: Partial<CheckReport> | Error = {}): DoctorCheck {
  return {
    ...doctorChecks([name])[0]!,
    title: `what ${name} looks at`,
    examine: () =>
      answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve({ findings: [], looked: 'some things', notChecked: [], ...answer }),
  };
}

/** What checks work with. */
export function contextOf(api: KubernetesReader, more: Partial<DoctorContext> = {}): DoctorContext {
  return {
    api,
    namespace: 'argocd',
    concurrency: 8,
    now: () => new Date('2026-11-21T12:00:00Z'),
    progress: () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
}
