import type { KubernetesReader } from '../../core/kubernetes/api';

/**
 * How a check ended: `failed` with an error, `warned` with a warning, `unknown` where it could not look, or not at
 * everything, and found nothing.
 */
export type CheckStatus = 'passed' | 'warned' | 'failed' | 'unknown';

/** How one check ended. */
export interface CheckResult {
  /** Name of the check. */
  readonly id: CheckName;
  /** What it looks at, in one line. */
  readonly title: string;
  /** How it ended. */
  readonly status: CheckStatus;
  /** What was looked at, in a few words; empty where it was nothing. */
  readonly looked: string;
  /** What is wrong. */
  readonly findings: readonly Finding[];
  /** What could not be looked at, and why, a line each. */
  readonly notChecked: readonly string[];
  /** How long it took. */
  readonly seconds: number;
}

type Described = Pick<DoctorCheck, 'name' | 'title'>;

/** The result of a check that ran to its end. */
export function resultOf({ name, title }: Described, report: CheckReport, seconds: number): CheckResult {
  const { findings, looked, notChecked: unseen } = report;
  return { id: name, title, status: statusOf(report), looked, findings, notChecked: unseen, seconds };
}

/** The result of a check that could not look. */
export function unknownResult({ name, title }: Described, reason: string, seconds: number): CheckResult {
  return { id: name, title, status: 'unknown', looked: '', findings: [], notChecked: [reason], seconds };
}

function statusOf({ findings, notChecked: unseen, sufficient = false }: CheckReport): CheckStatus {
  if (findings.some(({ severity }) => severity === 'error')) {
    return 'failed';
  }
  if (findings.some(({ severity }) => severity === 'warning')) {
    return 'warned';
  }
  return unseen.length === 0 || sufficient ? 'passed' : 'unknown';
}

/** The checks that there are, in the order in which they are run and listed. */
export const checkNames = ['clock', 'github', 'sync', 'webhooks', 'clusters'] as const;

/** Name of a check. */
export type CheckName = (typeof checkNames)[number];

/** What every check works with. */
export interface DoctorContext {
  /** The cluster that is examined: the one that Argo CD runs in. */
  readonly api: KubernetesReader;
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** Calls that a check may have under way at once. */
  readonly concurrency: number;
  /** Time of this machine. */
  now(): Date;
  /** Says how far it is, for runs over two seconds: `clock: 1,200 of 5,000 nodes`. */
  progress(text: string): void;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** What a check has seen. */
export interface CheckReport {
  /** What is wrong. */
  readonly findings: readonly Finding[];
  /** What was looked at, in a few words: `3 nodes, 4 samples each`. */
  readonly looked: string;
  /**
   * What could not be looked at, and which right or setting is missing, a line each:
   * `Secrets in argocd: the account may not list them (verb list, resource secrets)`.
   */
  readonly notChecked: readonly string[];
  /**
   * Whether enough was seen to say that all is well, though something is unseen: one node of a thousand does not answer.
   *
   * @default false - a check without findings that could not look at something says `unknown` and not `passed`
   */
  readonly sufficient?: boolean;
}

/** One thing that the doctor looks at. */
export interface DoctorCheck {
  /** Name of the check, as the command takes it. */
  readonly name: CheckName;
  /** One line for lists: what it looks at. */
  readonly title: string;
  /**
   * Looks. What it may not read is told in `unseen`, and the rest is looked at all the same.
   *
   * @throws KubernetesError where the API server can't be reached at all
   */
  examine(context: DoctorContext): Promise<CheckReport>;
}

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
