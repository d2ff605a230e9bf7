import type { OptionsOf } from '../problems';
import type { ClusterSet } from './cluster-set';

/** What a `ClusterSetSync` is made of. */
export interface ClusterSetSyncProps {
  /** Name of the objects: a DNS label of at most 43 characters, since a CronJob makes longer names of it. */
  readonly name: string;
  /** Namespace of the pods. @default - that of the set's Secrets */
  readonly namespace?: string;
  /** The set, as its file has it. */
  readonly set: ClusterSet;
  /** Image with the command `cluster-canary`, by its digest: `NAME@sha256:…`. It may write every Secret of Argo CD. */
  readonly image: string;
  /** The command in the image. @default ['cluster-canary'] */
  readonly command?: readonly string[];
  /**
   * Five fields of cron: a CronJob then looks at these times. Between two runs nothing runs.
   * @default - a Deployment looks once in the set's `interval`
   */
  readonly schedule?: string;
  /** Name of the service account, which is created. @default - the name of the objects */
  readonly serviceAccountName?: string;
  /** Environment variables in plain text: `AWS_REGION` where the set names no regions. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Resources of the pod. @default - requests 50m and 128Mi, limit 512Mi of memory: enough for 1,000 clusters */
  readonly resources?: object;
  /** User and group that the pod runs as; never 0. @default 65532 - the user of images without one of their own */
  readonly user?: number;
  /** Further labels of all objects and pods. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` alone */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fields of the pod's spec laid over ours, unchecked: `nodeSelector`, say. @default - none */
  readonly podArgs?: object;
}

export const clusterSetSyncPropsKeys: OptionsOf<ClusterSetSyncProps> = {
  name: 'plain',
  namespace: 'plain',
  set: 'plain',
  image: 'plain',
  command: 'list',
  schedule: 'plain',
  serviceAccountName: 'plain',
  env: 'plain',
  resources: 'plain',
  user: 'plain',
  labels: 'plain',
  podArgs: 'plain',
};
