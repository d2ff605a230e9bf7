import type { ClusterVersionInformation } from '@aws-sdk/client-eks';
import type { AwsClients } from '../../aws/clients';
import { callAws } from '../../aws/errors';
import { everyPage, pageOf } from '../../aws/pages';
import { minorOf } from './subject';

/** How EKS supports a version of Kubernetes: `none` where it does no more. */
export type VersionSupport = 'standard' | 'extended' | 'none';

/**
 * An hour of a control plane, in US cents, in most regions.
 *
 * @see https://aws.amazon.com/eks/pricing/
 * @see https://aws.amazon.com/blogs/containers/amazon-eks-extended-support-for-kubernetes-versions-pricing/
 */
export const centsAnHour = { standard: 10, extended: 60 } as const;

/** US cents as dollars: `0.60`. */
export function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** By the dates, which move: a state without them is what EKS says today. */
export function supportOf(
  {
    endOfStandardSupportDate: standard,
    endOfExtendedSupportDate: extended,
    versionStatus,
    status,
  }: ClusterVersionInformation,
  now: number,
): VersionSupport {
  if (extended !== undefined && extended.getTime() <= now) {
    return 'none';
  }
  if (standard !== undefined && standard.getTime() <= now) {
    return 'extended';
  }
  const named = (versionStatus ?? status ?? '').toLowerCase();
  return named.startsWith('unsupported') ? 'none' : named.startsWith('extended') ? 'extended' : 'standard';
}

/**
 * How EKS supports each version in a region. Needs the right to `eks:DescribeClusterVersions`.
 *
 * @returns support by version without a patch: `{ '1.35': 'standard' }`
 * @throws AwsError
 */
export async function readVersionSupport(
  clients: Pick<AwsClients, 'eks' | 'region'>,
  now: number,
  signal: AbortSignal,
): Promise<Readonly<Record<string, VersionSupport>>> {
  const call = { action: 'eks:DescribeClusterVersions', subject: 'versions of EKS', region: clients.region };
  const versions = await everyPage<ClusterVersionInformation>(call, (nextToken) =>
    callAws(call, async () =>
      pageOf(
        'clusterVersions',
        (await clients.eks()).describeClusterVersions(
          { includeAll: true, nextToken },
          { abortSignal: signal },
        ),
      ),
    ),
  );
  return Object.fromEntries(
    versions
      // Clusters on Outposts have versions of their own.
      .filter(({ clusterType = 'eks' }) => clusterType === 'eks')
      .flatMap((version) => {
        const minor = minorOf(version.clusterVersion);
        return minor === undefined ? [] : [[`1.${minor}`, supportOf(version, now)]];
      }),
  );
}
