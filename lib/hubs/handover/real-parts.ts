import type { EKS } from '@aws-sdk/client-eks';
import { askAws, awsClients, AwsError, everyPage, withList } from '../../aws';
import { kubeconfig } from '../../fleet';
import { openKubernetes } from '../../kubernetes';
import { steadyClock } from '../../shift';
import { hubApplications } from './hub-application';
import type { ClusterRights, HandoverParts } from './parts';

/** AWS, the hubs' API servers and the real time. */
export function realParts(): HandoverParts {
  return {
    hub: async (slot, { namespace, roleArn, profile }) => {
      const text = JSON.stringify(kubeconfig({ ...slot, roleArn, profile }));
      const api = await openKubernetes({ kubeconfigText: text });
      const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };
      return {
        applications: async (signal) => hubApplications(await api.list(kind, { namespace, signal })),
        close: () => api.close(),
      };
    },
    rights: clusterRights,
    clock: steadyClock(),
    every: 5_000,
  };
}

function clusterRights(access: { readonly region: string; readonly roleArn?: string }): ClusterRights {
  const clients = awsClients(access);
  const ask = async <Answer>(
    action: string,
    clusterName: string,
    otherwise: Answer,
    call: (eks: EKS) => Promise<Answer>,
  ): Promise<Answer> => {
    const eks = await clients.eks();
    try {
      return await askAws(
        { action: `eks:${action}`, subject: `EKS cluster ${clusterName}`, region: access.region },
        () => call(eks),
      );
    } catch (error) {
      if (error instanceof AwsError && error.failure.kind === 'notFound') {
        return otherwise;
      }
      throw error;
    }
  };
  return {
    policies: (clusterName, principalArn, abortSignal) =>
      ask<readonly string[]>('ListAssociatedAccessPolicies', clusterName, [], async (eks) => {
        const call = { action: 'eks:ListAssociatedAccessPolicies', subject: `EKS cluster ${clusterName}` };
        return everyPage(call, async (nextToken) => {
          const page = await withList(
            'associatedAccessPolicies',
            eks.listAssociatedAccessPolicies({ clusterName, principalArn, nextToken }, { abortSignal }),
          );
          const items = page.associatedAccessPolicies.flatMap(({ policyArn }) => policyArn ?? []);
          return { items, next: page.nextToken };
        });
      }),
    give: async ({ clusterName, roleArn: principalArn, policyArn, namespaces }, abortSignal) => {
      const eks = await clients.eks();
      const accessScope = namespaces
        ? { type: 'namespace' as const, namespaces: [...namespaces] }
        : { type: 'cluster' as const };
      await askAws(
        { action: 'eks:AssociateAccessPolicy', subject: `EKS cluster ${clusterName}`, region: access.region },
        () =>
          eks.associateAccessPolicy({ clusterName, principalArn, policyArn, accessScope }, { abortSignal }),
      );
    },
    takeAway: (clusterName, principalArn, policyArn, abortSignal) =>
      ask('DisassociateAccessPolicy', clusterName, undefined, async (eks) => {
        await eks.disassociateAccessPolicy({ clusterName, principalArn, policyArn }, { abortSignal });
      }),
    close: () => clients.close(),
  };
}
