import * as aws from '@pulumi/aws';
import type * as eks from '@pulumi/eks';
import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { dnsLabel } from '../../core/validation/formats';
import { refuseArguments } from '../../core/validation/arguments';
import { object } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import { following } from '../../core/validation/values';
import { checkAddons, installAddons } from '../addons';
import type { AddonDestination, AddonResources } from '../addons';
import { withAwsSettings } from '../aws-settings';
import { drainBeforeDelete, isDrained } from './drain';
import { keptVersion } from './eks-addons';
import type { EksAddonVersions, OwnEksAddon } from './eks-addons';
import { endpointSettings } from './endpoint';
import { bindEntries, entryTargetGroup } from './entries';
import { ipFamilyOf } from './ip-family-problems';
import { connectToCluster } from './kubernetes-provider';
import { NodeGroup } from './nodes';
import type { FleetWideArgs, SlotArgs } from './slot-args';
import { addonType, adoptCluster, slotRegion, createCluster } from './slot-cluster';
import { slotProblems } from './slot-problems';
import type { SlotRef } from './slot-ref';
import { fleetWideEntries, ownSlotEntries } from './slot-schema';
import { TrafficGuard, defaultMaxLiveTraffic } from './traffic-guard';
import { nodeGroupName, nodeGroupsOf, wantedCluster } from './wanted-cluster';

/** What `ClusterSlot` takes: a slot's own arguments and those that it shares with its fleet. */
export interface ClusterSlotArgs<AddonName extends string = string>
  extends FleetWideArgs<string, AddonName>, Omit<SlotArgs, keyof FleetWideArgs> {
  /** Name of the fleet. */
  readonly fleet: string;
  /** Name of the slot: `blue`, `green`. */
  readonly slot: string;
}

const clusterSlotArgs: Schema<ClusterSlotArgs> = object<ClusterSlotArgs>({
  ...fleetWideEntries,
  ...ownSlotEntries,
  fleet: following(dnsLabel),
  slot: following(dnsLabel),
});

/**
 * One slot of a fleet: an EKS cluster with its nodes and add-ons (or one that was made elsewhere), and a target
 * group for every entry of the fleet. `ClusterFleet` makes its slots itself; made alone, a slot can be a stack
 * of its own that exports `ref`.
 *
 * The cluster authenticates by access entries alone, encrypts Secrets with a KMS key, logs all that its control
 * plane can log, and has nodes whose instance metadata only the node itself can reach (and pods in its network). A
 * change that would replace the cluster is refused.
 *
 * @example
 * const green = new fleet.ClusterSlot('apps-green', {
 *   fleet: 'apps',
 *   slot: 'green',
 *   network: { vpcId, privateSubnetIds },
 *   endpoint: { private: { reachedFrom: 'vpc' } },
 *   version: '1.35',
 *   nodes: { instanceTypes: ['m7i.large'], min: 2, max: 6 },
 * });
 * export const ref = green.ref;
 */
