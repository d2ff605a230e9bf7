import type { Severity } from '../finding';

/** What a `cluster-canary.yaml` says. */
export interface LintConfig {
  /** As messages name it. */
  readonly file: string;
  /** What is not reported, in the order of the file. */
  readonly suppress: readonly ConfigSuppression[];
  /** Other severities than the rules' own, by rule; `off` leaves a rule out. */
  readonly rules: ReadonlyMap<string, Severity | 'off'>;
}

/** A suppression of a configuration file: every part that it names must fit. */
export interface ConfigSuppression {
  /** Id of the rule. */
  readonly rule: string;
  /** The objects that it is for: those that every given field fits. @default - any object */
  readonly object?: {
    /** Kind of the object. @default - any */
    readonly kind?: string;
    /** Namespace of the object. @default - any */
    readonly namespace?: string;
    /** Name of the object. @default - any */
    readonly name?: string;
  };
  /** File of the object, or a folder with `/` at its end, as findings name them. @default - any */
  readonly file?: string;
  /**
   * Why the rule does not matter there: for the next reader.
   * @default - none, so nothing is suppressed, and that is a finding itself
   */
  readonly reason?: string;
  /** Line in the configuration file, from 1. */
  readonly line: number;
}
