/** What `cluster-canary doctor plugin` takes; durations are in milliseconds. */
export interface PluginFlags {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** Folder with a checkout of the repository. */
  readonly checkout?: string;
  readonly run?: boolean;
  /** A `plugin.yaml`. @default - it is looked for in the cluster */
  readonly pluginFile?: string;
  readonly kubeVersion?: string;
  readonly apiVersions?: string;
  /** Names of variables that the plugin gets from this environment. */
  readonly pass?: readonly string[];
  readonly timeout?: number;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}
