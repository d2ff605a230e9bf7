import type * as aws from '@pulumi/aws';
import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { installAddons } from '../addons';
import { withAwsSettings } from '../aws-settings';
import { Manifests, outputToken } from '../bridge';
import { HubIdentity, TargetAccess, targetRight } from './access';
import { addonManifests } from './addons';
import { argoCdAddon } from './argo-cd/chart';
import { hubClusters } from './clusters';
import type { HubAddress, HubCluster, InstalledHub, ManagedCluster } from './clusters';
import { handoverTimes, handoverDependencies } from './handover/dependencies';
import { Handover } from './handover/handover';
import { HubRoleObjects } from './handover/hub-role';
import {
  checkHub,
  hubSettings,
  installationOf,
  objectProps,
  setNames,
  stepsThroughApplications,
} from './hub-args';
import type { ArgoCdHubArgs } from './hub-args';
import { HubObjects } from './hub-objects';

/**
 * Argo CD with its ApplicationSet controller on every slot of a hub fleet, with every slot of the managed fleets
 * registered. Exactly one of them writes, and a change of `active` hands the right to write over: the new one must have
 * compared what the old one has, the old one rests, its right ends in each managed cluster, and then the new one gets it.
 *
 * It depends on each managed slot's cluster, never on the fleet as a whole or on its traffic: a new slot can be
 * registered and get its Applications while its weight is 0.
 *
 * @example
 * const hub = new hubs.ArgoCdHub('hub', {
 *   fleet: hubFleet,
 *   manages: [apps],
 *   projects: [{ name: 'apps', sourceRepos: ['https://github.com/example/config'], destinations: [{ server: '*', namespace: 'podinfo' }] }],
 *   repositories: [{ name: 'config', url: 'https://github.com/example/config', credential: { username: 'git', password: config.requireSecret('gitToken') } }],
 *   applicationSets: [podinfo],
 * });
 */
export class ArgoCdHub<const Slot extends string = string> extends pulumi.ComponentResource {
  /** Where the hub that writes is asked. */
  public readonly address: HubAddress;
  /** Where each hub is asked, by hub slot: `labels` of a fleet's traffic take all of them, but for lost ones. */
  public readonly addresses: Readonly<Record<Slot, HubAddress>>;
  /** The Argo CDs by hub slot. */
  public readonly slots: Readonly<Record<Slot, InstalledHub>>;
  /** Their IAM identities: one by hub slot, or one called `shared`. */
  public readonly identities: Readonly<Record<string, HubIdentity>>;
  /** Their way into the managed clusters. */
  public readonly access: readonly TargetAccess[];
  /** The right to write in each managed cluster, by the cluster's name in Argo CD. There is one, and the active hub has it. */
  public readonly writers: Readonly<Record<string, aws.eks.AccessPolicyAssociation>>;

  private readonly shared: boolean;
  private readonly namespace: string;
  private readonly accessOf = new Map<string, TargetAccess>();

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(
    private readonly name: string,
    private readonly args: ArgoCdHubArgs<Slot>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    const managed = checkHub(name, args);
    super('cluster-canary:hubs:ArgoCdHub', name, {}, withAwsSettings(opts, hubSettings(name, args)));
    const { fleet: source, credentials, lost = [] } = args;
    const clusters = hubClusters(name, { source, credentials, lost, parent: this });
    const active = clusters.find(({ slot }) => slot === args.active) ?? clusters[0]!;
    this.namespace = args.namespace ?? 'argocd';
    this.addresses = Object.fromEntries(
      clusters.map(({ slot, kubeconfig }) => [slot, { kubeconfig, namespace: this.namespace }]),
    ) as Record<Slot, HubAddress>;
    this.address = this.addresses[active.slot as Slot];
    this.shared = args.identity === 'shared';
    const groups = this.groups(clusters);
    this.identities = this.makeIdentities(groups);
    this.access = managed.flatMap((target) =>
      Object.entries(groups).map(([group, members]) => this.letIn(group, members, target, clusters.length)),
    );
    const handover =
      clusters.length > 1 && !this.shared ? this.handover(clusters, managed, active.slot) : undefined;
    // The order of a handover: hubs that rest, the right to write, the hub that writes.
    const resting = clusters
      .filter((each) => each !== active)
      .map(
        (each) => [each.slot, this.install(each, managed, { handover, standby: true, after: [] })] as const,
      );
    const rested = resting.flatMap(([, { ready }]) => ready);
    this.writers = Object.fromEntries(
      managed.map((target) => [target.name, this.giveRight(active.slot, target, rested, handover)]),
    );
    const after = [...Object.values(this.writers), ...(this.shared ? rested : [])];
    const installed = Object.fromEntries([
      ...resting,
      [active.slot, this.install(active, managed, { handover, standby: false, after })],
    ]);
    this.slots = Object.fromEntries(clusters.map(({ slot }) => [slot, installed[slot]!])) as Record<
      Slot,
      InstalledHub
    >;
    this.registerOutputs({});
  }

  /** Hub slots by the identity that they have. */
  private groups(clusters: readonly HubCluster[]): Readonly<Record<string, readonly HubCluster[]>> {
    return this.shared
      ? { shared: clusters }
      : Object.fromEntries(clusters.map((each) => [each.slot, [each]]));
  }

  private makeIdentities(
    groups: Readonly<Record<string, readonly HubCluster[]>>,
  ): Readonly<Record<string, HubIdentity>> {
    const { name, namespace, args } = this;
    return Object.fromEntries(
      Object.entries(groups).map(([group, clusters]) => [
        group,
        new HubIdentity(
          `${name}-${group}`,
          { hub: name, clusters, namespace, roleArgs: args.roleArgs },
          { parent: this },
        ),
      ]),
    );
  }

