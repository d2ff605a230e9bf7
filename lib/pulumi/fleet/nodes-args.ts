import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { iamRoleArn } from '../../core/aws/arns';
import { securityGroupId, subnetId } from '../../core/aws/identifiers';
import { rawArgs } from '../../core/validation/arguments';
import { across, list, object, optional } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { flag, later, oneOf, text, that, whole } from '../../core/validation/values';
import { timeServers } from '../../manifests/time-sync';
import { input, inputList, kubernetesLabels, plainList } from '../input-schemas';
import { amiType as amiTypeOf, isBottlerocket, noAmiType } from './ami-type';

/** The nodes of a slot: one EKS managed node group. */
export interface NodesArgs {
  /** EC2 instance types, all of one CPU architecture. */
  readonly instanceTypes: readonly string[];
  /** Fewest nodes. */
  readonly min: number;
  /** Most nodes. */
  readonly max: number;
  /** Nodes to begin with; an autoscaler changes it later, so it is ignored after creation. @default - min */
  readonly desired?: number;
  /** Size of the volume that holds images and containers, in GiB; gp3, encrypted. @default 50 - room for images beside EKS's own 20 */
  readonly diskGiB?: number;
  /**
   * EKS AMI type. With one of your own, the drivers of GPUs and other accelerators are your business.
   * @default - Amazon Linux 2023 for the instance types' architecture, with the driver of their NVIDIA GPUs, Inferentia or
   * Trainium
   */
  readonly amiType?: string;
  /**
   * NTP servers of the nodes. For AMI types of Amazon Linux 2023 and Bottlerocket; others bring their own configuration,
   * as does `userData` in `launchTemplateArgs`.
   *
   * @default - Amazon Time Sync, which every instance reaches
   */
  readonly timeServers?: readonly string[];
  /**
   * Whether nodes take pods only when their clock is right: they start with a taint, which a `clockGuard.ClockSkewGuard` with a
   * gate takes away. Without one no pod ever runs on them.
   *
   * @default false
   */
  readonly clockGate?: boolean;
  /** Whether AWS may take the nodes back: `SPOT` is cheaper, and it may. @default 'ON_DEMAND' */
  readonly capacityType?: 'ON_DEMAND' | 'SPOT';
  /** Kubernetes labels of the nodes. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Kubernetes taints of the nodes. @default - none */
  readonly taints?: readonly aws.types.input.eks.NodeGroupTaint[];
  /** Subnets of the nodes. @default - the network's private subnets */
  readonly subnetIds?: pulumi.Input<pulumi.Input<string>[]>;
  /** IAM role of the nodes; with IPv6 it has to let VPC CNI assign addresses. @default - a role with the policies that EKS asks for */
  readonly roleArn?: pulumi.Input<string>;
  /** Security groups beside the cluster's own and the slot's. @default - none */
  readonly securityGroupIds?: readonly pulumi.Input<string>[];
  /** Raw arguments of the node group, over everything else. @default - none */
  readonly nodeGroupArgs?: Partial<aws.eks.NodeGroupArgs>;
  /** Raw arguments of the launch template, over everything else. @default - none */
  readonly launchTemplateArgs?: Partial<aws.ec2.LaunchTemplateArgs>;
}

/**
 * What a taint does, as EKS spells it, and not as Kubernetes does (`NoSchedule`).
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Taint.html
 */
const taintEffect = oneOf('NO_SCHEDULE', 'NO_EXECUTE', 'PREFER_NO_SCHEDULE');

const instanceType = text('an EC2 instance type, such as "m7i.large"', /^\S+$/);

/** A schema for each argument of a node group. */
export const nodesEntries: Entries<NodesArgs> = {
  instanceTypes: list(instanceType, 1, 'at least one EC2 instance type'),
  min: whole(0, 1000),
  max: whole(1, 1000),
  desired: optional(whole(0, 1000)),
  diskGiB: optional(whole(20, 16384)),
  amiType: optional(text('an AMI type of EKS, such as "AL2023_x86_64_STANDARD"', /^\S+$/)),
  timeServers: optional(
    that(list(text('a server of NTP')), timeServers.allowed, (servers) => timeServers.accepts(servers)),
  ),
  clockGate: optional(flag),
  capacityType: optional(oneOf('ON_DEMAND', 'SPOT')),
  labels: kubernetesLabels,
  taints: optional(
    list(
      object<aws.types.input.eks.NodeGroupTaint>({
        key: later(text('a text')),
        value: optional(later(text('a text'))),
        effect: later(taintEffect),
      }),
    ),
  ),
  subnetIds: optional(inputList(subnetId)),
  roleArn: optional(input(iamRoleArn)),
  securityGroupIds: optional(plainList(input(securityGroupId))),
  nodeGroupArgs: optional(rawArgs),
  launchTemplateArgs: optional(rawArgs),
};

/** Arguments of a node group, together. */
export function nodesSchemaOf<T extends NodesArgs>(entries: Entries<T>): Schema<T> {
  return across(object<T>(entries), (nodes, { mustBe }) => {
    const { instanceTypes, amiType, timeServers: servers, launchTemplateArgs, min, max, desired } = nodes;
    const types = isListOfTexts(instanceTypes) ? instanceTypes : [];
    const without = amiType === undefined ? noAmiType(types) : undefined;
    if (without !== undefined) {
      mustBe(['instanceTypes'], without);
    }
    if (typeof min === 'number' && typeof max === 'number') {
      if (min > max) {
        mustBe(['min'], `at most max, ${max}`);
      } else if (typeof desired === 'number' && (desired < min || desired > max)) {
        mustBe(['desired'], `a whole number from ${min} to ${max}`);
      }
    }
    if (servers !== undefined) {
      const type = typeof amiType === 'string' ? amiType : amiTypeOf(types);
      if (!isBottlerocket(type) && !type.startsWith('AL2023')) {
        mustBe(['timeServers'], `left out with the AMI type ${type}, which takes no user data of ours`);
      }
      if (isPlainObject(launchTemplateArgs) && 'userData' in launchTemplateArgs) {
        mustBe(['timeServers'], 'left out where launchTemplateArgs has userData, which replaces it');
      }
    }
  });
}

/** Arguments of a node group of a slot. */
export const nodesSchema: Schema<NodesArgs> = nodesSchemaOf(nodesEntries);

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
