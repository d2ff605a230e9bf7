import type * as aws from '@pulumi/aws';
import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { checkAddons, installAddons } from '../addons';
import { Manifests, outputToken } from '../bridge';
import type { ClusterCredentials, FleetSource } from '../fleet';
import { fleetRef } from '../fleet';
import type { AppProjectProps, ApplicationSetProps } from '../gitops';
import { dnsLabel, oneOf, Problems } from '../problems';
import { marker } from '../tokens';
import type { ArgoCdInstallation } from './argo-cd-chart';
import { argoCdAddon, argoCdChartVersion, chartVersionRule } from './argo-cd-chart';
import type { HubCluster, ManagedCluster } from './hub-clusters';
import { hubClusters, managedClusters } from './hub-clusters';
import { HubIdentity } from './hub-identity';
import type { HubCredentialTemplate, HubObjectsProps, HubRepository } from './hub-objects';
import { collectProblems, HubObjects } from './hub-objects';
import { TargetAccess } from './target-access';

/** What `ArgoCdHub` takes. */
export interface ArgoCdHubArgs extends ArgoCdInstallation {
  /** The clusters that Argo CD runs on: a fleet of this program, or plain values of another stack's. */
  readonly fleet: FleetSource;
  /**
   * The slot whose Argo CD writes. The others stand by: they compare, and may only read in the managed clusters.
   * @default - the only slot; to be named where there are several
   */
  readonly active?: string;
  /** The fleets that Argo CD manages. */
  readonly manages: readonly FleetSource[];
  /** Projects. @default - none but Argo CD's own */
  readonly projects?: readonly Omit<AppProjectProps, 'namespace'>[];
  /** Repositories. @default - none */
  readonly repositories?: readonly HubRepository[];
  /** Credentials for several repositories each. @default - none */
  readonly credentialTemplates?: readonly HubCredentialTemplate[];
  /** ApplicationSets. @default - none */
  readonly applicationSets?: readonly Omit<ApplicationSetProps, 'namespace'>[];
  /**
   * Whether each hub slot has an IAM role of its own, or all share one. With a shared role the clusters can't tell
   * the hubs apart, so a standby's controllers do not run at all.
   * @default 'perSlot' - a standby is fenced off at every managed cluster
   */
  readonly identity?: 'perSlot' | 'shared';
  /** Namespaces of the managed clusters that Argo CD is limited to. @default - everything, cluster-wide objects too */
  readonly targetNamespaces?: readonly string[];
  /**
   * How Argo CD reaches the managed clusters' API servers: by a security group rule that lets the hub's nodes in on
   * port 443, or in a way of one's own.
   * @default 'securityGroup' - needed for private endpoints in the same or a peered VPC
   */
  readonly reach?: 'securityGroup' | 'own';
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
  /** Raw arguments of the IAM roles. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /** How this program gets a token for a hub cluster of another stack. @default - the environment's */
  readonly credentials?: ClusterCredentials;
}

/** One Argo CD of the hub. */
export interface InstalledHub {
  /** Whether this one writes. */
  readonly active: boolean;
  /** The Helm release. */
  readonly release: k8s.helm.v3.Release;
  /** Projects, repositories, cluster Secrets and ApplicationSets. */
  readonly objects: Manifests;
  /** Provider of the cluster that it runs on. */
  readonly kubernetes: k8s.Provider;
}

