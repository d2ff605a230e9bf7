import type { Severity } from '../finding';

/** What a `cluster-canary.yaml` says. */
export interface LintConfig {
  /** As messages name it. */
  readonly file: string;
  readonly suppress: readonly ConfigSuppression[];
  /** Other severities than the rules' own, by rule; `off` leaves a rule out. */
  readonly rules: ReadonlyMap<string, Severity | 'off'>;
}

/** A suppression of a configuration file: every part that it names must fit. */
export interface ConfigSuppression {
  /** Id of the rule. */
  readonly rule: string;
  /** @default - any object */
  readonly object?: {
    /** @default - any */
    readonly kind?: string;
    /** @default - any */
    readonly namespace?: string;
    /** @default - any */
    readonly name?: string;
  };
  /** File of the object, or a folder with `/` at its end, as findings name them. @default - any */
  readonly file?: string;
  /** @default - none, so nothing is suppressed, and that is a finding itself */
  readonly reason?: string;
  /** Line in the configuration file, from 1. */
  readonly line: number;
}
