/** What `cluster-canary drain` takes. Durations and words are checked before anything is asked. */
export interface DrainFlags {
  /** Name of the EKS cluster. @default - the slot as it was given */
  readonly clusterName?: string;
  readonly region?: string;
  /** @default - the end of the slot's name, or what the cluster's tags say */
  readonly fleet?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Whether the kubeconfig may lead to another address than the cluster's endpoint. */
  readonly tunnel?: boolean;
  readonly hub: readonly HubFlag[];
  readonly hubNamespace: string;
  readonly volumes?: string;
  readonly within?: string;
  readonly quiet?: string;
  /** Hosted zones that may have records of the fleet; with none, all are read. */
  readonly hostedZone: readonly string[];
  readonly despiteTraffic?: boolean;
  readonly dryRun?: boolean;
  readonly sweep?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** A hub: `hub.yaml` or `hub.yaml#context`. */
export interface HubFlag {
  readonly kubeconfig: string;
  readonly context?: string;
}
