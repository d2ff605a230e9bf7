import type * as aws from '@pulumi/aws';
import type * as eks from '@pulumi/eks';
import type * as pulumi from '@pulumi/pulumi';
import type { DrainSettings } from '../../operate/drain';
import type { Addon, AddonResources } from '../addons';
import type { EksAddonVersions } from './eks-addons';
import type { Endpoint } from './endpoint';
import type { IpFamily } from './ip-family';
import type { NodesArgs } from './nodes-args';
import type { Entry } from './slot-ref';

/** How a slot is emptied before its cluster is deleted. */
export interface DrainArgs extends DrainSettings {
  /**
   * How long the slot's traffic may take to leave, where the same deployment takes it away.
   * @default '5m' - load balancer rules are deleted in seconds
   */
  readonly trafficWithin?: string;
  /**
   * What happens where something is left in AWS: the deletion fails, with the list; or the list is a warning.
   * @default 'fail' - once the cluster is gone, nobody looks for it
   */
  readonly leftovers?: 'fail' | 'warn';
}

/** Where clusters live. */
export interface Network {
  /** The VPC. */
  readonly vpcId: pulumi.Input<string>;
  /** Subnets for nodes and the control plane's network interfaces: at least two availability zones. */
  readonly privateSubnetIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** How this program, and whoever gets the kubeconfig, asks AWS for a token. */
export interface ClusterCredentials {
  /** AWS profile. @default - the environment's */
  readonly profile?: string;
  /** IAM role to assume; it needs an access entry. @default - none */
  readonly roleArn?: pulumi.Input<string>;
}

/**
 * What all slots of a fleet have in common. A slot that adopts a cluster takes nothing that is decided when a cluster is
 * made: `network`, `access`, `encryptionKeyArn`, `controlPlaneLogs`, `deletionProtection` and `clusterArgs`.
 */
export interface FleetWideArgs<EntryName extends string = string, AddonName extends string = string> {
  /** The clusters' network. Not needed where every slot adopts a cluster. */
  readonly network?: Network;
  /** How the API servers are reached. */
  readonly endpoint: Endpoint;
  /** Services that take outside traffic, by a name of one's own. @default - none */
  readonly entries?: Readonly<Record<EntryName, Entry>>;
  /** What a cluster gets before applications. @default - none */
  readonly addons?: readonly Addon<AddonResources, AddonName>[];
  /** Labels of the clusters' Secrets in Argo CD, for generators to select on. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Access entries of people and programs, by a name of one's own. @default - the creator only */
  readonly access?: eks.ClusterArgs['accessEntries'];
  /**
   * KMS key that encrypts Kubernetes Secrets.
   * @default - a key per slot, with rotation
   */
  readonly encryptionKeyArn?: pulumi.Input<string>;
  /** Control plane logs that go to CloudWatch. @default - all five: an incident asks for the one that is off */
  readonly controlPlaneLogs?: readonly ControlPlaneLog[];
  /**
   * Whether pods behind entries with ip targets are ready only when they are healthy targets, too: the AWS Load Balancer
   * Controller gives a readiness gate to pods that are created in a namespace with the label
   * `elbv2.k8s.aws/pod-readiness-gate-inject: enabled`. A rollout then keeps old pods until new ones get traffic.
   *
   * A target group that is on no rule has no healthy target, so a gate would keep its pods unready for ever. A namespace gets
   * the label once each of its entries' target groups is on a load balancer: with the first `up` after the one that made the
   * rules. Not with Auto Mode, where EKS itself binds the pods.
   *
   * @default false - the namespaces may belong to somebody else
   * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/deploy/pod_readiness_gate
   */
  readonly podReadinessGates?: boolean;
  /** EKS deletion protection. @default false - a stack must be destroyable unless its owner says otherwise */
  readonly deletionProtection?: boolean;
  /** Seconds that a target stays in its target group after it was taken out, 0 to 3600. @default 30 - AWS's 300 s would hold back every rollback */
  readonly deregistrationDelaySeconds?: number;
  /**
   * Most live traffic, in percent, with which a slot's cluster is changed in place: another version, other nodes. With more,
   * the change is refused, in previews, too. 100 allows every change, and asks AWS nothing.
   *
   * It is asked with the program's own credentials, in the region of the slot's AWS provider. Where these find no cluster,
   * a change in place that only the engine sees is refused, too.
   *
   * @default 10 - what a slot with little traffic loses, the others can carry
   */
  readonly maxLiveTraffic?: number;
  /**
   * Ids of the hosted zones with records of the fleet (`FleetRecords`), for the question how much traffic a slot has; `[]` for a
   * fleet without such records, where Route 53 is not asked.
   *
   * @default - every hosted zone of the account is read, at half the rate of calls that an account has: Route 53 can't be asked
   * which zones have a fleet's records
   */
  readonly hostedZoneIds?: readonly string[];
  /**
   * Empties a slot's cluster before it goes: Ingresses, LoadBalancer Services, Karpenter's nodes and, as set, volumes, so that
   * nothing of them stays behind in AWS. It is a delete hook, so `pulumi destroy` then wants `--run-program`. It has no effect
   * on an adopted cluster, which does not go with its slot.
   *
   * @default false - `pulumi destroy` works without the program; `cluster-canary drain` does the same by hand
   */
  readonly drain?: DrainArgs | false;
  /**
   * AWS tags of everything that can be tagged, add-ons' resources and nodes' instances and volumes included.
   * @default - the fleet's and the slot's name, which are there in any case
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * ARN of the permissions boundary of every IAM role: the cluster's, its nodes' and those of add-ons. A role's own
   * (`roleArgs`) comes before it.
   * @default - none
   * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
   */
  readonly permissionsBoundaryArn?: pulumi.Input<string>;
  /** AWS identity by which the clusters' API servers are asked. @default - the environment's */
  readonly credentials?: ClusterCredentials;
  /** Raw arguments of the EKS cluster component, over everything else. @default - none */
  readonly clusterArgs?: Partial<eks.ClusterArgs>;
  /** Raw arguments of each target group, over everything else. @default - none */
  readonly targetGroupArgs?: Partial<aws.lb.TargetGroupArgs>;
}

/** A log of the EKS control plane. */
export type ControlPlaneLog = 'api' | 'audit' | 'authenticator' | 'controllerManager' | 'scheduler';

/** All of them. */
export const controlPlaneLogs: readonly ControlPlaneLog[] = [
  'api',
  'audit',
  'authenticator',
  'controllerManager',
  'scheduler',
];

/** A cluster that was made elsewhere. */
export interface AdoptedCluster {
  /** Name of the EKS cluster in this account and region. */
  readonly clusterName: string;
  /** Security group of its nodes. @default - the cluster's own, which EKS gives to managed nodes */
  readonly nodeSecurityGroupId?: pulumi.Input<string>;
  /** Whether it runs in EKS Auto Mode. @default false */
  readonly autoMode?: boolean;
  /** Addresses of its pods and Services; another one than the cluster has is refused. @default 'ipv4' */
  readonly ipFamily?: IpFamily;
}

/** What one slot has for itself: nodes or Auto Mode, or a cluster to adopt. */
export interface SlotArgs<AddonName extends string = string> {
  /** Kubernetes version, such as `1.35`. Needed unless the cluster is adopted. */
  readonly version?: string;
  /** A managed node group. */
  readonly nodes?: NodesArgs;
  /**
   * Addresses of the pods and Services of a cluster that is created, which EKS fixes then. `ipv6` wants a VPC and subnets with
   * IPv6 ranges beside those of IPv4, subnets of nodes that assign IPv6 addresses by themselves, instance types built on
   * Nitro, and a load balancer with `ipAddressType: 'dualstack'`. EKS chooses the range of Services.
   *
   * @default 'ipv4' - EKS's own default
   * @see https://docs.aws.amazon.com/eks/latest/userguide/cni-ipv6.html
   */
  readonly ipFamily?: IpFamily;
  /**
   * Versions of EKS's own add-ons of this slot, exact ones: `coredns`, `eks-pod-identity-agent`, `kube-proxy`, `vpc-cni`. A
   * change under live traffic is refused as one of the cluster's version is (`maxLiveTraffic`).
   *
   * @default - the newest of `kube-proxy` and `vpc-cni`, and EKS's default of the others, on the day that the cluster is
   * made; it stays, also where the slot's Kubernetes version changes and where a version that stood here is taken out
   * @see https://docs.aws.amazon.com/eks/latest/userguide/updating-an-add-on.html
   */
  readonly eksAddonVersions?: EksAddonVersions;
  /** More managed node groups, by name. @default - none */
  readonly moreNodes?: Readonly<Record<string, NodesArgs>>;
  /** EKS Auto Mode in place of managed node groups. @default false */
  readonly autoMode?: boolean;
  /** A cluster made elsewhere takes the slot. @default - a cluster is created */
  readonly adopt?: AdoptedCluster;
  /** Name of the EKS cluster. @default - FLEET-SLOT */
  readonly clusterName?: string;
  /** Labels of this cluster's Secret in Argo CD, over the fleet's. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** This slot's network. @default - the fleet's */
  readonly network?: Network;
  /** How this slot's API server is reached. @default - as the fleet says */
  readonly endpoint?: Endpoint;
  /** Whether, and how, this slot is emptied before it goes. @default - as the fleet says */
  readonly drain?: DrainArgs | false;
  /** This slot's add-ons. @default - the fleet's */
  readonly addons?: readonly Addon<AddonResources, AddonName>[];
  /** Raw arguments of this slot's EKS cluster component, over everything else. @default - none */
  readonly clusterArgs?: Partial<eks.ClusterArgs>;
}
