import type { LintResult } from '../engine/result';
import type { Unreadable } from '../reading/read-manifests';

/** What `cluster-canary lint --format json` prints; its form is `schemas/lint.json`. */
export function lintDocument(
  { findings, summary, suppressed, failures, leftOut, clusters }: LintResult,
  unreadable: readonly Unreadable[] = [],
): object {
  return {
    schemaVersion: 1,
    findings,
    summary,
    suppressed: suppressed.map(({ finding, reason }) => ({ ...finding, reason })),
    unreadable,
    failures: failuresOf(failures),
    leftOut,
    clusters,
  };
}

/** Failures as they are printed. */
export function failuresOf(failures: LintResult['failures']): readonly object[] {
  return failures.map(({ error, ...failure }) => ({ ...failure, message: messageOf(error) }));
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
