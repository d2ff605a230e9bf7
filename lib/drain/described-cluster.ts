import { AwsError, askAws } from '../aws';
import type { DrainAws } from './drain-aws';

/** A cluster as EKS describes it. */
export interface DescribedCluster {
  /** Name of the cluster. */
  readonly name: string;
  /** ARN of the cluster. */
  readonly arn: string;
  /** `ACTIVE`, `DELETING`, … */
  readonly status: string;
  /** URL of the API server. @default - none yet, or none any more */
  readonly endpoint?: string;
  /** PEM in base64. */
  readonly certificateAuthority?: string;
  /** Its tags, by key. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * The cluster of a name.
 *
 * @returns undefined where there is none, or none any more
 * @throws AwsError
 */
export async function describedCluster(
  { clients, region }: DrainAws,
  name: string,
): Promise<DescribedCluster | undefined> {
  const eks = await clients.eks();
  try {
    const call = { action: 'eks:DescribeCluster', subject: `EKS cluster ${name}`, region };
    const { cluster } = await askAws(call, () => eks.describeCluster({ name }));
    return (
      cluster && {
        name,
        arn: cluster.arn ?? '',
        status: cluster.status ?? '',
        endpoint: cluster.endpoint,
        certificateAuthority: cluster.certificateAuthority?.data,
        tags: cluster.tags ?? {},
      }
    );
  } catch (error) {
    if (error instanceof AwsError && error.failure.kind === 'notFound') {
      return undefined;
    }
    throw error;
  }
}
