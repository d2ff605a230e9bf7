import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { eksKubernetesVersion, parseClusterArn, policyOf } from '../addons';
import type { Tags } from '../bridge';
import { childDependencies, withAwsSettings } from '../bridge';
import { clockTaint } from '../nodes';
import { Problems, refuseOptions, listOf } from '../problems';
import type { OptionsOf } from '../problems';
import { amiType } from './ami-type';
import type { IpFamily } from './ip-family';
import { cniIpv6Statements } from './ip-family';
import type { NodesArgs } from './nodes-arguments';
import { nodesArgsKeys } from './nodes-arguments';
import { nodesProblems } from './nodes-problems';
import { isBottlerocket, timeUserData } from './time-sync';
import type { TrafficGuard } from './traffic-guard';

/** What `NodeGroup` takes. */
export interface NodeGroupArgs extends NodesArgs {
  /** Name of the EKS cluster. */
  readonly clusterName: pulumi.Input<string>;
  /** ARN of the EKS cluster. */
  readonly clusterArn: pulumi.Input<string>;
  /** Kubernetes version, `1.35`. @default - the control plane's at creation */
  readonly version?: string;
  /** Subnets of the nodes. */
  readonly subnetIds: pulumi.Input<pulumi.Input<string>[]>;
  /** Security groups of the nodes. */
  readonly securityGroupIds: readonly pulumi.Input<string>[];
  /** Addresses of the cluster's pods: what a role that is made here may do. @default 'ipv4' */
  readonly ipFamily?: IpFamily;
  /** AWS tags. */
  readonly tags: Tags;
  /** Whether it may be changed now. @default - always */
  readonly guard?: TrafficGuard;
}

const nodeGroupArgsKeys: OptionsOf<NodeGroupArgs> = {
  ...nodesArgsKeys,
  clusterName: 'open',
  clusterArn: 'open',
  version: 'plain',
  subnetIds: 'open',
  securityGroupIds: listOf('open'),
  ipFamily: 'plain',
  tags: 'open',
  guard: 'open',
};

/**
 * Policies of a node's role. That of VPC CNI has no right that IPv6 needs.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
 */
const nodePolicies: Readonly<Record<IpFamily, readonly string[]>> = {
  ipv4: ['AmazonEKSWorkerNodePolicy', 'AmazonEKS_CNI_Policy', 'AmazonEC2ContainerRegistryPullOnly'],
  ipv6: ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly'],
};

/**
 * An EKS managed node group whose instances answer IMDSv2 only, and only on the node itself (hop limit 1): a pod
 * can't take the node's role, unless it runs in the node's network.
 */
export class NodeGroup extends pulumi.ComponentResource {
  /** The managed node group. */
  public readonly nodeGroup: aws.eks.NodeGroup;
  /** Its launch template. */
  public readonly launchTemplate: aws.ec2.LaunchTemplate;
  /** The nodes' role, unless one was given. */
  public readonly role?: aws.iam.Role;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: NodeGroupArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseOptions(`NodeGroup "${name}"`, args, nodeGroupArgsKeys);
    const problems = new Problems(`NodeGroup "${name}"`);
    problems.addAll(nodesProblems(args));
    problems.checkGiven('', args, { version: eksKubernetesVersion });
    problems.throwIfAny();
    super('cluster-canary:fleet:NodeGroup', name, {}, withAwsSettings(opts, { tags: args.tags }));
    const parent = { parent: this };
    const rights: pulumi.Resource[] = [];
    if (args.roleArn === undefined) {
      const { ipFamily = 'ipv4' } = args;
      const partition = pulumi.output(args.clusterArn).apply((arn) => parseClusterArn(arn).partition);
      this.role = new aws.iam.Role(`${name}-role`, { assumeRolePolicy: JSON.stringify(nodeTrust) }, parent);
      for (const policy of nodePolicies[ipFamily]) {
        rights.push(
          new aws.iam.RolePolicyAttachment(
            `${name}-${policy}`,
            {
              role: this.role.name,
              policyArn: pulumi.interpolate`arn:${partition}:iam::aws:policy/${policy}`,
            },
            parent,
          ),
        );
      }
      if (ipFamily === 'ipv6') {
        rights.push(
          new aws.iam.RolePolicy(
            `${name}-cni-ipv6`,
            {
              role: this.role.id,
              policy: partition.apply((known) => JSON.stringify(policyOf(cniIpv6Statements(known)))),
            },
            parent,
          ),
        );
      }
    }
    const type = args.amiType ?? amiType(args.instanceTypes);
    this.launchTemplate = new aws.ec2.LaunchTemplate(
      `${name}-template`,
      {
        metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'required', httpPutResponseHopLimit: 1 },
        blockDeviceMappings: [
          {
            deviceName: dataDevice(type),
            ebs: {
              volumeType: 'gp3',
              volumeSize: args.diskGiB ?? 50,
              encrypted: 'true',
              deleteOnTermination: 'true',
            },
          },
        ],
        vpcSecurityGroupIds: [...args.securityGroupIds],
        updateDefaultVersion: true,
        userData: timeUserData(type, args.timeServers),
        tagSpecifications: ['instance', 'volume'].map((resourceType) => ({ resourceType, tags: args.tags })),
        ...args.launchTemplateArgs,
      },
      { ...parent, hooks: args.guard?.hooks('aws:ec2/launchTemplate:LaunchTemplate', `${name}-template`) },
    );
    this.nodeGroup = new aws.eks.NodeGroup(
      `${name}-nodes`,
      {
        clusterName: args.clusterName,
        nodeRoleArn: args.roleArn ?? this.role!.arn,
        subnetIds: args.subnetIds,
        version: args.version,
        instanceTypes: [...args.instanceTypes],
        amiType: type,
        capacityType: args.capacityType ?? 'ON_DEMAND',
        scalingConfig: { minSize: args.min, maxSize: args.max, desiredSize: args.desired ?? args.min },
        updateConfig: { maxUnavailablePercentage: 33 },
        launchTemplate: {
          id: this.launchTemplate.id,
          version: this.launchTemplate.latestVersion.apply((version) => `${version}`),
        },
        labels: args.labels,
        taints: taintsOf(args),
        ...args.nodeGroupArgs,
      },
      {
        ...parent,
        ignoreChanges: ['scalingConfig.desiredSize'],
        hooks: args.guard?.hooks('aws:eks/nodeGroup:NodeGroup', `${name}-nodes`),
        dependsOn: childDependencies(opts, rights),
      },
    );
    this.registerOutputs({});
  }

  /** Name of the Auto Scaling group behind the node group. */
  public get autoScalingGroupName(): pulumi.Output<string> {
    return this.nodeGroup.resources.apply((resources) => resources[0]!.autoscalingGroups[0]!.name);
  }
}

/** The volume that images and containers are on; Bottlerocket keeps them apart from its root volume. */
function dataDevice(type: string): string {
  return isBottlerocket(type) ? '/dev/xvdb' : '/dev/xvda';
}

function taintsOf({
  taints,
  clockGate = false,
}: NodesArgs): aws.types.input.eks.NodeGroupTaint[] | undefined {
  const { key, value } = clockTaint;
  const gate = clockGate ? [{ key, value, effect: 'NO_SCHEDULE' }] : [];
  return taints || clockGate ? [...(taints ?? []), ...gate] : undefined;
}

const nodeTrust = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};
