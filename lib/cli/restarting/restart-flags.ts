/** What `cluster-canary restart-rollout` takes; durations are in milliseconds. */
export interface RestartFlags {
  readonly application: string;
  readonly namespace: string;
  readonly allowedNamespace: readonly string[];
  readonly coolDown?: number;
  readonly perDay?: number;
  readonly leastReplicas?: number;
  readonly wait?: number;
  /** File for what came of it in short. @default - none */
  readonly message?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}