export class ClusterSlot<const AddonName extends string = string> extends pulumi.ComponentResource {
  /** The slot as plain values, for hubs and traffic of this stack or another. */
  public readonly ref: pulumi.Output<SlotRef>;
  /** The EKS cluster component, unless the cluster was adopted. */
  public readonly cluster?: eks.Cluster;
  /** Kubernetes provider of the cluster. */
  public readonly kubernetes: k8s.Provider;
  /** Kubeconfig as JSON, without credentials. */
  public readonly kubeconfig: pulumi.Output<string>;
  /** KMS key of Kubernetes Secrets, unless one was given or the cluster was adopted. */
  public readonly encryptionKey?: aws.kms.Key;
  /** Security group of the nodes that holds what load balancers may reach; none in Auto Mode or when adopted. */
  public readonly nodeSecurityGroup?: aws.ec2.SecurityGroup;
  /** Managed node groups by name; the first is `nodes`. */
  public readonly nodeGroups: Readonly<Record<string, NodeGroup>>;
  /** What each add-on registered, by the add-on's name; in a fleet, a slot with a list of its own has those of that list alone. */
  public readonly addons: Readonly<Record<AddonName, AddonResources>>;
  /** The cluster as add-ons know it, with the list of them: what a hub delivers add-ons by. */
  public readonly addonDestination: AddonDestination;
  /** Target groups by entry. */
  public readonly targetGroups: Readonly<Record<string, aws.lb.TargetGroup>>;
  /** What must be there before a program may run in the cluster: nodes and EKS's own add-ons. */
  public readonly ready: readonly pulumi.Resource[];

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(
    name: string,
    args: ClusterSlotArgs<AddonName>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    refuseArguments(`ClusterSlot "${name}"`, clusterSlotArgs, args, (sound) => [
      ...slotProblems(name, `${args.fleet}-${args.slot}`, sound),
      ...checkAddons(sound.addons ?? []),
    ]);
    const tags = { 'cluster-canary/fleet': args.fleet, 'cluster-canary/slot': args.slot, ...args.tags };
    const { permissionsBoundaryArn } = args;
    super(
      'cluster-canary:fleet:ClusterSlot',
      name,
      {},
      withAwsSettings(opts, { tags, permissionsBoundaryArn }),
    );
    const parent = { parent: this };
    const clusterName = args.adopt?.clusterName ?? args.clusterName ?? `${args.fleet}-${args.slot}`;
    const autoMode = args.autoMode ?? args.adopt?.autoMode ?? false;
    const ipFamily = ipFamilyOf(args);

    const guard = new TrafficGuard({
      name,
      fleet: args.fleet,
      slot: args.slot,
      clusterName,
      region: slotRegion(this),
      wanted: wantedCluster(name, args),
      hostedZoneIds: args.hostedZoneIds,
      // Without an entry, a cluster has no traffic to guard; an adopted one is changed elsewhere.
      maxLiveTraffic: args.adopt || noEntries(args) ? 100 : (args.maxLiveTraffic ?? defaultMaxLiveTraffic),
    });
    const cluster = args.adopt
      ? adoptCluster(name, args.adopt, this)
      : createCluster(name, clusterName, args, tags, guard, this);
    this.cluster = cluster.eksCluster;
    this.encryptionKey = cluster.encryptionKey;
    if (this.cluster && !autoMode) {
      this.nodeSecurityGroup = new aws.ec2.SecurityGroup(
        `${name}-nodes`,
        { description: `Nodes of ${name}`, vpcId: args.network!.vpcId },
        parent,
      );
    }
    const base = pulumi
      .all([cluster.facts, this.nodeSecurityGroup?.id, args.adopt?.nodeSecurityGroupId])
      .apply(([facts, ownGroup, adoptedGroup]): SlotRef => ({
        ...facts,
        proxyUrl: endpointSettings(args.endpoint).proxyUrl,
        nodeSecurityGroupId: ownGroup ?? adoptedGroup ?? facts.clusterSecurityGroupId,
        targetGroupArns: {},
      }));
    const connection = connectToCluster(name, base, args.credentials, {
      ...parent,
      // A destroy runs the program, too, and has to get as far as the hook that empties the slot.
      mayBeGone: isDrained(args),
    });
    this.kubernetes = connection.provider;
    this.kubeconfig = connection.kubeconfig;

    this.nodeGroups = this.cluster ? createNodeGroups(name, args, tags, base, guard, this) : {};
    this.ready =
      this.cluster && !autoMode
        ? eksAddons(name, base, args.eksAddonVersions ?? {}, guard, this)
        : Object.values(this.nodeGroups);

    this.targetGroups = Object.fromEntries(
      Object.entries(args.entries ?? {}).map(([entryName, entry]) => [
        entryName,
        entryTargetGroup(
          `${name}-${entryName}`,
          {
            entry,
            vpcId: base.vpcId,
            deregistrationDelaySeconds: args.deregistrationDelaySeconds ?? 30,
            ipFamily,
            // EKS Auto Mode's role may register targets only in target groups with this tag.
            tags: autoMode ? { 'eks:eks-cluster-name': base.clusterName } : undefined,
            targetGroupArgs: args.targetGroupArgs,
          },
          parent,
        ),
      ]),
    );
    const { clusterArn, region, vpcId } = base;
    const addonCluster = {
      name,
      clusterName: base.clusterName,
      clusterArn,
      region,
      vpcId,
      autoMode,
      kubernetesVersion: args.version,
    };
    this.addonDestination = { ...addonCluster, slot: args.slot, addons: args.addons ?? [] };
    this.addons = installAddons(args.addons ?? [], {
      ...addonCluster,
      kubernetes: this.kubernetes,
      cluster: this.cluster,
      parent: this,
      dependsOn: this.ready,
      targetGroupArns: Object.values(this.targetGroups).map(({ arn }) => arn),
    });
    const readinessGates = args.podReadinessGates ?? false;
    bindEntries(name, args.entries ?? {}, { autoMode, readinessGates, ipFamily }, this);
    drainBeforeDelete(name, args, base, this);

    this.ref = pulumi
      .all([base, Object.fromEntries(Object.entries(this.targetGroups).map(([key, { arn }]) => [key, arn]))])
      .apply(([slot, targetGroupArns]) => ({ ...slot, targetGroupArns }));
    this.registerOutputs({ ref: this.ref });
  }
}

