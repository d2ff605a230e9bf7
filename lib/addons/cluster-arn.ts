/** What the ARN of an EKS cluster says. */
export interface ClusterArn {
  /** `aws`, `aws-cn`, `aws-us-gov`, … */
  readonly partition: string;
  /** AWS region: `eu-west-1`. */
  readonly region: string;
  /** Account, 12 digits. */
  readonly account: string;
  /** Name of the EKS cluster. */
  readonly clusterName: string;
}

/**
 * The parts of an EKS cluster's ARN. Its partition, region and account are those of everything that the cluster
 * works with, so nothing has to be asked for.
 *
 * @throws Error if it is no such ARN
 */
export function parseClusterArn(arn: string): ClusterArn {
  const match = /^arn:([^:]+):eks:([^:]+):(\d{12}):cluster\/([^/]+)$/.exec(arn);
  if (!match) {
    throw new Error(`"${arn}" must be the ARN of an EKS cluster: arn:aws:eks:REGION:ACCOUNT:cluster/NAME`);
  }
  const [, partition, region, account, clusterName] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { partition, region, account, clusterName };
}
