import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { policyOf, policyStatement } from '../../core/aws/iam';
import type { PolicyDocument, PolicyStatement } from '../../core/aws/iam';
import { iamPolicyArn } from '../../core/aws/identifiers';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import { opaque, rawArgs, refuseArguments } from '../../core/validation/arguments';
import { across, list, object, optional } from '../../core/validation/collections';
import type { Entries, Schema } from '../../core/validation/schema';
import { following, later, text } from '../../core/validation/values';
import { withAwsSettings } from '../aws-settings';
import { awsTags, input, plainList } from '../input-schemas';
import type { AddonTarget } from './addon';

/** A Kubernetes service account. */
export interface ServiceAccountRef {
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
}

/** A Kubernetes service account. */
export const serviceAccountRef: Schema<ServiceAccountRef> = object<ServiceAccountRef>({
  namespace: following(dnsLabel),
  name: following(dnsSubdomain),
});

/**
 * Who may use a role by EKS Pod Identity: the named service accounts of the named clusters, by the session tags
 * that EKS sends with each request. Without these conditions an association on any cluster of the account could
 * hand the role out.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html
 */
export function podIdentityTrust(
  clusterArn: string | readonly string[],
  serviceAccounts: readonly ServiceAccountRef[],
): PolicyDocument {
  return policyOf([
    {
      Sid: 'PodIdentity',
      Effect: 'Allow',
      Principal: { Service: 'pods.eks.amazonaws.com' },
      Action: ['sts:AssumeRole', 'sts:TagSession'],
      Condition: {
        StringEquals: {
          'aws:RequestTag/eks-cluster-arn':
            typeof clusterArn === 'string' ? clusterArn : distinct(clusterArn),
          'aws:RequestTag/kubernetes-namespace': distinct(serviceAccounts.map(({ namespace }) => namespace)),
          'aws:RequestTag/kubernetes-service-account': distinct(serviceAccounts.map(({ name }) => name)),
        },
      },
    },
  ]);
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** What a `PodIdentityRole` is for. */
export interface PodIdentityRoleArgs {
  /** Name of the EKS cluster. */
  readonly clusterName: pulumi.Input<string>;
  /** ARN of the EKS cluster. */
  readonly clusterArn: pulumi.Input<string>;
  /** Whose pods get the role: at least one. */
  readonly serviceAccounts: readonly ServiceAccountRef[];
  /** What the role may do. @default - what `policyArns` say */
  readonly policy?: pulumi.Input<PolicyDocument>;
  /** ARNs of managed policies. @default - none */
  readonly policyArns?: readonly pulumi.Input<string>[];
  /** AWS tags of the role and its associations. @default - those of the parent */
  readonly tags?: Readonly<Record<string, string>>;
  /** ARN of the role's permissions boundary. @default - that of the parent */
  readonly permissionsBoundaryArn?: pulumi.Input<string>;
  /** Arguments of the IAM role laid over ours, say `path`. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /** Arguments of every association laid over ours. @default - none */
  readonly associationArgs?: Partial<aws.eks.PodIdentityAssociationArgs>;
}

/** A schema for each argument of a role that its service accounts and its policies say nothing of. */
export const podRoleEntries: Entries<Omit<PodIdentityRoleArgs, 'serviceAccounts' | 'policy' | 'policyArns'>> =
  {
    clusterName: later(text('the name of the EKS cluster')),
    clusterArn: later(text('the ARN of the EKS cluster')),
    tags: optional(awsTags),
    permissionsBoundaryArn: optional(input(iamPolicyArn)),
    roleArgs: optional(rawArgs),
    associationArgs: optional(rawArgs),
  };

const podIdentityRoleArgs = object<PodIdentityRoleArgs>({
  ...podRoleEntries,
  serviceAccounts: list(serviceAccountRef, 1, 'at least one service account'),
  policy: optional(later(opaque('a policy'))),
  policyArns: optional(plainList(input(iamPolicyArn))),
});

/**
 * Longest name that Pulumi can make an IAM role's name of: IAM takes 64 characters, and Pulumi adds "-" and
 * seven digits. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
const longestName = 64 - 8;

/** Longest `namePrefix`: the AWS provider adds 26 characters. */
const longestPrefix = 64 - 26;

/**
 * An IAM role that pods of a cluster get by EKS Pod Identity: the role, trusted for these service accounts of
 * this cluster alone, its policy, and an association for each service account. The nodes need the Pod Identity
 * agent (on Auto Mode it is there).
 */
export class PodIdentityRole extends pulumi.ComponentResource {
  /** The IAM role. */
  public readonly role: aws.iam.Role;
  /** Its policy, where it has one of its own. */
  public readonly policy?: aws.iam.RolePolicy;
  /** Its managed policies, in their order. */
  public readonly attachments: readonly aws.iam.RolePolicyAttachment[];
  /** The associations, in the order of the service accounts. */
  public readonly associations: readonly aws.eks.PodIdentityAssociation[];

  /** @throws InvalidInput for no service account, for one that Kubernetes would refuse, and for a role without rights */
  public constructor(name: string, args: PodIdentityRoleArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseArguments(`PodIdentityRole "${name}"`, podIdentityRoleArgs, args, ({ policy, policyArns = [] }) =>
      policy === undefined && policyArns.length === 0
        ? [{ path: 'policy', kind: 'required', allowed: 'a policy, unless policyArns names one' }]
        : [],
    );
    super('cluster-canary:addons:PodIdentityRole', name, {}, withAwsSettings(opts, args));
    this.role = new aws.iam.Role(
      name,
      {
        assumeRolePolicy: pulumi
          .output(args.clusterArn)
          .apply((arn) => JSON.stringify(podIdentityTrust(arn, args.serviceAccounts))),
        ...(name.length > longestName ? { namePrefix: `${name.slice(0, longestPrefix - 1)}-` } : {}),
        ...args.roleArgs,
      },
      { parent: this },
    );
    this.policy =
      args.policy &&
      new aws.iam.RolePolicy(
        `${name}-policy`,
        { role: this.role.id, policy: pulumi.output(args.policy).apply((policy) => JSON.stringify(policy)) },
        { parent: this },
      );
    this.attachments = (args.policyArns ?? []).map(
      (policyArn, position) =>
        new aws.iam.RolePolicyAttachment(
          `${name}-policy-${position}`,
          { role: this.role.name, policyArn },
          { parent: this },
        ),
    );
    const rights = [...(this.policy ? [this.policy] : []), ...this.attachments];
    this.associations = args.serviceAccounts.map(
      (account) =>
        new aws.eks.PodIdentityAssociation(
          `${name}-${account.namespace}-${account.name}`,
          {
            clusterName: args.clusterName,
            namespace: account.namespace,
            serviceAccount: account.name,
            roleArn: this.role.arn,
            ...args.associationArgs,
          },
          // A pod that got the role before its policy would be denied at first.
          { parent: this, dependsOn: rights },
        ),
    );
    this.registerOutputs({});
  }
}

/** An IAM role for pods of an add-on, by EKS Pod Identity on its cluster alone. */
export interface AddonIdentity {
  /** Names of the service accounts whose pods get the role: at least one. */
  readonly serviceAccounts: readonly string[];
  /** Namespace of the service accounts. @default - the release's; `kube-system` for EKS's own add-ons */
  readonly namespace?: string;
  /** What the role may do. @default - what `policyArns` say */
  readonly statements?: readonly PolicyStatement[];
  /** ARNs of managed policies. @default - none */
  readonly policyArns?: readonly pulumi.Input<string>[];
  /** Arguments of the IAM role laid over ours. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
}

/** An IAM role for pods of an add-on. */
export const addonIdentity: Schema<AddonIdentity> = across(
  object<AddonIdentity>({
    serviceAccounts: list<string>(following(dnsSubdomain), 1, 'at least one service account'),
    namespace: optional(following(dnsLabel)),
    statements: optional(list(policyStatement)),
    policyArns: optional(plainList(input(iamPolicyArn))),
    roleArgs: optional(rawArgs),
  }),
  ({ statements = [], policyArns = [] }, { mustBeSecretly }) => {
    if ([statements, policyArns].every((each) => Array.isArray(each) && each.length === 0)) {
      mustBeSecretly(['statements'], 'at least one statement, unless policyArns names a policy');
    }
  },
);

/** Registers the role of an identity. A pod gets it when it starts: let its workload depend on the associations. */
export function identityRole(
  name: string,
  namespace: string,
  identity: AddonIdentity,
  target: AddonTarget,
): PodIdentityRole {
  const { statements = [] } = identity;
  return new PodIdentityRole(
    name,
    {
      clusterName: target.clusterName,
      clusterArn: target.clusterArn,
      serviceAccounts: identity.serviceAccounts.map((account) => ({
        namespace: identity.namespace ?? namespace,
        name: account,
      })),
      ...(statements.length === 0 ? {} : { policy: policyOf(statements) }),
      policyArns: identity.policyArns,
      roleArgs: identity.roleArgs,
    },
    { parent: target.parent },
  );
}
