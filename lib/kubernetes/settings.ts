/** Which API server is meant, and as whom it is asked. */
export interface KubernetesSettings {
  /**
   * Path of a kubeconfig file.
   *
   * @default - the files that KUBECONFIG lists, else `~/.kube/config`, else the service account of the pod
   */
  readonly kubeconfig?: string;
  /** The kubeconfig itself, as YAML or JSON; a secret where it holds credentials. @default - none */
  readonly kubeconfigText?: string;
  /** Context of the kubeconfig. @default - its current one */
  readonly context?: string;
}

/** Where kubeconfigs are looked for. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Home folder of the user. */
  readonly home: string;
  /** Folder of a pod's service account. */
  readonly serviceAccount: string;
}
