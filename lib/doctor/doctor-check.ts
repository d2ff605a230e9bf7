import type { KubernetesReader } from '../kubernetes';
import type { Finding } from './finding';

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
  readonly unseen: readonly string[];
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
