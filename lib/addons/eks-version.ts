import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { Rule } from '../problems';
import type { AddonTarget } from './addon';

/** Which version of an add-on of EKS: the default one for the cluster's Kubernetes version, the newest for it, or this one. */
export type EksAddonVersion = 'default' | 'latest' | (string & {});

/**
 * What a version may be. Those of EKS say which build: `v1.20.4-eksbuild.1`.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_AddonVersionInfo.html
 */
export const eksAddonVersion: Rule = {
  allowed: '"default", "latest" or an exact version, such as "v1.20.4-eksbuild.1"',
  accepts: (value) =>
    value === 'default' ||
    value === 'latest' ||
    (typeof value === 'string' && /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(value)),
};

/** Whether a version is one and the same on every day. */
export function isExact(version: unknown): boolean {
  return version !== 'default' && version !== 'latest';
}

/**
 * The exact version that is installed: EKS is asked for those that go with the cluster's Kubernetes version.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html
 */
export function resolvedVersion(
  addonName: string,
  version: EksAddonVersion,
  target: AddonTarget,
): pulumi.Input<string> {
  if (isExact(version)) {
    return version;
  }
  const opts = { parent: target.parent };
  const kubernetesVersion =
    target.kubernetesVersion ??
    aws.eks.getClusterOutput({ name: target.clusterName, region: target.region }, opts).version;
  const { version: resolved } = aws.eks.getAddonVersionOutput(
    { addonName, kubernetesVersion, mostRecent: version === 'latest', region: target.region },
    opts,
  );
  return resolved;
}
