/** What the set needs to know of an EKS cluster. */
export interface EksCluster {
  /** Name of the cluster, unique in its account and region. */
  readonly name: string;
  /** ARN of the cluster. */
  readonly arn: string;
  /** Account that it is in: 12 digits. */
  readonly account: string;
  /** AWS region that it is in. */
  readonly region: string;
  /** `ACTIVE`, `CREATING`, …; EKS may come to have others. */
  readonly status: string;
  /** URL of the API server; not there before the cluster is active. */
  readonly endpoint?: string;
  /** PEM in base64; not there before the cluster is active. */
  readonly certificateAuthority?: string;
  /** Version of Kubernetes: `1.35`. */
  readonly version?: string;
  /** Its tags, by key. */
  readonly tags: Readonly<Record<string, string>>;
}

/** What was found in one place, or in all of them. */
export interface FoundClusters {
  /** What was found. */
  readonly clusters: readonly EksCluster[];
  /** What did not answer, a line each. Where there is one, a cluster that was not found may still be there. */
  readonly failures: readonly string[];
}
