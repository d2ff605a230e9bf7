import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { parseClusterArn } from '../../core/aws/arns';
import { policyOf } from '../../core/aws/iam';
import { securityGroupId, subnetId } from '../../core/aws/identifiers';
import { clockTaint } from '../../core/names';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { optional } from '../../core/validation/collections';
import { anything, following, later, text } from '../../core/validation/values';
import {
  amazonTimeSync,
  bottlerocketTimeSettings,
  chronyScript,
  scriptsAsUserData,
} from '../../manifests/time-sync';
import { eksKubernetesVersion } from '../addons';
import { withAwsSettings } from '../aws-settings';
import type { Tags } from '../aws-settings';
import { childDependencies } from '../hooks';
import { inputList, plainList, input } from '../input-schemas';
import { amiType, isBottlerocket } from './ami-type';
import { cniIpv6Statements, ipFamily } from './ip-family';
import type { IpFamily } from './ip-family';
import { nodesEntries, nodesSchemaOf } from './nodes-args';
import type { NodesArgs } from './nodes-args';
import type { TrafficGuard } from './traffic-guard';

/**
 * User data that keeps the clocks of nodes in time, in base64; EKS adds its own to it. Undefined where the image does what
 * is wanted: Amazon Linux asks Amazon Time Sync without being told.
 *
 * @param servers default: Amazon Time Sync
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 */
function timeUserData(amiType: string, servers?: readonly string[]): string | undefined {
  if (isBottlerocket(amiType)) {
    return base64(bottlerocketTimeSettings(servers ?? amazonTimeSync));
  }
  return servers === undefined ? undefined : base64(scriptsAsUserData(chronyScript(servers)));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

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

const nodeGroupSchema = nodesSchemaOf<NodeGroupArgs>({
  ...nodesEntries,
  clusterName: later(text('the name of the EKS cluster')),
  clusterArn: later(text('the ARN of the EKS cluster')),
  version: optional(following(eksKubernetesVersion)),
  subnetIds: inputList(subnetId),
  securityGroupIds: plainList(input(securityGroupId)),
  ipFamily: optional(ipFamily),
  tags: anything,
  guard: optional(opaque('the guard of a slot')),
});

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
    refuseArguments(`NodeGroup "${name}"`, nodeGroupSchema, args);
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
