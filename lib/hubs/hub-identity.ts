import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { podIdentityTrust } from '../addons';
import type { OptionsOf } from '../problems';
import { refuseOptions, listOf } from '../problems';
import { clusterServiceAccounts } from './argo-cd-chart';
import type { HubCluster } from './hub-clusters';

/** What `HubIdentity` takes. */
export interface HubIdentityArgs {
  /** Name of the hub, for the names of associations. */
  readonly hub: string;
  /** Clusters whose Argo CD has the identity. */
  readonly clusters: readonly HubCluster[];
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** Raw arguments of the role. */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
}

const hubIdentityArgsKeys: OptionsOf<HubIdentityArgs> = {
  hub: 'plain',
  clusters: listOf('open'),
  namespace: 'plain',
  roleArgs: 'open',
};

/**
 * The IAM role with which Argo CD's controllers and server log in to the clusters that they manage. What it may do
 * there is said by each cluster's access entry; in IAM it needs no rights at all, since a login is a signed request
 * that EKS verifies.
 */
export class HubIdentity extends pulumi.ComponentResource {
  /** The role. */
  public readonly role: aws.iam.Role;
  /** Which service accounts of which clusters get it. */
  public readonly associations: readonly aws.eks.PodIdentityAssociation[];

  public constructor(name: string, args: HubIdentityArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseOptions(`HubIdentity "${name}"`, args, hubIdentityArgsKeys);
    super('cluster-canary:hubs:HubIdentity', name, {}, opts);
    const { clusters, namespace } = args;
    const accounts = clusterServiceAccounts.map((account) => ({ namespace, name: account }));
    this.role = new aws.iam.Role(
      name,
      {
        description: 'Argo CD, for the clusters that it manages',
        assumeRolePolicy: pulumi
          .all(clusters.map(({ ref }) => ref.clusterArn))
          .apply((arns) => JSON.stringify(podIdentityTrust(arns, accounts))),
        ...args.roleArgs,
      },
      { parent: this },
    );
    this.associations = clusters.flatMap((cluster) =>
      accounts.map(
        (account) =>
          new aws.eks.PodIdentityAssociation(
            `${args.hub}-${cluster.slot}-${account.name}`,
            {
              clusterName: cluster.ref.clusterName,
              namespace,
              serviceAccount: account.name,
              roleArn: this.role.arn,
            },
            // After the cluster alone, which its name stands for: it takes seconds until EKS gives the role, and a pod
            // that started before has none.
            { parent: this },
          ),
      ),
    );
    this.registerOutputs({});
  }
}
