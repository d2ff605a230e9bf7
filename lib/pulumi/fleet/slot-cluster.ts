import * as aws from '@pulumi/aws';
import * as eks from '@pulumi/eks';
import * as pulumi from '@pulumi/pulumi';
import { parseClusterArn } from '../../core/aws/arns';
import { InvalidInput } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { mergeTags, remoteBoundary } from '../aws-settings';
import { hasEngine } from '../hooks';
import { askedVersions, keptVersion, withAddonVersions } from './eks-addons';
import { endpointSettings } from './endpoint';
import { adoptedProblems, ipFamilyOf } from './ip-family-problems';
import { noteMadeCluster } from './kubernetes-provider';
import { controlPlaneLogs } from './slot-args';
import type { AdoptedCluster, FleetWideArgs, SlotArgs } from './slot-args';
import type { SlotRef } from './slot-ref';
import type { TrafficGuard } from './traffic-guard';

/**
 * Region in which a component's AWS resources are made: that of the provider that was handed down to it, else the
 * program's `aws:region`. `undefined` leaves it to the environment, as the provider does.
 */
export function slotRegion(component: pulumi.Resource): pulumi.Input<string | undefined> {
  const provider = component.getProvider('aws:eks/cluster:Cluster');
  return aws.Provider.isInstance(provider) ? provider.region : new pulumi.Config('aws').get('region');
}

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

/** Type of the cluster inside the component. */
const clusterType = 'aws:eks/cluster:Cluster';

/** Type of the add-ons inside the component. */
export const addonType = 'aws:eks/addon:Addon';

/** What is known of the resources inside the cluster component, which is in a process of its own. */
interface ClusterChildren {
  /** Hooks of the cluster. */
  readonly clusterHooks?: pulumi.ResourceHookBinding;
  /** Hooks of the add-ons, by the name that EKS knows them by. */
  readonly addonHooks: Readonly<Record<string, pulumi.ResourceHookBinding | undefined>>;
  /** Versions that somebody asks for, likewise. */
  readonly askedVersions: Readonly<Record<string, unknown>>;
}

/**
 * Keeps what runs inside the remote component. AWS's provider must not replace the cluster: what is fixed at creation is not
 * compared there (the slot compares it and refuses the change), and should anything else ask for a replacement, the new
 * cluster would have to be created first, which EKS refuses while the name is taken. And the component looks for the newest
 * version of each add-on on every run, which would update the network of a cluster with traffic one day.
 *
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts
 */
export function keepChildren(children: ClusterChildren): pulumi.ResourceTransform {
  return ({ type, props, opts }) => {
    if (type === clusterType) {
      return changed(props, opts, children.clusterHooks, {
        ignoreChanges: fixedIn(props),
        deleteBeforeReplace: false,
      });
    }
    if (type === addonType) {
      const addon = String((props as Readonly<Record<string, unknown>>).addonName);
      return changed(props, opts, children.addonHooks[addon], keptVersion(children.askedVersions[addon]));
    }
    return undefined;
  };
}

/**
 * Where the network's configuration says only what is fixed, all of it is ignored: of a part that is ignored in a block that the
 * cluster was created without, the engine would leave an empty block.
 */
function fixedIn({ kubernetesNetworkConfig }: pulumi.Inputs): string[] {
  const says = (kubernetesNetworkConfig ?? {}) as Readonly<Record<string, unknown>>;
  const isFixed = Object.keys(says).every((key) =>
    fixedAtCreation.includes(`kubernetesNetworkConfig.${key}`),
  );
  return isFixed
    ? [
        ...fixedAtCreation.filter((path) => !path.startsWith('kubernetesNetworkConfig.')),
        'kubernetesNetworkConfig',
      ]
    : [...fixedAtCreation];
}

function changed(
  props: pulumi.Inputs,
  given: pulumi.ResourceOptions,
  hooks: pulumi.ResourceHookBinding | undefined,
  more: pulumi.CustomResourceOptions,
): pulumi.ResourceTransformResult {
  const opts: pulumi.CustomResourceOptions = {
    ...given,
    ...more,
    ignoreChanges: [...(given.ignoreChanges ?? []), ...(more.ignoreChanges ?? [])],
    ...(hooks && { hooks: { ...given.hooks, ...hooks } }),
  };
  return { props, opts };
}

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
