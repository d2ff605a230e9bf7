import type { Finding, ObjectName } from '../finding';
import type { Rule } from '../rule';

/** What came of a run. */
export interface LintResult {
  /** By file, line and rule. */
  readonly findings: readonly Finding[];
  readonly summary: LintSummary;
  /** What would be findings, had nobody suppressed them. */
  readonly suppressed: readonly SuppressedFinding[];
  /** Rules that threw: their findings may be incomplete. */
  readonly failures: readonly RuleFailure[];
  /** Rules that did not run, since what they need is not known. */
  readonly leftOut: readonly LeftOutRule[];
}

/** Counts of a run. */
export interface LintSummary {
  readonly error: number;
  readonly warning: number;
  readonly info: number;
  /** Objects that were judged. */
  readonly objects: number;
  /** Files that they came from. */
  readonly files: number;
  readonly suppressed: number;
}

/** A finding that somebody suppressed. */
export interface SuppressedFinding {
  readonly finding: Finding;
  readonly reason: string;
}

/** A rule that threw. */
export interface RuleFailure {
  readonly rule: string;
  /** The object that it threw at. @default - it throws at none of them alone */
  readonly object?: ObjectName;
  /** File of the object. @default - it does not come from a file */
  readonly file?: string;
  readonly error: unknown;
}

/** A rule that did not run. */
export interface LeftOutRule {
  readonly rule: string;
  readonly needs: NonNullable<Rule['needs']>;
}
