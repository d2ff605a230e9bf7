import type { OptionsOf } from '../../problems';
import { listOf } from '../../problems';
import type { LintConfig } from '../config/lint-config';
import type { Severity } from '../finding';
import type { JudgedObject } from '../judged-object';
import type { Rule } from '../rule';
import type { TemplateFile } from '../template-file';
import type { ClusterFiles } from './clusters';
import { clusterFilesKeys } from './clusters';

/** How objects are judged. */
export interface LintOptions {
  /** The rules to judge by. @default - every rule of the library ({@link allRules}) */
  readonly rules?: readonly Rule[];
  /**
   * Ids of those of the rules that run. Of the others nothing is said, nor of suppressions of theirs.
   *
   * @default - all of them
   */
  readonly only?: readonly string[];
  /** The same objects as they were before a change. @default - not known, and rules that need them are left out */
  readonly before?: readonly JudgedObject[];
  /** Objects of the cluster, of the kinds that the rules ask for. @default - not known, and rules that need them are left out */
  readonly live?: readonly JudgedObject[];
  /** Which files describe clusters of their own. @default - all objects are of one cluster; see {@link clustersByTwins} */
  readonly clusters?: readonly ClusterFiles[];
  /** Templates of Helm charts that were not rendered. @default - none */
  readonly templates?: readonly TemplateFile[];
  /** What is suppressed, and other severities. @default - annotations of the objects alone */
  readonly config?: LintConfig;
  /** Findings below it are left out. @default 'info' - all are shown */
  readonly minSeverity?: Severity;
  /** In milliseconds since 1970, for the dates of certificates. @default - now */
  readonly now?: number;
}

export const lintOptionsKeys: OptionsOf<LintOptions> = {
  rules: listOf('open'),
  only: 'list',
  before: listOf('open'),
  live: listOf('open'),
  clusters: listOf(clusterFilesKeys),
  templates: listOf('open'),
  config: 'open',
  minSeverity: 'plain',
  now: 'plain',
};
