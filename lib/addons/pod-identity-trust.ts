import type { OptionsOf } from '../problems';
import type { PolicyDocument } from './iam-policy';
import { policyOf } from './iam-policy';

/** A Kubernetes service account. */
export interface ServiceAccountRef {
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
}

/** Keys of `ServiceAccountRef`. */
export const serviceAccountRefKeys: OptionsOf<ServiceAccountRef> = { namespace: 'plain', name: 'plain' };

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
