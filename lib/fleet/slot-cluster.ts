import * as aws from '@pulumi/aws';
import * as eks from '@pulumi/eks';
import * as pulumi from '@pulumi/pulumi';
import { parseClusterArn } from '../addons';
import { hasEngine, mergeTags, remoteBoundary } from '../bridge';
import { InvalidInput } from '../problems';
import type { ClusterChildren } from './cluster-children';
import { addonType, clusterType, keepChildren } from './cluster-children';
import { askedVersions, withAddonVersions } from './eks-addon-versions';
import { endpointSettings } from './endpoint';
import { adoptedProblems, ipFamilyOf } from './ip-family-problems';
import { noteMadeCluster } from './made-clusters';
import type { FixedProperties } from './replacement';
import { replacementProblems } from './replacement';
import type { AdoptedCluster, FleetWideArgs, SlotArgs } from './slot-arguments';
import { controlPlaneLogs } from './slot-arguments';
import type { SlotRef } from './slot-ref';
import type { TrafficGuard } from './traffic-guard';

/** The part of a slot's reference that its cluster alone decides. */
export type ClusterFacts = Omit<SlotRef, 'targetGroupArns' | 'nodeSecurityGroupId' | 'proxyUrl'>;

/** A cluster of this program, or one that was found. */
export interface SlotCluster {
  readonly facts: pulumi.Output<ClusterFacts>;
  readonly eksCluster?: eks.Cluster;
  readonly encryptionKey?: aws.kms.Key;
}

/** Creates a slot's cluster. */
export function createCluster(
  name: string,
  clusterName: string,
  args: FleetWideArgs & SlotArgs,
  tags: Record<string, string>,
  guard: TrafficGuard,
  parent: pulumi.Resource,
): SlotCluster {
  const { vpcId, privateSubnetIds } = args.network!;
  const endpoint = endpointSettings(args.endpoint);
  const encryptionKey =
    args.encryptionKeyArn === undefined && args.clusterArgs?.encryptionConfigKeyArn === undefined
      ? new aws.kms.Key(
          `${name}-secrets`,
          {
            description: `Kubernetes Secrets of ${name}`,
            enableKeyRotation: true,
          },
          { parent },
        )
      : undefined;
  const given: eks.ClusterArgs = {
    // All of the cluster, and so its nodes, come after the guard.
    name: guard.behind(clusterName),
    version: args.version,
    vpcId,
    privateSubnetIds,
    authenticationMode: eks.AuthenticationMode.Api,
    accessEntries: args.access,
    endpointPrivateAccess: true,
    // Left out for a public endpoint, which is EKS's default: the component waits five minutes for an endpoint
    // that is said to be public, where this library asks the API server itself, and says how it goes.
    endpointPublicAccess: endpoint.publicAccess ? undefined : false,
    publicAccessCidrs: endpoint.publicAccessCidrs,
    encryptionConfigKeyArn: args.encryptionKeyArn ?? encryptionKey?.arn,
    enabledClusterLogTypes: [...(args.controlPlaneLogs ?? controlPlaneLogs)],
    deletionProtection: args.deletionProtection ?? false,
    autoMode: args.autoMode ? { enabled: true } : undefined,
    // Left out for IPv4, EKS's default: to say it would change clusters that were made without.
    ipFamily: args.ipFamily === 'ipv6' ? 'ipv6' : undefined,
    skipDefaultNodeGroup: true,
    skipDefaultSecurityGroups: true,
    // CoreDNS needs nodes to run on, which come after the cluster: the slot installs it then.
    corednsAddonOptions: { enabled: false },
    tags,
    ...args.clusterArgs,
  };
  const clusterArgs = withAddonVersions(given, args.eksAddonVersions);
  const boundary = args.permissionsBoundaryArn;
  const eksCluster = new eks.Cluster(
    name,
    { ...clusterArgs, accessEntries: taggedEntries(clusterArgs.accessEntries, tags) },
    {
      parent,
      transforms: hasEngine()
        ? [
            keepChildren(childrenOf(name, clusterArgs, guard)),
            ...(boundary === undefined ? [] : [remoteBoundary(boundary)]),
          ]
        : [],
    },
  );
  const facts = pulumi
    .all([clusterFacts(eksCluster, vpcId), fixedProperties(eksCluster), wantedProperties(clusterArgs, args)])
    .apply(([found, live, wanted]) => {
      const problems = replacementProblems(live, wanted);
      if (problems.length > 0) {
        throw new InvalidInput(`EKS cluster of slot "${name}"`, problems);
      }
      return found;
    });
  return { facts, eksCluster, encryptionKey };
}

