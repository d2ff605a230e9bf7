import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { withAwsSettings } from '../aws-settings';
import { Manifests, outputToken } from '../bridge';
import { fleetRef } from '../fleet';
import { TargetAccess, targetRight } from './access';
import { addonManifests } from './addons';
import { hubCluster } from './clusters';
import type { HubAddress, HubCluster, ManagedCluster } from './clusters';
import { hubSettings } from './hub-args';
import { ManagedArgoCdObjects, checkManagedArgoCd } from './managed-argo-cd-args';
import type { ManagedArgoCdArgs, ManagedArgoCdPeople } from './managed-argo-cd-args';

/**
 * Who may take the capability's role: the service alone. It has no policy; what it may do in a cluster is said by the
 * cluster's access entry.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/capability-role.html
 */
const trust = {
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'EksCapability',
      Effect: 'Allow',
      Principal: { Service: 'capabilities.eks.amazonaws.com' },
      Action: ['sts:AssumeRole', 'sts:TagSession'],
    },
  ],
};

/**
 * The managed Argo CD of EKS instead of the chart: it runs at AWS and not on nodes. Projects, repositories and ApplicationSets
 * are those of an `ArgoCdHub`, and every slot of the managed fleets is registered by its ARN. EKS finds the way to private
 * endpoints by itself.
 *
 * What it lacks is refused before anything is registered: config management plugins, notifications, custom health checks,
 * other logins than AWS Identity Center, settings of Argo CD itself, and strategies that need one.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd.html
 *
 * @example
 * new hubs.ManagedArgoCd('hub', {
 *   fleet: hubFleet,
 *   manages: [apps],
 *   identityCenter: { instanceArn: 'arn:aws:sso:::instance/ssoins-1234567890abcdef' },
 *   people: { admins: { groups: ['11112222-3333-4444-5555-666677778888'] } },
 *   projects: [{ name: 'apps', sourceRepos: [config], destinations: argocd.fleetDestinations([apps.ref], ['podinfo']) }],
 *   applicationSets: [podinfo],
 * });
 */
export class ManagedArgoCd<const Slot extends string = string> extends pulumi.ComponentResource {
  /** Where its Applications are asked for. */
  public readonly address: HubAddress;
  /** The capability. */
  public readonly capability: aws.eks.Capability;
  /** The role with which it logs in to the clusters. */
  public readonly role: aws.iam.Role;
  /** Its access entries, by the cluster's name in Argo CD. EKS makes the one of its own cluster. */
  public readonly access: Readonly<Record<string, TargetAccess>>;
  /** Its right to write, by the cluster's name in Argo CD. */
  public readonly writers: Readonly<Record<string, aws.eks.AccessPolicyAssociation>>;
  /** Projects, repositories, cluster Secrets and ApplicationSets. */
  public readonly objects: Manifests;
  /** What lets it deliver add-ons of the managed fleets, where it delivers any. */
  public readonly addons?: Manifests;
  /** URL of Argo CD's server. */
  public readonly serverUrl: pulumi.Output<string | undefined>;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(
    name: string,
    args: ManagedArgoCdArgs<Slot>,
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    const managed = checkManagedArgoCd(name, args);
    super('cluster-canary:hubs:ManagedArgoCd', name, {}, withAwsSettings(opts, hubSettings(name, args)));
    const { fleet: source, credentials } = args;
    const slot = args.slot ?? Object.keys(fleetRef(source).slots)[0]!;
    const hub = hubCluster(name, slot, { source, credentials, parent: this });
    const namespace = args.namespace ?? 'argocd';
    this.address = { kubeconfig: hub.kubeconfig, namespace };
    this.role = new aws.iam.Role(
      name,
      {
        description: "EKS's managed Argo CD, for the clusters that it manages",
        assumeRolePolicy: JSON.stringify(trust),
        ...args.roleArgs,
      },
      { parent: this },
    );
    this.capability = this.makeCapability(name, args, hub, namespace);
    this.serverUrl = this.capability.configuration.apply((made) => made?.argoCd?.serverUrl);
    const own = `${fleetRef(source).name}-${hub.slot}`;
    this.access = Object.fromEntries(
      managed
        .filter((target) => target.name !== own)
        .map((target) => [target.name, this.letIn(name, target, args)]),
    );
    this.writers = Object.fromEntries(
      managed.map((target) => [target.name, this.giveRight(name, target, args)]),
    );
    const chart = new Chart(new App(), 'argocd');
    new ManagedArgoCdObjects(chart, 'hub', {
      args,
      clusters: managed,
      namespace,
      token: (value) => outputToken(chart, value),
    });
    this.objects = new Manifests(
      `${name}-gitops`,
      { chart, deletedWith: hub.cluster },
      {
        parent: this,
        provider: hub.kubernetes,
        dependsOn: [this.capability, ...Object.values(this.writers)],
      },
    );
    this.addons = addonManifests(`${name}-addons`, args, {
      namespace,
      sourceNamespaces: [namespace],
      standby: false,
      parent: this,
      provider: hub.kubernetes,
      cluster: hub.cluster,
      dependsOn: this.objects.resources,
    });
    this.registerOutputs({});
  }

