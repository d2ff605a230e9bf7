import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { iamRoleArn, parseClusterArn } from '../../core/aws/arns';
import { securityGroupId } from '../../core/aws/identifiers';
import { opaque, rawArgs, refuseArguments } from '../../core/validation/arguments';
import { across, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { flag, following, later, text } from '../../core/validation/values';
import { podIdentityTrust } from '../addons';
import type { SlotRef } from '../fleet';
import { childDependencies } from '../hooks';
import { input, inputsByName, plainList } from '../input-schemas';
import { clusterServiceAccounts } from './argo-cd/chart';
import type { HubCluster } from './clusters';

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

const someCluster = across<HubCluster>(opaque('a cluster of a hub'), ({ ref }, { mustBeSecretly }) => {
  if (!pulumi.Output.isInstance(ref)) {
    mustBeSecretly(['ref'], 'an Output of the SlotRef of a slot');
  }
});

const hubIdentityArgs = object<HubIdentityArgs>({
  hub: text('the name of the hub'),
  clusters: plainList<HubCluster>(someCluster, 'a list of clusters of a hub'),
  namespace: following(dnsLabel),
  roleArgs: optional(rawArgs),
});

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
    refuseArguments(`HubIdentity "${name}"`, hubIdentityArgs, args);
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

/** What an Argo CD may do in a cluster that it manages. */
export type TargetRights = 'write' | 'read';

/**
 * The EKS access policies behind the rights. The view policy includes Secrets, which Argo CD has to compare.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html
 */
const accessPolicies: Readonly<Record<TargetRights, string>> = {
  write: 'AmazonEKSClusterAdminPolicy',
  read: 'AmazonEKSAdminViewPolicy',
};

/** A right of an Argo CD in a managed cluster. */
export interface TargetRightArgs {
  /** The managed cluster. */
  readonly target: pulumi.Output<SlotRef>;
  /** IAM role of the Argo CD. */
  readonly roleArn: pulumi.Input<string>;
  /** What that Argo CD may do. */
  readonly rights: TargetRights;
  /** Namespaces that the rights are limited to. @default - the whole cluster */
  readonly namespaces?: readonly string[];
}

/**
 * Gives an Argo CD a right in a cluster. Where the role changes, the old one has lost the right before the new one gets it:
 * two never have it, and an interruption in between leaves none.
 */
export function targetRight(
  name: string,
  { target, roleArn, rights, namespaces }: TargetRightArgs,
  opts: pulumi.CustomResourceOptions,
): aws.eks.AccessPolicyAssociation {
  return new aws.eks.AccessPolicyAssociation(
    name,
    {
      clusterName: target.clusterName,
      principalArn: roleArn,
      policyArn: target.clusterArn.apply(
        (arn) =>
          `arn:${parseClusterArn(arn).partition}:eks::aws:cluster-access-policy/${accessPolicies[rights]}`,
      ),
      accessScope: namespaces ? { type: 'namespace', namespaces: [...namespaces] } : { type: 'cluster' },
    },
    { ...opts, deleteBeforeReplace: true },
  );
}

/** What `TargetAccess` takes. */
export interface TargetAccessArgs extends Omit<TargetRightArgs, 'rights'> {
  /**
   * Whether the Argo CD may read in the cluster, whoever writes there.
   * @default true
   */
  readonly readable?: boolean;
  /** Security groups whose members may reach the target's API server from inside the VPC. */
  readonly fromSecurityGroupIds: Readonly<Record<string, pulumi.Input<string>>>;
}

const targetAccessArgs = object<TargetAccessArgs>({
  readable: optional(flag),
  fromSecurityGroupIds: inputsByName(securityGroupId),
  target: later(opaque('the SlotRef of a slot')),
  roleArn: input(iamRoleArn),
  namespaces: optional(plainList<string>(following(dnsLabel))),
});

/**
 * Lets an Argo CD into a cluster: an access entry, the right to read, and the way to a private endpoint. The right to write
 * is none of its own: in each cluster there is one, which goes from hub to hub.
 */
export class TargetAccess extends pulumi.ComponentResource {
  /** The access entry. */
  public readonly entry: aws.eks.AccessEntry;
  /** The right to read. */
  public readonly view?: aws.eks.AccessPolicyAssociation;
  /** The security group rules, by the name of the hub slot that they let in. */
  public readonly ingress: Readonly<Record<string, aws.vpc.SecurityGroupIngressRule>>;

  public constructor(name: string, args: TargetAccessArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseArguments(`TargetAccess "${name}"`, targetAccessArgs, args);
    super('cluster-canary:hubs:TargetAccess', name, {}, opts);
    const { readable = true } = args;
    const target = pulumi.output(args.target);
    this.entry = new aws.eks.AccessEntry(
      `${name}-entry`,
      { clusterName: target.clusterName, principalArn: args.roleArn, type: 'STANDARD' },
      { parent: this, dependsOn: childDependencies(opts) },
    );
    if (readable) {
      this.view = targetRight(
        `${name}-view`,
        { ...args, target, rights: 'read' },
        { parent: this, dependsOn: [this.entry] },
      );
    }
    this.ingress = Object.fromEntries(
      Object.entries(args.fromSecurityGroupIds).map(([from, securityGroupId]) => [
        from,
        new aws.vpc.SecurityGroupIngressRule(
          `${name}-from-${from}`,
          {
            description: `Argo CD on ${from}`,
            securityGroupId: target.clusterSecurityGroupId,
            referencedSecurityGroupId: securityGroupId,
            ipProtocol: 'tcp',
            fromPort: 443,
            toPort: 443,
          },
          { parent: this, dependsOn: childDependencies(opts) },
        ),
      ]),
    );
    this.registerOutputs({});
  }

  /** What has to be there before Argo CD can log in and read. */
  public get ready(): readonly pulumi.Resource[] {
    return this.view ? [this.entry, this.view] : [this.entry];
  }
}
