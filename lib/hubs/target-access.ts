import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { parseClusterArn } from '../addons';
import { childDependencies } from '../bridge';
import type { SlotRef } from '../fleet';

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

/** What `TargetAccess` takes. */
export interface TargetAccessArgs {
  /** The managed cluster. */
  readonly target: pulumi.Output<SlotRef>;
  /** IAM role of the Argo CD that manages it. */
  readonly roleArn: pulumi.Input<string>;
  /** What that Argo CD may do. */
  readonly rights: TargetRights;
  /** Namespaces that the rights are limited to. @default - the whole cluster */
  readonly namespaces?: readonly string[];
  /** Security groups whose members may reach the target's API server from inside the VPC. */
  readonly fromSecurityGroupIds: Readonly<Record<string, pulumi.Input<string>>>;
}

/** Lets an Argo CD into a cluster: an access entry with a policy, and the way to a private endpoint. */
export class TargetAccess extends pulumi.ComponentResource {
  /** The access entry. */
  public readonly entry: aws.eks.AccessEntry;
  /** The entry's policy. */
  public readonly policy: aws.eks.AccessPolicyAssociation;
  /** The security group rules, by the name of the hub slot that they let in. */
  public readonly ingress: Readonly<Record<string, aws.vpc.SecurityGroupIngressRule>>;

  public constructor(name: string, args: TargetAccessArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super('cluster-canary:hubs:TargetAccess', name, {}, opts);
    const { target, namespaces } = args;
    this.entry = new aws.eks.AccessEntry(
      `${name}-entry`,
      { clusterName: target.clusterName, principalArn: args.roleArn, type: 'STANDARD' },
      { parent: this },
    );
    this.policy = new aws.eks.AccessPolicyAssociation(
      `${name}-policy`,
      {
        clusterName: target.clusterName,
        principalArn: args.roleArn,
        policyArn: target.clusterArn.apply(
          (arn) =>
            `arn:${parseClusterArn(arn).partition}:eks::aws:cluster-access-policy/${accessPolicies[args.rights]}`,
        ),
        accessScope: namespaces ? { type: 'namespace', namespaces: [...namespaces] } : { type: 'cluster' },
      },
      // The old rights end before the new ones begin.
      { parent: this, dependsOn: childDependencies(opts, [this.entry]), deleteBeforeReplace: true },
    );
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
          { parent: this },
        ),
      ]),
    );
    this.registerOutputs({});
  }
}
