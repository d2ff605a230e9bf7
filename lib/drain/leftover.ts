/** What controllers make in AWS, in the order in which it can be deleted. */
export const leftoverKinds = [
  'loadBalancer',
  'targetGroup',
  'instance',
  'volume',
  'networkInterface',
  'securityGroup',
] as const;

/** What sort of thing was left in AWS. */
export type LeftoverKind = (typeof leftoverKinds)[number];

export type Tags = Readonly<Record<string, string>>;

/** Something in AWS that a cluster's controllers made. */
export interface Leftover {
  /** What sort of thing it is. */
  readonly kind: LeftoverKind;
  /** ARN of a load balancer or target group, ID of all else. */
  readonly id: string;
  /** Name that people know it by. */
  readonly name?: string;
  /** The tag, or the other thing, that says that it is the cluster's. */
  readonly because: string;
  /** Its state in AWS's words, where it has one. */
  readonly state?: string;
  /** Why `--sweep` does not delete it. @default - it does */
  readonly kept?: string;
}

/** Whose leftovers are looked for. */
export interface LeftoverQuery {
  readonly clusterName: string;
  /** Whether EKS still knows the cluster. */
  readonly clusterIsThere: boolean;
}

interface ClaimTag {
  readonly key: string;
  readonly value: string;
}

/**
 * The tags by which controllers say that something is theirs and of this cluster.
 *
 * - AWS Load Balancer Controller: `elbv2.k8s.aws/cluster`.
 * - EKS Auto Mode and Karpenter: `eks:eks-cluster-name`.
 * - Karpenter, the cloud controller manager and the EBS CSI driver: `kubernetes.io/cluster/NAME` with `owned`; `shared` is
 *   what somebody else made for several clusters.
 * - VPC CNI: `cluster.k8s.amazonaws.com/name`.
 * - EBS CSI driver as an EKS add-on: `ebs.csi.aws.com/cluster-name`.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/3701
 * @see https://github.com/aws/karpenter-provider-aws/blob/main/pkg/cloudprovider/cloudprovider.go
 * @see https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/tagging.md
 * @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonEBSCSIDriverEKSClusterScopedPolicy.html
 * @see https://github.com/kubernetes/kops/pull/8274
 */
export function claimTags(clusterName: string): readonly ClaimTag[] {
  return [
    { key: 'elbv2.k8s.aws/cluster', value: clusterName },
    { key: 'eks:eks-cluster-name', value: clusterName },
    { key: `kubernetes.io/cluster/${clusterName}`, value: 'owned' },
    { key: 'cluster.k8s.amazonaws.com/name', value: clusterName },
    { key: 'ebs.csi.aws.com/cluster-name', value: clusterName },
  ];
}

/** The tag that says that something is the cluster's, as `KEY=VALUE`. */
export function claimOf(tags: Tags, clusterName: string): string | undefined {
  const claim = claimTags(clusterName).find(({ key, value }) => tags[key] === value);
  return claim && `${claim.key}=${claim.value}`;
}

/**
 * Whether something goes with what made it, and is not left by a controller: what a Pulumi program of this library made;
 * instances of a node group or another auto scaling group; and, while the cluster is there, what EKS itself made for it.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
 */
export function goesByItself(tags: Tags, clusterIsThere: boolean): boolean {
  return (
    'cluster-canary/fleet' in tags ||
    'eks:nodegroup-name' in tags ||
    'aws:autoscaling:groupName' in tags ||
    (clusterIsThere && 'aws:eks:cluster-name' in tags)
  );
}

/** In the order in which they can be deleted, and each once. */
export function inOrder(leftovers: readonly Leftover[]): readonly Leftover[] {
  const once = [...new Map(leftovers.map((each) => [each.id, each])).values()];
  return leftoverKinds.flatMap((kind) =>
    once.filter((each) => each.kind === kind).sort((one, other) => (one.id < other.id ? -1 : 1)),
  );
}

const kindWords: Readonly<Record<LeftoverKind, string>> = {
  loadBalancer: 'load balancer',
  targetGroup: 'target group',
  instance: 'instance',
  volume: 'volume',
  networkInterface: 'network interface',
  securityGroup: 'security group',
};

/** `security group sg-0123 k8s-traffic-apps-green (elbv2.k8s.aws/cluster=apps-green)` */
export function leftoverText({ kind, id, name, because, state, kept }: Leftover): string {
  const words = [kindWords[kind], id, ...(name === undefined ? [] : [name])].join(' ');
  const details = [because, ...(state === undefined ? [] : [state]), ...(kept === undefined ? [] : [kept])];
  return `${words} (${details.join('; ')})`;
}
