import type { Handshake } from '../../../core/tls';
import type { EksView } from './eks';
import type { RegisteredCluster } from './registration';

/** What came of asking a cluster as Argo CD does. */
export type ApiAnswer =
  | {
      readonly is: 'accepted';
      /** Who the cluster says that it was asked by. @default - it does not say */
      readonly username?: string;
      /** `v1.35.4` @default - it does not say */
      readonly version?: string;
      readonly rights: ArgoCdPermissions;
    }
  /** The credentials are not accepted. */
  | { readonly is: 'refused'; readonly message: string }
  /** No answer, or one that is none of an API server. */
  | { readonly is: 'failed'; readonly message: string }
  /** Why the cluster was not asked. */
  | { readonly is: 'untried'; readonly why: string };

/** What Argo CD may do in a cluster, as the cluster says itself. */
export interface ArgoCdPermissions {
  /** Whether it may list every kind of object. @default - the cluster does not say */
  readonly everything?: boolean;
  /** Whether it may list Deployments, which nobody leaves out. @default - the cluster does not say */
  readonly deployments?: boolean;
  /** Whether it may change what it deploys. @default - the cluster does not say */
  readonly write?: boolean;
}

/** A registered cluster as it was seen. */
export interface ObservedCluster {
  readonly registration: RegisteredCluster;
  /** Asked at the address itself. @default - not asked: the way goes through a proxy, or there is no address */
  readonly handshake?: Handshake;
  readonly answer: ApiAnswer;
  /** What AWS says of it. @default - it is no cluster of EKS, as far as is known */
  readonly eks?: EksView;
  /** What Argo CD says of it in its Applications: its own view, from where it runs. */
  readonly told: readonly string[];
}

/** Where it was asked from: that may be another place than where Argo CD runs. */
export const fromHere = 'requested from this machine, not from Argo CD';
