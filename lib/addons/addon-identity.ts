import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { AddonTarget } from './addon';
import type { PolicyStatement } from './iam-policy';
import { policyOf, policyStatementKeys } from './iam-policy';
import { PodIdentityRole } from './pod-identity-role';
import { iamPolicyArn } from '../aws';
import { checkInputs } from '../bridge';
import type { Problem, OptionsOf } from '../problems';
import { dnsLabel, dnsSubdomain, Problems, listOf } from '../problems';

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

export const addonIdentityKeys: OptionsOf<AddonIdentity> = {
  serviceAccounts: 'list',
  namespace: 'plain',
  statements: listOf(policyStatementKeys),
  policyArns: listOf('open'),
  roleArgs: 'open',
};

/** What is wrong with an identity, with paths below `path`. */
export function identityProblems(path: string, identity: AddonIdentity): readonly Problem[] {
  const problems = new Problems(path);
  const { serviceAccounts, namespace, statements = [], policyArns = [] } = identity;
  if (!Array.isArray(serviceAccounts) || serviceAccounts.length === 0) {
    problems.add(`${path}.serviceAccounts`, serviceAccounts, 'at least one service account');
  } else {
    serviceAccounts.forEach((account, position) =>
      problems.check(`${path}.serviceAccounts[${position}]`, account, dnsSubdomain),
    );
  }
  if (namespace !== undefined) {
    problems.check(`${path}.namespace`, namespace, dnsLabel);
  }
  checkInputs(problems, `${path}.policyArns`, policyArns, iamPolicyArn);
  if (statements.length + policyArns.length === 0) {
    problems.add(
      `${path}.statements`,
      statements,
      'at least one statement, unless policyArns names a policy',
    );
  }
  return problems.all;
}

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
