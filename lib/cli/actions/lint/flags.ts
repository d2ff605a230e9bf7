import { existsSync } from 'node:fs';
import type { Severity } from '../../../lint';

/** Suppressions, severities and decisions of a repository. */
const usual = 'cluster-canary.yaml';

/** The configuration: the file that was given, else the usual one if it is there. */
export function configFile(given: string | undefined): string | undefined {
  return given ?? (existsSync(usual) ? usual : undefined);
}

/** What `cluster-canary lint` takes beside the paths. */
export interface LintFlags {
  readonly format: 'text' | 'json' | 'sarif';
  readonly minSeverity: Severity;
  readonly fix?: boolean;
  readonly out?: string;
  readonly baseline?: string;
  /** True where no file is named. */
  readonly kubeconfig?: string | true;
  readonly context?: string;
  /** The version of Kubernetes that the files are for. */
  readonly kubernetesVersion?: string;
  /** Clusters by their paths: `NAME=PATH`, or a path alone. @default - folders that hold the same object twice */
  readonly cluster?: readonly string[];
  /** Findings are counted by rule. */
  readonly count?: boolean;
  /** Ids of the rules that run. @default - all */
  readonly rule?: readonly string[];
  /** Rules are listed, and nothing is checked. */
  readonly listRules?: boolean;
  /** Ids of rules that are explained; nothing is checked. */
  readonly explain?: readonly string[];
  /** Modules with further rules. */
  readonly rules?: readonly string[];
  readonly config?: string;
  readonly color: boolean;
}

/** Where paths alone are given: the defaults of the flags. */
export const lintDefaults: LintFlags = { format: 'text', minSeverity: 'info', color: true };
