import * as iam from '@aws-sdk/client-iam';
import * as kms from '@aws-sdk/client-kms';
import type { ResourceKind } from '../resource-kind';
import type { Clients } from './clients';

/** Roles, their policies, and keys. Tags are left out. */
export function identity({ iam: roles, kms: keys }: Clients): Record<string, ResourceKind> {
  return {
    'aws:iam/role:Role': {
      autoName: 'name',
      fixed: ['name', 'path'],
      create: async (inputs, { name }) => {
        const made = await roles.send(
          new iam.CreateRoleCommand({
            RoleName: inputs.name ?? `${inputs.namePrefix}${Date.now()}`,
            AssumeRolePolicyDocument: inputs.assumeRolePolicy,
            Description: inputs.description ?? name,
          }),
        );
        const { RoleName, Arn: arn, RoleId: uniqueId } = made.Role!;
        return { id: RoleName!, outputs: { name: RoleName, arn, uniqueId } };
      },
      read: async (id, before) => {
        try {
          const { Role } = await roles.send(new iam.GetRoleCommand({ RoleName: id }));
          return { ...before, name: id, arn: Role!.Arn, uniqueId: Role!.RoleId };
        } catch (error) {
          if ((error as Error).name === 'NoSuchEntityException') {
            return undefined;
          }
          throw error;
        }
      },
      update: async (id, inputs) => {
        await roles.send(
          new iam.UpdateAssumeRolePolicyCommand({ RoleName: id, PolicyDocument: inputs.assumeRolePolicy }),
        );
        return {};
      },
      delete: async (id) => {
        await roles.send(new iam.DeleteRoleCommand({ RoleName: id }));
      },
    },
    'aws:iam/rolePolicyAttachment:RolePolicyAttachment': {
      fixed: ['policyArn', 'role'],
      create: async ({ role, policyArn }) => {
        await roles.send(new iam.AttachRolePolicyCommand({ RoleName: role, PolicyArn: policyArn }));
        return { id: `${role}/${policyArn}`, outputs: {} };
      },
      delete: async (_id, { role, policyArn }) => {
        await roles.send(new iam.DetachRolePolicyCommand({ RoleName: role, PolicyArn: policyArn }));
      },
    },
    'aws:iam/rolePolicy:RolePolicy': {
      autoName: 'name',
      fixed: ['name', 'role'],
      create: async ({ role, name, policy }) => {
        await roles.send(
          new iam.PutRolePolicyCommand({ RoleName: role, PolicyName: name, PolicyDocument: policy }),
        );
        return { id: `${role}:${name}`, outputs: {} };
      },
      update: async (_id, { role, name, policy }) => {
        await roles.send(
          new iam.PutRolePolicyCommand({ RoleName: role, PolicyName: name, PolicyDocument: policy }),
        );
        return {};
      },
      delete: async (_id, { role, name }) => {
        await roles.send(new iam.DeleteRolePolicyCommand({ RoleName: role, PolicyName: name }));
      },
    },
    'aws:kms/key:Key': {
      create: async ({ description }) => {
        const { KeyMetadata } = await keys.send(new kms.CreateKeyCommand({ Description: description }));
        const { KeyId: keyId, Arn: arn } = KeyMetadata!;
        return { id: keyId!, outputs: { keyId, arn } };
      },
      update: async (id, { description }) => {
        await keys.send(new kms.UpdateKeyDescriptionCommand({ KeyId: id, Description: description }));
        return {};
      },
      delete: async (id) => {
        await keys.send(new kms.ScheduleKeyDeletionCommand({ KeyId: id, PendingWindowInDays: 30 }));
      },
    },
  };
}
