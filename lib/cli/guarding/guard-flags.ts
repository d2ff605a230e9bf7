/** What `cluster-canary guard-clocks` takes. */
export interface GuardFlags {
  readonly port: number;
  /** @default - all addresses */
  readonly host?: string;
  readonly gate?: boolean;
  /** In seconds. */
  readonly limit: number;
  readonly samples: number;
  /** In seconds. */
  readonly interval: number;
  readonly kubeconfig?: string;
  readonly context?: string;
}
