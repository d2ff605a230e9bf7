/** How bad it is: an `error` breaks something now, a `warning` will or may, an `info` is worth knowing. */
export type FindingSeverity = 'error' | 'warning' | 'info';

/**
 * How sure it is that this is a cause: `certain` was seen itself, `likely` explains what was seen, `possible` is one of
 * several explanations.
 */
export type Likelihood = 'certain' | 'likely' | 'possible';

/** Something that is wrong, with what shows it and what to do. No text of it holds a secret. */
export interface Finding {
  /** Name of the cause within its check, in kebab case: `clock-slow`, `wrong-installation`. */
  readonly cause: string;
  /** How bad it is. */
  readonly severity: FindingSeverity;
  /** How sure the check is that this is the cause. */
  readonly likelihood: Likelihood;
  /** What it is about: `Node ip-10-0-1-7`, `Secret argocd/github-creds`, `Application podinfo`. */
  readonly subject: string;
  /**
   * Names under which findings of other checks may speak of it: nodes, pods, Services. A finding of a later check whose
   * text has one of them is taken as explained by this one.
   *
   * @default - the subject's own name
   */
  readonly names?: readonly string[];
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What was seen, a line each: figures, messages of others, where they were read. */
  readonly evidence: readonly string[];
  /** The next step, as an order or a question to look into. */
  readonly next: string;
}
