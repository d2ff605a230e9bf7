import type { ChangedField } from './current-secrets';
import type { DesiredSecret, SkippedCluster } from './desired-secrets';

/** A cluster, and its Secret. */
export interface PlannedSecret {
  /** Name of the EKS cluster. */
  readonly cluster: string;
  /** ARN of the EKS cluster; unset where the annotation was removed. */
  readonly arn?: string;
  /** Name of the Secret. */
  readonly secret: string;
}

/** A Secret that is made. */
export interface Creation extends PlannedSecret {
  /** What is written. */
  readonly desired: DesiredSecret;
}

/** A Secret that is changed. */
export interface Update extends PlannedSecret {
  /** UID of the Secret that was inspected: another one is not changed. */
  readonly uid: string;
  /** What is changed on it. */
  readonly changes: readonly ChangedField[];
  /** What is applied; left out where only the mark changes. */
  readonly desired?: DesiredSecret;
  /** The time that is written as `missing-since` (RFC 3339), or null to take it away. @default - it stays */
  readonly missingSince?: string | null;
  /** Whether the Secret is taken over without a former owner. */
  readonly adopted: boolean;
}

/** A Secret that goes. */
export interface Deletion extends PlannedSecret {
  /** UID of the Secret that was inspected: another one does not go. */
  readonly uid: string;
  /** Version that was inspected: a Secret that was changed since does not go. */
  readonly resourceVersion: string;
  /** RFC 3339. */
  readonly missingSince: string;
}

/** A Secret that stays as it is. */
export interface UnchangedSecret extends PlannedSecret {
  /** Why, where its cluster is not simply as it was. */
  readonly reason?: string;
}

/** What a set does to the Secrets of a hub. */
export interface ClustersPlan {
  /** Secrets that are made. */
  readonly create: readonly Creation[];
  /** Secrets that are changed. */
  readonly update: readonly Update[];
  /** Secrets that go. */
  readonly delete: readonly Deletion[];
  /** Secrets that stay as they are. */
  readonly keep: readonly UnchangedSecret[];
  /** Selected clusters that are left as they are. */
  readonly skipped: readonly SkippedCluster[];
  /** What needs attention: what did not answer, clusters that are refused, removals that are held back. */
  readonly problems: readonly string[];
}
