import type { AccessRule, KubernetesReader } from '../../core/kubernetes/api';
import type { Schema } from '../../core/validation/schema';

/**
 * How a check ended: `failed` with an error, `warned` with a warning, `unknown` where it could not look, or not at
 * everything, and found nothing.
 */
export type DoctorCheckStatus = 'passed' | 'warned' | 'failed' | 'unknown';

/** How one check ended. */
export interface DoctorCheckResult {
  /** Name of the check. */
  readonly id: string;
  /** What it inspects, in one line. */
  readonly title: string;
  /** What it inspects, among what leads to what. */
  readonly layer: CheckLayer;
  /** How it ended. */
  readonly status: DoctorCheckStatus;
  /** What was inspected, in a few words; empty where it was nothing. */
  readonly looked: string;
  /** What is wrong. */
  readonly findings: readonly DoctorFinding[];
  /** What could not be inspected, and why, a line each. */
  readonly notChecked: readonly string[];
  /** How long it took. */
  readonly seconds: number;
}

type Described = Pick<DoctorCheck, 'name' | 'title' | 'layer'>;

/** The result of a check that ran to its end. */
export function resultOf(
  { name, title, layer }: Described,
  report: CheckReport,
  seconds: number,
): DoctorCheckResult {
  const { findings, looked, notChecked } = report;
  return { id: name, title, layer, status: statusOf(report), looked, findings, notChecked, seconds };
}

/** The result of a check that could not look. */
export function unknownCheckResult(
  { name, title, layer }: Described,
  reason: string,
  seconds: number,
): DoctorCheckResult {
  return {
    id: name,
    title,
    layer,
    status: 'unknown',
    looked: '',
    findings: [],
    notChecked: [reason],
    seconds,
  };
}

function statusOf({ findings, notChecked, sufficient = false }: CheckReport): DoctorCheckStatus {
  if (findings.some(({ severity }) => severity === 'error')) {
    return 'failed';
  }
  if (findings.some(({ severity }) => severity === 'warning')) {
    return 'warned';
  }
  return notChecked.length === 0 || sufficient ? 'passed' : 'unknown';
}

/** What a check inspects: nodes make connections fail, connections make Applications fail, and never the other way round. */
export type CheckLayer = 'nodes' | 'connections' | 'applications';

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
  readonly findings: readonly DoctorFinding[];
  /** What was inspected, in a few words: `3 nodes, 4 samples each`. */
  readonly looked: string;
  /**
   * What could not be inspected, and which right or setting is missing, a line each:
   * `Secrets in argocd: the account may not list them (verb list, resource secrets)`.
   */
  readonly notChecked: readonly string[];
  /**
   * Whether enough was seen to say that all is well, though something is unseen: one node of a thousand does not answer.
   *
   * @default false - a check without findings that could not inspect something says `unknown` and not `passed`
   */
  readonly sufficient?: boolean;
}

/** One thing that the doctor inspects. */
export interface DoctorCheck {
  /** Name of the check, as the command takes it. */
  readonly name: string;
  /** One line for lists: what it inspects. */
  readonly title: string;
  /** Its findings explain those of later layers, and those of later checks in its own. */
  readonly layer: CheckLayer;
  /** Whether it inspects Argo CD's own objects: without Argo CD's namespace it is not run. @default false */
  readonly needsArgoCd?: boolean;
  /**
   * What it reads of the examined cluster, beside the CustomResourceDefinitions that it looks kinds up by.
   *
   * @param namespace namespace of Argo CD
   */
  access(namespace: string): readonly AccessRule[];
  /**
   * Runs the check. What it may not read is listed in `notChecked`, and the rest is read all the same.
   *
   * @throws KubernetesError where the API server can't be reached at all
   */
  examine(context: DoctorContext): Promise<CheckReport>;
}

/** A kind of check, of which there is one line in the registry. */
export interface DoctorCheckKind<Options> {
  /** What its options hold. */
  readonly options: Schema<Options>;
  /** The check. */
  create(options?: Options): DoctorCheck;
}

/** How bad it is: an `error` breaks something now, a `warning` will or may, an `info` is worth knowing. */
export type FindingSeverity = 'error' | 'warning' | 'info';

/**
 * How sure it is that this is a cause: `certain` was seen itself, `likely` explains what was seen, `possible` is one of
 * several explanations.
 */
export type Likelihood = 'certain' | 'likely' | 'possible';

/** Something that is wrong, with what shows it and what to do. No text of it holds a secret. */
export interface DoctorFinding {
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
