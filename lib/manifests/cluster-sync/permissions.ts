import type { AllowStatement } from '../../core/aws/iam';
import { partitionOf } from '../../core/aws/partitions';
import { withDefaults } from './cluster-set';
import type { ClusterSet, ClusterPlace } from './cluster-set';
import { checkClusterSet } from './cluster-set-schema';

/**
 * The least rights at AWS that a set needs: to read clusters, and to take on the roles of its accounts.
 *
 * @param role ARN of a role that the set names, for the rights of that one. @default - the identity that runs the set: its
 * own rights, and to take on the roles
 * @throws InvalidInput with everything that is wrong with the set
 */
export function clusterSetRights(set: ClusterSet, role?: string): readonly AllowStatement[] {
  checkClusterSet(set);
  const { places } = withDefaults(set);
  const own = places.filter(({ roleArn }) => roleArn === role);
  const roles = [...new Set(places.flatMap(({ roleArn }) => roleArn ?? []))];
  return [
    ...(own.length > 0 ? readStatements(own) : []),
    ...(role === undefined && roles.length > 0
      ? [
          {
            Sid: 'TakeOnRoles',
            Effect: 'Allow' as const,
            // The tags of a session by EKS Pod Identity go with it.
            Action: ['sts:AssumeRole', 'sts:TagSession'],
            Resource: roles,
          },
        ]
      : []),
  ];
}

/** Which clusters there are is asked of a whole region; descriptions are limited to the set's places. */
function readStatements(places: readonly ClusterPlace[]): readonly AllowStatement[] {
  const clusters = places.map(
    ({ region = '*', account = '*' }) =>
      `arn:${region === '*' ? '*' : partitionOf(region).id}:eks:${region}:${account}:cluster/*`,
  );
  const regions = [...new Set(places.map(({ region }) => region))];
  const known = regions.filter((region) => region !== undefined);
  const condition = { StringEquals: { 'aws:RequestedRegion': known } };
  return [
    {
      ...{ Sid: 'ListClusters', Effect: 'Allow', Action: ['eks:ListClusters'], Resource: '*' },
      ...(known.length === regions.length ? { Condition: condition } : {}),
    },
    {
      Sid: 'DescribeClusters',
      Effect: 'Allow',
      Action: ['eks:DescribeCluster'],
      Resource: [...new Set(clusters)],
    },
  ];
}
