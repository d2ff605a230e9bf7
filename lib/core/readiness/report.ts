import type { AwsClients } from '../aws/clients';
import type { AllowStatement } from '../aws/iam';
import type { AccessRule, KubernetesReader } from '../kubernetes/api';

/** `error`: it breaks with the new version, or already does. `warning`: it may. `info`: worth knowing. */
export type ReadinessSeverity = 'error' | 'warning' | 'info';

/** One thing that stands in the way of an upgrade, with what to do about it. No text of it holds a secret. */
export interface ReadinessFinding {
  /** Name of what was found, in capital letters and digits: `API01`, `EKS03`. */
  readonly id: string;
  /** How much it matters. */
  readonly severity: ReadinessSeverity;
  /** What is there, with its names and values: one line. */
  readonly message: string;
  /** Why it hurts: one line. */
  readonly why: string;
  /** How to fix it: one line. */
  readonly fix: string;
  /** The object that it is about. @default - no object of Kubernetes */
  readonly object?: ReadinessObject;
  /** Where it was seen: `live`, `last applied`, `managed fields of helm`, `Helm release podinfo`. @default - nothing to add */
  readonly seenIn?: string;
  /** The file that holds the object. @default - it does not come from a file */
  readonly file?: string;
  /** Line in that file, from 1. @default - it does not come from a file */
  readonly line?: number;
  /** JSON pointer (RFC 6901) of the field in the object. @default - the object itself */
  readonly pointer?: string;
}

/** Names an object of Kubernetes. */
export interface ReadinessObject {
  /** `policy/v1beta1` */
  readonly apiVersion: string;
  /** `PodDisruptionBudget` */
  readonly kind: string;
  /** Its namespace. @default - it has none, or none is given */
  readonly namespace?: string;
  /** Its name; empty where it has none, such as a `generateName`. */
  readonly name: string;
}

/** What one subject of readiness has found. */
export interface ReadinessReport {
  /** What is wrong. */
  readonly findings: readonly ReadinessFinding[];
  /** What was inspected, in a few words: `312 objects of 41 kinds`. */
  readonly looked: string;
  /**
   * What could not be inspected, with the right or setting that is missing, a line each:
   * `insights: not allowed to call eks:ListInsights`. Nothing here has passed.
   */
  readonly untried: readonly string[];
}

/** What readiness is asked of: nothing of it changes anything. */
export interface ReadinessQuestion {
  /** The Kubernetes version to upgrade to: `1.36`. */
  readonly to: string;
  /** API server of the cluster that runs now. @default - none is asked */
  readonly kubernetes?: KubernetesReader;
  /** API server of a cluster of the new version, where that is another one. @default - none is asked */
  readonly newKubernetes?: KubernetesReader;
  /** The EKS cluster that runs now. @default - EKS is not asked */
  readonly eks?: {
    /** Name of the cluster. */
    readonly clusterName: string;
    /** Clients in its region. */
    readonly clients: AwsClients;
  };
  /**
   * Whether Helm's release records are read: they are Secrets, and hold the values of releases.
   *
   * @default false
   */
  readonly helmReleases?: boolean;
  /** Calls that may be under way at once. */
  readonly concurrency: number;
  /** Now, in milliseconds since 1970. */
  readonly now: number;
  /** Says how far it is: `live objects: 1,200 of 41 kinds`. */
  progress(text: string): void;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** A right that a subject of readiness needs on an API server. */
export interface ReadinessAccess extends AccessRule {
  /** Paths that are no resources: `/metrics`. @default - none */
  readonly nonResourceURLs?: readonly string[];
  /** Which of the two clusters it is needed in. @default 'kubernetes' */
  readonly at?: 'kubernetes' | 'newKubernetes';
}

/** One subject of readiness: one file or folder beside this one, and a line in the registry. */
export interface ReadinessSubject {
  /** Its name, in kebab case: `removed-apis`. */
  readonly name: string;
  /** What it inspects, in one line. */
  readonly title: string;
  /** What it can't do without: it is left out where the question has none. */
  readonly needs: 'kubernetes' | 'newKubernetes' | 'eks';
  /** The least permissions that its calls to AWS need, for clusters of any account and region. @default - it calls nothing of AWS */
  readonly permissions?: readonly AllowStatement[];
  /** The setting of the question that asks for it. @default - it is always asked */
  readonly optional?: 'helmReleases';
  /** Rights on API servers that it takes to inspect everything. @default - none */
  readonly access?: readonly ReadinessAccess[];
  /**
   * Inspects. What it may not read is listed as `untried`, and the rest is read all the same.
   *
   * @throws KubernetesError or AwsError where nothing can be reached at all; the signal's reason where that is aborted
   */
  inspect(question: ReadinessQuestion): Promise<ReadinessReport>;
}
