import { opaque } from '../core/validation/arguments';
import { list, object, optional } from '../core/validation/collections';
import type { Schema } from '../core/validation/schema';
import { following, number, oneOf, text } from '../core/validation/values';
import { kubernetesVersion } from '../core/readiness';
import { clusterFiles } from './clusters';
import type { ClusterFiles } from './clusters';
import type { LintConfig } from './config';
import type { ManifestObject, ObjectName } from './object';
import { severities } from './rule';
import type { Finding, Rule, Severity, TemplateFile } from './rule';

/** How objects are checked. */
export interface LintOptions {
  /** The rules to run. @default - every rule of the library ({@link allRules}) */
  readonly rules?: readonly Rule[];
  /**
   * Ids of those of the rules that run. Of the others nothing is said, nor of suppressions of theirs.
   *
   * @default - all of them
   */
  readonly only?: readonly string[];
  /** The same objects as they were before a change. @default - not known, and rules that need them are left out */
  readonly before?: readonly ManifestObject[];
  /** Objects of the cluster, of the kinds that the rules ask for. @default - not known, and rules that need them are left out */
  readonly live?: readonly ManifestObject[];
  /** Which files describe clusters of their own. @default - all objects are of one cluster; see {@link clustersByTwins} */
  readonly clusters?: readonly ClusterFiles[];
  /** Templates of Helm charts that were not rendered. @default - none */
  readonly templates?: readonly TemplateFile[];
  /**
   * The version of Kubernetes that the objects are for, such as `1.36`: APIs that it does not serve are errors.
   *
   * @default - what the configuration says; without it 1.31, the oldest that EKS supported when this was written
   */
  readonly kubernetesVersion?: string;
  /** What is suppressed, and other severities. @default - annotations of the objects alone */
  readonly config?: LintConfig;
  /** Findings below it are left out. @default 'info' - all are shown */
  readonly minSeverity?: Severity;
  /** In milliseconds since 1970, for the dates of certificates. @default - now */
  readonly now?: number;
}

/** A list whose items are not looked into: there may be many. */
function listOf(what: string): Schema<never> {
  return following({ allowed: `a list of ${what}`, accepts: Array.isArray });
}

/** Options that checks and hardening have in common. */
export const commonEntries = {
  rules: optional(listOf('rules')),
  clusters: optional(list(clusterFiles)),
  config: optional(opaque('what readLintConfig returns')),
  now: optional(number('a time in milliseconds since 1970')),
};

/** A list of objects that were read. */
export const objectList = listOf('objects');

export const lintOptions = object<LintOptions>({
  ...commonEntries,
  only: optional(list(text('the id of a rule'))),
  before: optional(objectList),
  live: optional(objectList),
  kubernetesVersion: optional(kubernetesVersion),
  templates: optional(listOf('templates')),
  minSeverity: optional(oneOf(...severities)),
});

/** What came of a run. */
export interface LintResult {
  /** By file, line and rule. */
  readonly findings: readonly Finding[];
  /** Counts of findings and objects. */
  readonly summary: LintSummary;
  /** What would be findings, if they were not suppressed. */
  readonly suppressed: readonly SuppressedFinding[];
  /** Rules that threw: their findings may be incomplete. */
  readonly failures: readonly RuleFailure[];
  /** What was checked together, where that was not everything. @default - all objects are of one cluster */
  readonly clusters: readonly EvaluatedCluster[];
  /** Rules that did not run, since what they need is not known. */
  readonly skippedRules: readonly SkippedRule[];
}

/** A cluster among several of one run. */
export interface EvaluatedCluster {
  /** Its folder or file, or the name that it was given. @default - objects outside of all clusters, checked separately */
  readonly name?: string;
  /** Number of its own objects. */
  readonly objects: number;
  /** Number of objects around it that were checked with it, and with others. */
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
  /** Objects that were checked. */
  readonly objects: number;
  /** Files that they came from, and templates of charts that were not rendered. */
  readonly files: number;
  /** Findings that are suppressed; they are in no other count. */
  readonly suppressed: number;
}

/** A suppressed finding. */
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
export interface SkippedRule {
  /** Id of the rule. */
  readonly rule: string;
  /** What would have to be known. */
  readonly needs: NonNullable<Rule['needs']>;
}