  private makeCapability(
    name: string,
    args: ManagedArgoCdArgs,
    hub: HubCluster,
    namespace: string,
  ): aws.eks.Capability {
    const { identityCenter, vpcEndpointIds, people = {} } = args;
    return new aws.eks.Capability(
      `${name}-capability`,
      {
        clusterName: hub.ref.clusterName,
        capabilityName: args.capabilityName ?? 'argocd',
        type: 'ARGOCD',
        roleArn: this.role.arn,
        // The only policy that there is: what Argo CD deployed stays.
        deletePropagationPolicy: 'RETAIN',
        configuration: {
          argoCd: {
            namespace,
            awsIdc: { idcInstanceArn: identityCenter.instanceArn, idcRegion: identityCenter.region },
            rbacRoleMappings: [
              ...roleMapping('ADMIN', people.admins),
              ...roleMapping('EDITOR', people.editors),
              ...roleMapping('VIEWER', people.viewers),
            ],
            ...(vpcEndpointIds ? { networkAccess: { vpceIds: [...vpcEndpointIds] } } : {}),
          },
        },
        ...args.capabilityArgs,
      },
      // Its name is its identity in the cluster: EKS refuses the new one while the old one is there.
      { parent: this, dependsOn: [...hub.ready], deleteBeforeReplace: true },
    );
  }

  private letIn(name: string, target: ManagedCluster, { targetNamespaces }: ManagedArgoCdArgs): TargetAccess {
    return new TargetAccess(
      `${name}-${target.name}`,
      {
        target: target.ref,
        roleArn: this.role.arn,
        namespaces: targetNamespaces,
        readable: false,
        fromSecurityGroupIds: {},
      },
      { parent: this },
    );
  }

  private giveRight(
    name: string,
    target: ManagedCluster,
    { targetNamespaces }: ManagedArgoCdArgs,
  ): aws.eks.AccessPolicyAssociation {
    const access = this.access[target.name];
    return targetRight(
      `${name}-${target.name}-writer`,
      { target: target.ref, roleArn: this.role.arn, rights: 'write', namespaces: targetNamespaces },
      // In its own cluster the access entry comes with the capability.
      { parent: this, dependsOn: access ? [...access.ready] : [this.capability] },
    );
  }
}

function roleMapping(
  role: 'ADMIN' | 'EDITOR' | 'VIEWER',
  { groups = [], users = [] }: ManagedArgoCdPeople = {},
): { role: string; identities: { id: string; type: string }[] }[] {
  const identities = [
    ...groups.map((id) => ({ id, type: 'SSO_GROUP' })),
    ...users.map((id) => ({ id, type: 'SSO_USER' })),
  ];
  return identities.length > 0 ? [{ role, identities }] : [];
}