/**
 * Argo CD with its ApplicationSet controller on every slot of a hub fleet, with every slot of the managed fleets
 * registered. Exactly one of them writes.
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
export class ArgoCdHub extends pulumi.ComponentResource {
  /** The Argo CDs by hub slot. */
  public readonly slots: Readonly<Record<string, InstalledHub>>;
  /** Their IAM identities: one by hub slot, or one called `shared`. */
  public readonly identities: Readonly<Record<string, HubIdentity>>;
  /** Their way into the managed clusters. */
  public readonly access: readonly TargetAccess[];

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: ArgoCdHubArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const managed = check(name, args);
    super('cluster-canary:hubs:ArgoCdHub', name, {}, opts);
    const clusters = hubClusters(name, args.fleet, args.credentials, this);
    const active = args.active ?? clusters[0]!.slot;
    const namespace = args.namespace ?? 'argocd';
    const shared = args.identity === 'shared';

    const groups: Record<string, HubCluster[]> = shared
      ? { shared: clusters }
      : Object.fromEntries(clusters.map((each) => [each.slot, [each]]));
    this.identities = Object.fromEntries(
      Object.entries(groups).map(([group, members]) => [
        group,
        new HubIdentity(
          `${name}-${group}`,
          { hub: name, clusters: members, namespace, roleArgs: args.roleArgs },
          { parent: this },
        ),
      ]),
    );
    const letIn = (group: string, target: ManagedCluster, before: readonly TargetAccess[]): TargetAccess =>
      new TargetAccess(
        shared ? `${name}-${target.name}` : `${name}-${group}-${target.name}`,
        {
          target: target.ref,
          roleArn: this.identities[group]!.role.arn,
          rights: shared || group === active ? 'write' : 'read',
          namespaces: args.targetNamespaces,
          fromSecurityGroupIds:
            args.reach === 'own'
              ? {}
              : Object.fromEntries(
                  groups[group]!.map(({ slot, ref }) => [`${name}-${slot}`, ref.nodeSecurityGroupId]),
                ),
        },
        { parent: this, dependsOn: before.map(({ policy }) => policy) },
      );
    const writer = shared ? 'shared' : active;
    this.access = managed.flatMap((target) => {
      // When another hub becomes active, the one before loses its rights first.
      const readers = Object.keys(groups)
        .filter((group) => group !== writer)
        .map((group) => letIn(group, target, []));
      return [...readers, letIn(writer, target, readers)];
    });
    this.slots = Object.fromEntries(
      clusters.map((cluster) => [
        cluster.slot,
        this.install(name, args, cluster, managed, namespace, active),
      ]),
    );
    this.registerOutputs({});
  }

  private install(
    name: string,
    args: ArgoCdHubArgs,
    hub: HubCluster,
    managed: readonly ManagedCluster[],
    namespace: string,
    active: string,
  ): InstalledHub {
    const { ref, kubernetes, cluster } = hub;
    const identity = this.identities[hub.slot] ?? this.identities.shared!;
    const standby = hub.slot !== active;
    const argoCd = argoCdAddon(namespace, args, {
      idle: standby && args.identity === 'shared',
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
      // A pod gets its role when it starts: the association must be there by then.
      dependsOn: [...hub.ready, ...identity.associations],
    });
    const release = installed.argocd!.resources[0] as k8s.helm.v3.Release;
    const chart = new Chart(new App(), 'argocd');
    new HubObjects(chart, 'hub', {
      ...objectProps(args, managed, namespace),
      standby,
      token: (value) => outputToken(chart, value),
    });
    const objects = new Manifests(
      `${name}-${hub.slot}-gitops`,
      { chart, deletedWith: cluster },
      {
        parent: this,
        provider: kubernetes,
        dependsOn: [release, ...this.access.map(({ policy }) => policy)],
      },
    );
    return { active: !standby, release, objects, kubernetes };
  }
}

function objectProps(
  args: ArgoCdHubArgs,
  clusters: readonly ManagedCluster[],
  namespace: string,
): Omit<HubObjectsProps, 'standby' | 'token'> {
  return {
    namespace,
    clusters,
    projects: args.projects ?? [],
    repositories: args.repositories ?? [],
    credentialTemplates: args.credentialTemplates ?? [],
    applicationSets: args.applicationSets ?? [],
    targetNamespaces: args.targetNamespaces,
  };
}

/** Whether an ApplicationSet has a strategy that the controller only follows when it is told to. */
function stepsThroughApplications({ applicationSets = [] }: ArgoCdHubArgs): boolean {
  return applicationSets.some(({ strategy }) => strategy?.type === 'RollingSync');
}

/** Everything that can be judged before anything is registered; answers the managed clusters. */
function check(name: string, args: ArgoCdHubArgs): ManagedCluster[] {
  const problems = new Problems(`ArgoCdHub "${name}"`);
  const namespace = args.namespace ?? 'argocd';
  problems.check('name', name, dnsLabel);
  problems.check('namespace', namespace, dnsLabel);
  problems.check('chartVersion', args.chartVersion ?? argoCdChartVersion, chartVersionRule);
  problems.check('identity', args.identity ?? 'perSlot', oneOf('perSlot', 'shared'));
  problems.check('reach', args.reach ?? 'securityGroup', oneOf('securityGroup', 'own'));
  const slots = Object.keys(fleetRef(args.fleet).slots);
  if (slots.length > 1 || args.active !== undefined) {
    problems.check('active', args.active, oneOf(...slots));
  }
  const fleets = args.manages.map(fleetRef);
  const names = fleets.map((fleet) => fleet.name);
  names.forEach((fleet, index) => {
    if (names.indexOf(fleet) !== index) {
      problems.add(
        `manages[${index}]`,
        fleet,
        `a fleet of its own: manages[${names.indexOf(fleet)}] is it, too`,
      );
    }
  });
  const managed = managedClusters(fleets);
  // A wrong namespace is one problem, not one of every object.
  const within = dnsLabel.accepts(namespace) ? namespace : 'argocd';
  problems.addAll(checkAddons([argoCdAddon(within, args, { idle: false, progressiveSyncs: false })]));
  const chart = new Chart(new App(), 'check');
  // Outputs have no values yet; a marker stands for each, and what is no output stays what it is.
  const token = <T>(value: pulumi.Input<T>): T =>
    (pulumi.Output.isInstance(value) || value instanceof Promise ? marker(0) : value) as T;
  collectProblems(problems, '', () => {
    new HubObjects(chart, 'hub', { ...objectProps(args, managed, within), standby: false, token });
  });
  problems.throwIfAny();
  return managed;
}
