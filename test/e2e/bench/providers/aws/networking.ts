import * as ec2 from '@aws-sdk/client-ec2';
import type { Properties, ResourceKind } from '../resource-kind';
import type { Clients } from './clients';
import { account, tagList } from './clients';

/** Security groups, their rules, and launch templates, of which the API gets no more than the name and the groups. */
export function networking({ ec2: client, region }: Clients): Record<string, ResourceKind> {
  return {
    'aws:ec2/securityGroup:SecurityGroup': {
      autoName: 'name',
      fixed: ['description', 'name', 'vpcId'],
      create: async (inputs) => {
        const { GroupId } = await client.send(
          new ec2.CreateSecurityGroupCommand({
            GroupName: inputs.name,
            Description: inputs.description,
            VpcId: inputs.vpcId,
            TagSpecifications: tagged('security-group', inputs.tags),
          }),
        );
        const id = GroupId!;
        // As the real provider does: the rule that lets everything out is there from the start.
        await client.send(
          new ec2.RevokeSecurityGroupEgressCommand({
            GroupId: id,
            IpPermissions: [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }],
          }),
        );
        return {
          id,
          outputs: { arn: `arn:aws:ec2:${region}:${account}:security-group/${id}`, ownerId: account },
        };
      },
      update: () => Promise.resolve({}),
      delete: async (id) => {
        await client.send(new ec2.DeleteSecurityGroupCommand({ GroupId: id }));
      },
    },
    'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule': {
      fixed: ['securityGroupId'],
      create: async (inputs) => {
        const asked = { GroupId: inputs.securityGroupId as string, IpPermissions: [permission(inputs)] };
        const made = await client.send(new ec2.AuthorizeSecurityGroupIngressCommand(asked));
        return ruleOutputs(made.SecurityGroupRules![0]!.SecurityGroupRuleId!);
      },
      delete: async (id, before) => {
        await client.send(
          new ec2.RevokeSecurityGroupIngressCommand({
            GroupId: before.securityGroupId,
            SecurityGroupRuleIds: [id],
          }),
        );
      },
    },
    'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule': {
      fixed: ['securityGroupId'],
      create: async (inputs) => {
        const asked = { GroupId: inputs.securityGroupId as string, IpPermissions: [permission(inputs)] };
        const made = await client.send(new ec2.AuthorizeSecurityGroupEgressCommand(asked));
        return ruleOutputs(made.SecurityGroupRules![0]!.SecurityGroupRuleId!);
      },
      delete: async (id, before) => {
        await client.send(
          new ec2.RevokeSecurityGroupEgressCommand({
            GroupId: before.securityGroupId,
            SecurityGroupRuleIds: [id],
          }),
        );
      },
    },
    'aws:ec2/launchTemplate:LaunchTemplate': {
      autoName: 'name',
      fixed: ['name'],
      create: async (inputs) => {
        const { LaunchTemplate } = await client.send(
          new ec2.CreateLaunchTemplateCommand({
            LaunchTemplateName: inputs.name,
            LaunchTemplateData: { SecurityGroupIds: inputs.vpcSecurityGroupIds },
          }),
        );
        const id = LaunchTemplate!.LaunchTemplateId!;
        const arn = `arn:aws:ec2:${region}:${account}:launch-template/${id}`;
        return { id, outputs: { arn, latestVersion: 1, defaultVersion: 1 } };
      },
      update: async (id, inputs) => {
        const { LaunchTemplateVersion } = await client.send(
          new ec2.CreateLaunchTemplateVersionCommand({
            LaunchTemplateId: id,
            LaunchTemplateData: { SecurityGroupIds: inputs.vpcSecurityGroupIds },
          }),
        );
        return { latestVersion: LaunchTemplateVersion!.VersionNumber };
      },
      delete: async (id) => {
        await client.send(new ec2.DeleteLaunchTemplateCommand({ LaunchTemplateId: id }));
      },
    },
  };

  function ruleOutputs(id: string) {
    const arn = `arn:aws:ec2:${region}:${account}:security-group-rule/${id}`;
    return { id, outputs: { arn, securityGroupRuleId: id } };
  }
}

function permission(inputs: Properties): ec2.IpPermission {
  const { cidrIpv4, cidrIpv6, referencedSecurityGroupId, description: Description } = inputs;
  return {
    IpProtocol: inputs.ipProtocol,
    FromPort: inputs.fromPort,
    ToPort: inputs.toPort,
    ...(cidrIpv4 && { IpRanges: [{ CidrIp: cidrIpv4, Description }] }),
    ...(cidrIpv6 && { Ipv6Ranges: [{ CidrIpv6: cidrIpv6, Description }] }),
    ...(referencedSecurityGroupId && {
      UserIdGroupPairs: [{ GroupId: referencedSecurityGroupId, Description }],
    }),
  };
}

function tagged(ResourceType: ec2.ResourceType, tags: Record<string, string> | undefined) {
  const Tags = tagList(tags);
  return Tags && [{ ResourceType, Tags }];
}
