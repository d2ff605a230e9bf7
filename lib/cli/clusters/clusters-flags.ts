/** What `cluster-canary clusters plan` and `sync` take. */
export interface ClustersFlags {
  /** Path of the set's file. */
  readonly config: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly json?: boolean;
  readonly force?: boolean;
  readonly watch?: boolean;
}
