import * as eks from '@aws-sdk/client-eks';
import type { ResourceKind } from '../resource-kind';

/** Access entries and their policies, where the test has an EKS that knows them: moto does not. */
export function accessEntries(client: eks.EKSClient): Record<string, ResourceKind> {
  return {
    'aws:eks/accessEntry:AccessEntry': {
      fixed: ['clusterName', 'principalArn', 'type'],
      create: async ({ clusterName, principalArn }) => {
        const made = await client.send(new eks.CreateAccessEntryCommand({ clusterName, principalArn }));
        return {
          id: `${clusterName}:${principalArn}`,
          outputs: { accessEntryArn: made.accessEntry?.accessEntryArn },
        };
      },
      update: () => Promise.resolve({}),
      delete: async (_id, { clusterName, principalArn }) => {
        await client
          .send(new eks.DeleteAccessEntryCommand({ clusterName, principalArn }))
          .catch(unlessItIsGone);
      },
    },
    'aws:eks/accessPolicyAssociation:AccessPolicyAssociation': {
      fixed: ['accessScope', 'clusterName', 'policyArn', 'principalArn'],
      create: async ({ clusterName, principalArn, policyArn, accessScope }) => {
        await client.send(
          new eks.AssociateAccessPolicyCommand({ clusterName, principalArn, policyArn, accessScope }),
        );
        return { id: `${clusterName}#${principalArn}#${policyArn}`, outputs: {} };
      },
      delete: async (_id, { clusterName, principalArn, policyArn }) => {
        await client
          .send(new eks.DisassociateAccessPolicyCommand({ clusterName, principalArn, policyArn }))
          .catch(unlessItIsGone);
      },
    },
  };
}

/** As the real provider does. */
function unlessItIsGone(error: Error): void {
  if (error.name !== 'ResourceNotFoundException') {
    throw error;
  }
}