  private letIn(
    group: string,
    members: readonly HubCluster[],
    target: ManagedCluster,
    hubs: number,
  ): TargetAccess {
    const { name, args } = this;
    const rules = members.map(({ slot, ref }) => [`${name}-${slot}`, ref.nodeSecurityGroupId] as const);
    const access = new TargetAccess(
      this.shared ? `${name}-${target.name}` : `${name}-${group}-${target.name}`,
      {
        target: target.ref,
        roleArn: this.identities[group]!.role.arn,
        namespaces: args.targetNamespaces,
        // One who always writes has no use for a right to read.
        readable: !this.shared && hubs > 1,
        fromSecurityGroupIds: args.reach === 'own' ? {} : Object.fromEntries(rules),
      },
      { parent: this },
    );
    this.accessOf.set(`${group} ${target.name}`, access);
    return access;
  }

  private handover(
    clusters: readonly HubCluster[],
    targets: readonly ManagedCluster[],
    active: string,
  ): Handover {
    const { name, namespace, args } = this;
    return new Handover({
      name,
      component: this,
      namespace,
      active,
      lost: args.lost ?? [],
      slots: Object.fromEntries(clusters.map(({ slot, ref }) => [slot, ref])),
      roles: Object.fromEntries(clusters.map(({ slot }) => [slot, this.identities[slot]!.role.arn])),
      targets,
      namespaces: args.targetNamespaces,
      sets: setNames(args),
      credentials: args.credentials,
      roleArn: args.handover?.roleArn,
      times: handoverTimes(args.handover ?? {}),
      parts: handoverDependencies(),
    });
  }

  private giveRight(
    active: string,
    target: ManagedCluster,
    rested: readonly pulumi.Resource[],
    handover: Handover | undefined,
  ): aws.eks.AccessPolicyAssociation {
    const group = this.shared ? 'shared' : active;
    const name = `${this.name}-${target.name}-writer`;
    const hooks = handover?.beforeRight(target, name);
    const right = targetRight(
      name,
      {
        target: target.ref,
        roleArn: this.identities[group]!.role.arn,
        rights: 'write',
        namespaces: this.args.targetNamespaces,
      },
      {
        parent: this,
        // What all share is not handed over.
        dependsOn: [...this.accessOf.get(`${group} ${target.name}`)!.ready, ...(this.shared ? [] : rested)],
        ...(hooks && { hooks }),
      },
    );
    const { clusterName, policyArn } = right;
    handover?.gives(
      target,
      pulumi.all([clusterName, policyArn]).apply((names) => ({ clusterName: names[0], policyArn: names[1] })),
    );
    return right;
  }

  private install(hub: HubCluster, managed: readonly ManagedCluster[], place: HubPlace): InstalledHub {
    const { name, args, namespace, shared } = this;
    const { handover, standby, after } = place;
    const { kubernetes, cluster } = hub;
    const release = this.installArgoCd(hub, managed, place);
    const group = shared ? 'shared' : hub.slot;
    const access = managed.flatMap((target) => this.accessOf.get(`${group} ${target.name}`)!.ready);
    const duty = standby ? 'standby' : 'writer';
    const duties =
      handover && new HubRoleObjects({ hub: name, cluster: hub, namespace, duty, handover, parent: this });
    const asked = duties ? [duties.asked([release, ...after])] : [];
    const chart = new Chart(new App(), 'argocd');
    new HubObjects(chart, 'hub', {
      ...objectProps(args, managed, namespace),
      standby,
      token: (value) => outputToken(chart, value),
    });
    const objects = new Manifests(
      `${name}-${hub.slot}-gitops`,
      { chart, deletedWith: cluster },
      { parent: this, provider: kubernetes, dependsOn: [release, ...access, ...after, ...asked] },
    );
    const addons = addonManifests(
      `${name}-${hub.slot}-addons`,
      { ...args, steps: args.addonSteps },
      { namespace, standby, parent: this, provider: kubernetes, cluster, dependsOn: objects.resources },
    );
    const told = [...objects.resources, ...(addons?.resources ?? [])];
    const done = duties ? [duties.done([...asked, ...told])] : [];
    return { active: !standby, release, objects, addons, kubernetes, ready: [release, ...told, ...done] };
  }

  private installArgoCd(
    hub: HubCluster,
    managed: readonly ManagedCluster[],
    { standby, after }: HubPlace,
  ): k8s.helm.v3.Release {
    const { name, args, namespace, shared } = this;
    const { ref, kubernetes, cluster } = hub;
    const identity = this.identities[hub.slot] ?? this.identities.shared!;
    const argoCd = argoCdAddon(namespace, installationOf(args, managed.length), {
      idle: standby && shared,
      // People hear of an Application once, from the hub that writes.
      silent: standby && args.notifications !== undefined,
      progressiveSyncs: stepsThroughApplications(args),
    });
    const installed = installAddons([argoCd], {
      name: `${name}-${hub.slot}`,
      clusterName: ref.clusterName,
      clusterArn: ref.clusterArn,
      region: ref.region,
      vpcId: ref.vpcId,
      autoMode: false,
      kubernetes,
      cluster,
      parent: this,
      // A pod gets its role when it starts: the association must be there by then. With one role for all, nothing else
      // keeps a second Argo CD from writing than that it starts when the first one has stopped.
      dependsOn: [...hub.ready, ...identity.associations, ...(shared ? after : [])],
    });
    return installed.argocd!.resources[0] as k8s.helm.v3.Release;
  }
}

/** Which part a hub has. */
interface HubPlace {
  readonly handover: Handover | undefined;
  readonly standby: boolean;
  /** What has to be there before this one may do its duty. */
  readonly after: readonly pulumi.Resource[];
}
