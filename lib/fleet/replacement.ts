import type { Problem } from '../problems';

/**
 * What EKS fixes when a cluster is created: a change of any of these would make AWS's provider replace the cluster.
 *
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/eks/cluster/
 */
export const fixedAtCreation: readonly string[] = [
  'name',
  'roleArn',
  'encryptionConfig',
  'kubernetesNetworkConfig.ipFamily',
  'kubernetesNetworkConfig.serviceIpv4Cidr',
];

/** The fixed properties as far as a program may ask for them. */
export interface FixedProperties {
  readonly name?: string;
  readonly roleArn?: string;
  readonly encryptionKeyArn?: string;
  readonly ipFamily?: string;
  readonly serviceIpv4Cidr?: string;
}

/** What the program asks for that the live cluster was not created with. What it leaves open is not compared. */
export function replacementProblems(live: FixedProperties, wanted: FixedProperties): Problem[] {
  return (Object.keys(wanted) as (keyof FixedProperties)[])
    .filter((key) => wanted[key] !== undefined && live[key] !== undefined && wanted[key] !== live[key])
    .map((key) => ({
      path: key,
      value: wanted[key],
      allowed: `${JSON.stringify(live[key])}, with which the cluster was created: EKS would replace the cluster, with all that runs on it. Make the changed one another slot of the fleet, shift the traffic to it, then remove this slot`,
    }));
}
