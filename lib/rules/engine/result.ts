import type { Finding, ObjectName } from '../finding';
import type { Rule } from '../rule';

/** What came of a run. */
export interface LintResult {
  /** By file, line and rule. */
  readonly findings: readonly Finding[];
  /** Counts of findings and objects. */
  readonly summary: LintSummary;
  /** What would be findings, had nobody suppressed them. */
  readonly suppressed: readonly SuppressedFinding[];
  /** Rules that threw: their findings may be incomplete. */
  readonly failures: readonly RuleFailure[];
  /** What was judged together, where that was not everything. @default - all objects are of one cluster */
  readonly clusters: readonly JudgedCluster[];
  /** Rules that did not run, since what they need is not known. */
  readonly leftOut: readonly LeftOutRule[];
}

/** A cluster among several of one run. */
export interface JudgedCluster {
  /** Its folder or file, or the name that it was given. @default - objects outside of all clusters, judged by themselves */
  readonly name?: string;
  /** Number of its own objects. */
  readonly objects: number;
  /** Number of objects around it that were judged with it, and with others. */
  readonly shared: number;
}

/** Counts of a run. */
export interface LintSummary {
  /** Findings of the severity `error`. */
  readonly error: number;
  /** Findings of the severity `warning`. */
  readonly warning: number;
  /** Findings of the severity `info`. */
  readonly info: number;
  /** Objects that were judged. */
  readonly objects: number;
  /** Files that they came from, and templates of charts that were not rendered. */
  readonly files: number;
  /** Findings that somebody suppressed; they are in no other count. */
  readonly suppressed: number;
}

/** A finding that somebody suppressed. */
export interface SuppressedFinding {
  /** What would be reported. */
  readonly finding: Finding;
  /** Why it is not, as whoever suppressed it says. */
  readonly reason: string;
}

/** A rule that threw. */
export interface RuleFailure {
  /** Id of the rule. */
  readonly rule: string;
  /** The object that it threw at. @default - it throws at none of them alone */
  readonly object?: ObjectName;
  /** File of the object. @default - it does not come from a file */
  readonly file?: string;
  /** What it threw. */
  readonly error: unknown;
}

/** A rule that did not run. */
export interface LeftOutRule {
  /** Id of the rule. */
  readonly rule: string;
  /** What would have to be known. */
  readonly needs: NonNullable<Rule['needs']>;
}