function createNodeGroups(
  name: string,
  args: ClusterSlotArgs,
  tags: Record<string, string>,
  base: pulumi.Output<SlotRef>,
  guard: TrafficGuard,
  slot: ClusterSlot,
): Record<string, NodeGroup> {
  return Object.fromEntries(
    Object.entries(nodeGroupsOf(args)).map(([key, nodes]) => [
      key,
      new NodeGroup(
        nodeGroupName(name, key),
        {
          ...nodes,
          clusterName: base.clusterName,
          clusterArn: base.clusterArn,
          version: args.version,
          ipFamily: ipFamilyOf(args),
          subnetIds: nodes.subnetIds ?? args.network!.privateSubnetIds,
          securityGroupIds: [
            base.clusterSecurityGroupId,
            ...(slot.nodeSecurityGroup ? [slot.nodeSecurityGroup.id] : []),
            ...(nodes.securityGroupIds ?? []),
          ],
          tags,
          guard,
        },
        // The component installs the network plug-in, without which no node becomes ready.
        { parent: slot, dependsOn: slot.cluster ? [slot.cluster] : [] },
      ),
    ]),
  );
}

function noEntries({ entries }: ClusterSlotArgs): boolean {
  return Object.keys(entries ?? {}).length === 0;
}

/** EKS's own add-ons that the cluster component leaves out: the Pod Identity agent, then CoreDNS. */
function eksAddons(
  name: string,
  { clusterName }: pulumi.Output<SlotRef>,
  versions: EksAddonVersions,
  guard: TrafficGuard,
  slot: ClusterSlot,
): pulumi.Resource[] {
  const nodes = Object.values(slot.nodeGroups);
  const install = (suffix: string, addonName: OwnEksAddon, dependsOn: pulumi.Resource[]): aws.eks.Addon => {
    const addonVersion = versions[addonName];
    return new aws.eks.Addon(
      `${name}-${suffix}`,
      {
        clusterName,
        addonName,
        resolveConflictsOnCreate: 'OVERWRITE',
        // What scales it in the cluster goes on doing so.
        resolveConflictsOnUpdate: 'PRESERVE',
        addonVersion,
      },
      {
        parent: slot,
        dependsOn,
        hooks: guard.hooks(addonType, `${name}-${suffix}`),
        ...keptVersion(addonVersion),
      },
    );
  };
  const agent = install('pod-identity', 'eks-pod-identity-agent', slot.cluster ? [slot.cluster] : []);
  return [...nodes, agent, install('coredns', 'coredns', nodes)];
}
