/** What `cluster-canary doctor` takes beside the names of checks. */
export interface DoctorFlags {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  readonly concurrency: number;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}
