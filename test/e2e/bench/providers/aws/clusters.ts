import * as ec2 from '@aws-sdk/client-ec2';
import * as eks from '@aws-sdk/client-eks';
import { bridgedCluster } from '../cluster-map';
import type { Properties, ResourceKind } from '../resource-kind';
import { accessEntries } from './access-entries';
import type { Clients } from './clients';

/**
 * Clusters and node groups are made in moto, but a cluster's endpoint and authority are those of a real control
 * plane, which the test names, and the security group that EKS makes for a cluster is made here. No node of a node
 * group ever comes up. Left out: waiting, and changes of version, network and encryption, which moto doesn't know.
 */
export function clusters({ eks: client, ec2: network, region }: Clients): Record<string, ResourceKind> {
  return {
    'aws:eks/cluster:Cluster': {
      autoName: 'name',
      fixed: [
        'name',
        'roleArn',
        'encryptionConfig',
        'kubernetesNetworkConfig.ipFamily',
        'kubernetesNetworkConfig.serviceIpv4Cidr',
        'outpostConfig',
      ],
      create: async (inputs) => {
        const { endpoint, certificateAuthority } = bridgedCluster(inputs.name);
        const { cluster } = await client.send(
          new eks.CreateClusterCommand({
            name: inputs.name,
            version: inputs.version,
            roleArn: inputs.roleArn,
            resourcesVpcConfig: { subnetIds: inputs.vpcConfig.subnetIds },
            encryptionConfig: inputs.encryptionConfig && [inputs.encryptionConfig],
            tags: inputs.tags,
          }),
        );
        const given = inputs.kubernetesNetworkConfig as Properties | undefined;
        const { vpcId, groupId } = await primaryGroup(inputs.name, inputs.vpcConfig.subnetIds);
        return {
          id: inputs.name as string,
          outputs: {
            arn: cluster!.arn,
            endpoint,
            certificateAuthority: { data: certificateAuthority },
            status: 'ACTIVE',
            vpcConfig: { ...inputs.vpcConfig, clusterSecurityGroupId: groupId, vpcId },
            kubernetesNetworkConfig: { ipFamily: 'ipv4', serviceIpv4Cidr: '10.100.0.0/16', ...given },
            identities: [{ oidcs: [{ issuer: `https://oidc.eks.${region}.example.com/id/${inputs.name}` }] }],
          },
        };
      },
      update: async (id, inputs, before) => {
        await client.send(
          new eks.UpdateClusterConfigCommand({
            name: id,
            logging: {
              clusterLogging: [{ types: inputs.enabledClusterLogTypes as eks.LogType[], enabled: true }],
            },
          }),
        );
        return {
          vpcConfig: { ...before.vpcConfig, ...inputs.vpcConfig },
          kubernetesNetworkConfig: before.kubernetesNetworkConfig,
        };
      },
      delete: async (id, { vpcConfig }) => {
        await client.send(new eks.DeleteClusterCommand({ name: id }));
        await network.send(new ec2.DeleteSecurityGroupCommand({ GroupId: vpcConfig.clusterSecurityGroupId }));
      },
    },
    'aws:eks/nodeGroup:NodeGroup': {
      autoName: 'nodeGroupName',
      fixed: ['amiType', 'capacityType', 'clusterName', 'instanceTypes', 'nodeGroupName', 'nodeRoleArn'],
      create: async (inputs) => {
        const { nodegroup } = await client.send(
          new eks.CreateNodegroupCommand({
            clusterName: inputs.clusterName,
            nodegroupName: inputs.nodeGroupName,
            nodeRole: inputs.nodeRoleArn,
            subnets: inputs.subnetIds,
            version: inputs.version,
            instanceTypes: inputs.instanceTypes,
            amiType: inputs.amiType,
            capacityType: inputs.capacityType,
            tags: inputs.tags,
          }),
        );
        return {
          id: `${inputs.clusterName}:${inputs.nodeGroupName}`,
          outputs: {
            arn: nodegroup!.nodegroupArn,
            status: 'ACTIVE',
            resources: [{ autoscalingGroups: [{ name: `eks-${inputs.nodeGroupName}` }] }],
          },
        };
      },
      update: async (_id, inputs) => {
        await client.send(
          new eks.UpdateNodegroupConfigCommand({
            clusterName: inputs.clusterName,
            nodegroupName: inputs.nodeGroupName,
            scalingConfig: inputs.scalingConfig,
          }),
        );
        return {};
      },
      delete: async (_id, { clusterName, nodeGroupName }) => {
        await client.send(new eks.DeleteNodegroupCommand({ clusterName, nodegroupName: nodeGroupName }));
      },
    },
    ...(process.env.AWS_ENDPOINT_URL_EKS === undefined ? {} : accessEntries(client)),
  };

  async function primaryGroup(name: string, subnetIds: string[]) {
    const { Subnets } = await network.send(new ec2.DescribeSubnetsCommand({ SubnetIds: subnetIds }));
    const vpcId = Subnets![0]!.VpcId!;
    const { GroupId } = await network.send(
      new ec2.CreateSecurityGroupCommand({
        GroupName: `eks-cluster-sg-${name}-${Date.now()}`,
        Description: `EKS created security group of ${name}`,
        VpcId: vpcId,
      }),
    );
    return { vpcId, groupId: GroupId! };
  }
}
