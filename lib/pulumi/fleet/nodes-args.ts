import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { listOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';

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

export const nodesArgsKeys: OptionsOf<NodesArgs> = {
  instanceTypes: 'list',
  min: 'plain',
  max: 'plain',
  desired: 'plain',
  diskGiB: 'plain',
  amiType: 'plain',
  timeServers: 'list',
  clockGate: 'plain',
  capacityType: 'plain',
  labels: 'plain',
  taints: listOf({ key: 'open', value: 'open', effect: 'open' }),
  subnetIds: 'open',
  roleArn: 'open',
  securityGroupIds: listOf('open'),
  nodeGroupArgs: 'open',
  launchTemplateArgs: 'open',
};
