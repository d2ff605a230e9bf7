import * as aws from '@pulumi/aws';
import * as eks from '@pulumi/eks';
import * as pulumi from '@pulumi/pulumi';
import { parseClusterArn } from '../addons';
import { hasEngine } from '../bridge';
import { InvalidInput } from '../problems';
import { endpointSettings } from './endpoint';
import type { FixedProperties } from './replacement';
import { fixedAtCreation, replacementProblems } from './replacement';
import type { AdoptedCluster, FleetWideArgs, SlotArgs } from './slot-arguments';
import { controlPlaneLogs } from './slot-arguments';
import type { SlotRef } from './slot-ref';
import type { TrafficGuard } from './traffic-guard';

const clusterType = 'aws:eks/cluster:Cluster';

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
            tags,
          },
          { parent },
        )
      : undefined;
  const clusterArgs: eks.ClusterArgs = {
    // All of the cluster, and so its nodes, come after the guard.
    name: guard.behind(clusterName),
    version: args.version,
    vpcId,
    privateSubnetIds,
    authenticationMode: eks.AuthenticationMode.Api,
    accessEntries: args.access,
    endpointPrivateAccess: true,
    // Left out for a public endpoint, which is EKS's default: the component waits five minutes for an endpoint
    // that is said to be public, where this library asks the API server itself and gives up after 30 s.
    endpointPublicAccess: endpoint.publicAccess ? undefined : false,
    publicAccessCidrs: endpoint.publicAccessCidrs,
    encryptionConfigKeyArn: args.encryptionKeyArn ?? encryptionKey?.arn,
    enabledClusterLogTypes: [...(args.controlPlaneLogs ?? controlPlaneLogs)],
    deletionProtection: args.deletionProtection ?? false,
    autoMode: args.autoMode ? { enabled: true } : undefined,
    skipDefaultNodeGroup: true,
    skipDefaultSecurityGroups: true,
    // CoreDNS needs nodes to run on, which come after the cluster: the slot installs it then.
    corednsAddonOptions: { enabled: false },
    tags,
    ...args.clusterArgs,
  };
  const eksCluster = new eks.Cluster(name, clusterArgs, {
    parent,
    transforms: hasEngine() ? [keepCluster(guard.hooks(clusterType, `${name}-eksCluster`))] : [],
  });
  const facts = pulumi
    .all([clusterFacts(eksCluster, vpcId), fixedProperties(eksCluster), wantedProperties(clusterArgs)])
    .apply(([found, live, wanted]) => {
      const problems = replacementProblems(live, wanted);
      if (problems.length > 0) {
        throw new InvalidInput(`EKS cluster of slot "${name}"`, problems);
      }
      return found;
    });
  return { facts, eksCluster, encryptionKey };
}

/**
 * Keeps AWS's provider from replacing the cluster inside the remote component: what is fixed at creation is not
 * compared there (the slot compares it and refuses the change), and should anything else ask for a replacement,
 * the new cluster would have to be created first, which EKS refuses while the name is taken.
 *
 * @param hooks of the cluster inside
 */
function keepCluster(hooks: pulumi.ResourceHookBinding | undefined): pulumi.ResourceTransform {
  return (args) => {
    if (args.type !== clusterType) {
      return undefined;
    }
    const opts = args.opts as pulumi.CustomResourceOptions;
    return {
      props: args.props,
      opts: {
        ...opts,
        ignoreChanges: [...(opts.ignoreChanges ?? []), ...fixedAtCreation],
        deleteBeforeReplace: false,
        ...(hooks && { hooks: { ...opts.hooks, ...hooks } }),
      } as pulumi.ResourceOptions,
    };
  };
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

function wantedProperties(args: eks.ClusterArgs): pulumi.Output<FixedProperties> {
  const { name, encryptionConfigKeyArn, ipFamily, kubernetesServiceIpAddressRange } = args;
  const roleArn = args.serviceRole && pulumi.output(args.serviceRole).arn;
  return pulumi
    .all([name, roleArn, encryptionConfigKeyArn, ipFamily, kubernetesServiceIpAddressRange])
    .apply(([clusterName, role, encryptionKeyArn, family, serviceIpv4Cidr]) => ({
      name: clusterName,
      roleArn: role,
      encryptionKeyArn,
      ipFamily: family,
      serviceIpv4Cidr,
    }));
}

/** Finds a cluster that was made elsewhere. */
export function adoptCluster(adopted: AdoptedCluster, parent: pulumi.Resource): SlotCluster {
  const facts = aws.eks.getClusterOutput({ name: adopted.clusterName }, { parent }).apply((cluster) => ({
    clusterName: cluster.name,
    clusterArn: cluster.arn,
    region: parseClusterArn(cluster.arn).region,
    endpoint: cluster.endpoint,
    certificateAuthority: cluster.certificateAuthorities[0]!.data,
    vpcId: cluster.vpcConfig.vpcId,
    clusterSecurityGroupId: cluster.vpcConfig.clusterSecurityGroupId,
  }));
  return { facts };
}