/** Hooks of what is inside the component: the guard's, and one that notes a new cluster. */
function childrenOf(name: string, args: eks.ClusterArgs, guard: TrafficGuard): ClusterChildren {
  const cluster = `${name}-eksCluster`;
  const versions = askedVersions(args);
  return {
    clusterHooks: { ...guard.hooks(clusterType, cluster), afterCreate: [noteMadeCluster(cluster)] },
    addonHooks: Object.fromEntries(
      Object.keys(versions).map((addon) => [addon, guard.hooks(addonType, `${name}-${addon}`)]),
    ),
    askedVersions: versions,
  };
}

/** The component tags all that it makes but access entries, which have tags of their own alone. */
function taggedEntries(
  entries: eks.ClusterArgs['accessEntries'],
  tags: Record<string, string>,
): eks.ClusterArgs['accessEntries'] {
  return (
    entries &&
    Object.fromEntries(
      Object.entries(entries).map(([key, entry]) => [key, { ...entry, tags: mergeTags(tags, entry.tags) }]),
    )
  );
}

function clusterFacts(eksCluster: eks.Cluster, vpcId: pulumi.Input<string>): pulumi.Output<ClusterFacts> {
  const { name, arn, endpoint, certificateAuthority } = eksCluster.eksCluster;
  return pulumi
    .all([name, arn, endpoint, certificateAuthority, vpcId, eksCluster.clusterSecurityGroupId])
    .apply(([clusterName, clusterArn, url, authority, vpc, clusterSecurityGroupId]) => ({
      clusterName,
      clusterArn,
      region: parseClusterArn(clusterArn).region,
      endpoint: url,
      certificateAuthority: authority.data,
      vpcId: vpc,
      clusterSecurityGroupId,
    }));
}

function fixedProperties(eksCluster: eks.Cluster): pulumi.Output<FixedProperties> {
  const { name, roleArn, encryptionConfig, kubernetesNetworkConfig } = eksCluster.eksCluster;
  return pulumi
    .all([name, roleArn, encryptionConfig, kubernetesNetworkConfig])
    .apply(([clusterName, role, encryption, network]) => ({
      name: clusterName,
      roleArn: role,
      encryptionKeyArn: encryption?.provider?.keyArn,
      ipFamily: network?.ipFamily,
      serviceIpv4Cidr: network?.serviceIpv4Cidr,
    }));
}

/**
 * The fixed properties that a program asks for. The addresses of pods are always compared, since target groups and the rights
 * of nodes go by them.
 *
 * @param args of the component
 * @param slot what the slot says itself
 */
export function wantedProperties(args: eks.ClusterArgs, slot: SlotArgs): pulumi.Output<FixedProperties> {
  const { name, encryptionConfigKeyArn, kubernetesServiceIpAddressRange } = args;
  const roleArn = args.serviceRole && pulumi.output(args.serviceRole).arn;
  return pulumi
    .all([name, roleArn, encryptionConfigKeyArn, kubernetesServiceIpAddressRange])
    .apply(([clusterName, role, encryptionKeyArn, serviceIpv4Cidr]) => ({
      name: clusterName,
      roleArn: role,
      encryptionKeyArn,
      ipFamily: ipFamilyOf(slot),
      serviceIpv4Cidr,
    }));
}

/** Finds a cluster that was made elsewhere. */
export function adoptCluster(name: string, adopted: AdoptedCluster, parent: pulumi.Resource): SlotCluster {
  const facts = aws.eks.getClusterOutput({ name: adopted.clusterName }, { parent }).apply((cluster) => {
    const problems = adoptedProblems(adopted, cluster.kubernetesNetworkConfigs?.[0]?.ipFamily);
    if (problems.length > 0) {
      throw new InvalidInput(`EKS cluster of slot "${name}"`, problems);
    }
    return {
      clusterName: cluster.name,
      clusterArn: cluster.arn,
      region: parseClusterArn(cluster.arn).region,
      endpoint: cluster.endpoint,
      certificateAuthority: cluster.certificateAuthorities[0]!.data,
      vpcId: cluster.vpcConfig.vpcId,
      clusterSecurityGroupId: cluster.vpcConfig.clusterSecurityGroupId,
    };
  });
  return { facts };
}
