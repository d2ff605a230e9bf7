import type { InterruptSource } from '../../bridge';
import type { Clock } from '../../shift';
import type { SlotRef } from '../../fleet';
import type { HubApplication } from './hub-application';

/** What a handover asks and tells; a test gives its own. */
export interface HandoverParts {
  /** The Applications of a hub's Argo CD, each time anew. */
  readonly hub: (slot: SlotRef, access: HubAccess) => Promise<HubReader>;
  readonly rights: (access: { readonly region: string; readonly roleArn?: string }) => ClusterRights;
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly every: number;
  /** @default - this process */
  readonly interrupts?: InterruptSource;
}

/** How a hub's API server is asked. */
export interface HubAccess {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  readonly roleArn?: string;
  readonly profile?: string;
}

/** A connection to a hub. */
export interface HubReader {
  /** @throws KubernetesError */
  applications(signal: AbortSignal): Promise<readonly HubApplication[]>;
  close(): void;
}

/** An access policy of a role in a cluster. */
export interface GivenRight {
  readonly clusterName: string;
  readonly roleArn: string;
  readonly policyArn: string;
  /** Namespaces that it is limited to. @default - the whole cluster */
  readonly namespaces?: readonly string[];
}

/** Rights of IAM roles in clusters, as EKS has them. */
export interface ClusterRights {
  /**
   * ARNs of the access policies that a role has in a cluster; none where EKS knows no such access entry.
   * @throws AwsError
   */
  policies(clusterName: string, roleArn: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Gives a policy; one that is there already is no error.
   * @throws AwsError
   */
  give(right: GivenRight, signal: AbortSignal): Promise<void>;
  /**
   * Takes a policy away; one that is not there is no error.
   * @throws AwsError
   */
  takeAway(clusterName: string, roleArn: string, policyArn: string, signal: AbortSignal): Promise<void>;
  close(): void;
}
