import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { iamRoleArn, parseClusterArn } from '../../core/aws/arns';
import { policyOf } from '../../core/aws/iam';
import { securityGroupId, subnetId } from '../../core/aws/identifiers';
import { clockTaint } from '../../core/names';
import { checkLabels, oneOf, wholeNumber } from '../../core/validation/formats';
import { listOf, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import {
  amazonTimeSync,
  bottlerocketTimeSettings,
  chronyScript,
  scriptsAsUserData,
  timeServers,
} from '../../manifests/time-sync';
import { eksKubernetesVersion } from '../addons';
import { withAwsSettings } from '../aws-settings';
import type { Tags } from '../aws-settings';
import { childDependencies } from '../hooks';
import { checkInput, checkInputs } from '../inputs';
import { cniIpv6Statements } from './ip-family';
import type { IpFamily } from './ip-family';
import { nodesArgsKeys } from './nodes-args';
import type { NodesArgs } from './nodes-args';
import type { TrafficGuard } from './traffic-guard';

/** What an instance type has beside its processors, as far as an AMI must have a driver for it. */
type Accelerator = 'none' | 'NVIDIA' | 'NEURON' | 'unknown';

/**
 * Families of instances whose driver is in an EKS AMI of Amazon Linux 2023.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html
 */
const nvidia =
  'p6-b300 p6-b200 p5 p5e p5en p4d p4de p3 p3dn g7e gr6 g6 g6e g6f gr6f g5 g4dn p6e-gb200 p6e-gb300 g5g'.split(
    ' ',
  );

const neuron = 'inf1 inf2 trn1 trn2'.split(' ');

/**
 * Families with an accelerator of any kind: GPUs (g, gr, p), Inferentia, Trainium, Gaudi and Qualcomm (dl), FPGAs (f) and
 * video transcoders (vt).
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html
 */
const accelerated = /^(g|gr|cg|p|inf|trn|dl|f|vt)\d/;

/** Instances with NVIDIA's own arm64 processors. */
const grace = /^p6e-gb/;

/**
 * Whether an EC2 instance type has an arm64 processor: Graviton, whose `g` follows the generation, as in `m7g.large`, or
 * NVIDIA's Grace.
 *
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 */
export function isArm(instanceType: string): boolean {
  return /^[a-z]+\d+g/.test(instanceType) || instanceType.startsWith('a1.') || grace.test(instanceType);
}

/**
 * The Amazon Linux 2023 AMI type for instance types of one kind, with the driver of their accelerators.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
 */
export function amiType(instanceTypes: readonly string[]): string {
  const architecture = instanceTypes.every(isArm) ? 'ARM_64' : 'x86_64';
  const [accelerator = 'none'] = instanceTypes.map(acceleratorOf);
  return `AL2023_${architecture}_${accelerator === 'NVIDIA' || accelerator === 'NEURON' ? accelerator : 'STANDARD'}`;
}

/** Why no AMI type can be chosen for instance types, if so: completes the sentence "… must be". */
export function noAmiType(instanceTypes: readonly string[]): string | undefined {
  if (new Set(instanceTypes.map(isArm)).size > 1) {
    return 'all x86-64 or all arm64 (Graviton): one node group has one AMI';
  }
  const accelerators = instanceTypes.map(acceleratorOf);
  const unknown = instanceTypes.filter((_, index) => accelerators[index] === 'unknown');
  if (unknown.length > 0) {
    return `types whose driver is in an AMI of EKS, or given with the amiType that their nodes are to have: which one has the driver of ${unknown.join(', ')} is not known`;
  }
  return new Set(accelerators).size > 1
    ? 'all without accelerators, all with NVIDIA GPUs, or all of Inferentia and Trainium: one node group has one AMI, which has one driver'
    : undefined;
}

function acceleratorOf(instanceType: string): Accelerator {
  const [family = ''] = instanceType.split('.');
  if (!accelerated.test(family)) {
    return 'none';
  }
  if (nvidia.includes(family)) {
    return 'NVIDIA';
  }
  return neuron.includes(family) ? 'NEURON' : 'unknown';
}

/** Whether an EKS AMI type is Bottlerocket. */
function isBottlerocket(amiType: string): boolean {
  return amiType.startsWith('BOTTLEROCKET');
}

/** The arguments of a node group that time servers go together with. */
export interface TimeServersArgs {
  readonly instanceTypes: readonly string[];
  readonly amiType?: string;
  readonly timeServers?: readonly string[];
  readonly launchTemplateArgs?: object;
}

/** What is wrong with the time servers of a node group. */
function timeServersProblems(nodes: TimeServersArgs): readonly Problem[] {
  const problems = new Problems('nodes');
  const { timeServers: servers, launchTemplateArgs = {}, instanceTypes } = nodes;
  if (servers !== undefined && problems.check('timeServers', servers, timeServers)) {
    const type = nodes.amiType ?? amiType(instanceTypes);
    if (!isBottlerocket(type) && !type.startsWith('AL2023')) {
      problems.add(
        'timeServers',
        servers,
        `left out with the AMI type ${type}, which takes no user data of ours`,
      );
    }
    if ('userData' in launchTemplateArgs) {
      problems.add(
        'timeServers',
        servers,
        'left out where launchTemplateArgs has userData, which replaces it',
      );
    }
  }
  return problems.all;
}

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

/**
 * What a taint does, as EKS spells it, and not as Kubernetes does (`NoSchedule`).
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Taint.html
 */
const taintEffect = oneOf('NO_SCHEDULE', 'NO_EXECUTE', 'PREFER_NO_SCHEDULE');

/** What is wrong with a node group. */
export function nodesProblems(nodes: NodesArgs): readonly Problem[] {
  const problems = new Problems('nodes');
  const { instanceTypes, min, max } = nodes;
  if (!Array.isArray(instanceTypes) || instanceTypes.length === 0) {
    problems.add('instanceTypes', instanceTypes, 'at least one EC2 instance type');
  } else {
    const without = nodes.amiType === undefined ? noAmiType(instanceTypes as string[]) : undefined;
    if (without !== undefined) {
      problems.add('instanceTypes', instanceTypes, without);
    }
    problems.addAll(timeServersProblems(nodes));
  }
  const whole = wholeNumber(0, 1000);
  const bounds = problems.check('min', min, whole) && problems.check('max', max, wholeNumber(1, 1000));
  if (bounds && min > max) {
    problems.add('min', min, `at most max, ${max}`);
  }
  if (bounds && nodes.desired !== undefined) {
    problems.check('desired', nodes.desired, wholeNumber(min, max));
  }
  problems.checkGiven('', nodes, {
    diskGiB: wholeNumber(20, 16384),
    capacityType: oneOf('ON_DEMAND', 'SPOT'),
  });
  nodes.taints?.forEach(({ effect }, index) =>
    checkInput(problems, `taints[${index}].effect`, effect, taintEffect),
  );
  checkLabels(problems, 'labels', nodes.labels);
  checkInputs(problems, 'subnetIds', nodes.subnetIds, subnetId);
  checkInputs(problems, 'securityGroupIds', nodes.securityGroupIds, securityGroupId);
  checkInput(problems, 'roleArn', nodes.roleArn, iamRoleArn);
  return problems.all;
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
