import * as ec2 from '@aws-sdk/client-ec2';
import * as eks from '@aws-sdk/client-eks';
import { bridgedCluster } from '../cluster-map';
import type { Properties, ResourceKind } from '../resource-kind';
import { accessEntries } from './access-entries';
import type { Clients } from './clients';

/** A resource that is not there; any other error is one. */
function nothingFound(error: Error): undefined {
  if (error.name !== 'ResourceNotFoundException') {
    throw error;
  }
}

/**
 * Clusters and node groups are made in moto, but a cluster's endpoint and authority are those of a real control
 * plane, which the test names, and the security group that EKS makes for a cluster is made here. No node of a node
 * group ever comes up. Left out: changes of version, network and encryption, which moto doesn't know.
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
        await client.send(
          new eks.CreateClusterCommand({
            name: inputs.name,
            version: inputs.version,
            roleArn: inputs.roleArn,
            resourcesVpcConfig: { subnetIds: inputs.vpcConfig.subnetIds },
            encryptionConfig: inputs.encryptionConfig && [inputs.encryptionConfig],
            tags: inputs.tags,
          }),
        );
        return { id: inputs.name as string, outputs: await clusterOutputs(inputs, await made(inputs.name)) };
      },
      read: async (name, before) => {
        const found = await client.send(new eks.DescribeClusterCommand({ name })).catch(nothingFound);
        // Of one that was made or read already, a refresh changes nothing else here.
        return (
          found &&
          (before.arn === undefined
            ? clusterOutputs(before, found.cluster!)
            : { ...before, status: found.cluster!.status })
        );
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
          outputs: nodeGroupOutputs(nodegroup!),
        };
      },
      read: async (id, before) => {
        const [clusterName, nodegroupName] = id.split(':');
        const found = await client
          .send(new eks.DescribeNodegroupCommand({ clusterName, nodegroupName }))
          .catch(nothingFound);
        return found && { ...before, ...nodeGroupOutputs(found.nodegroup!) };
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

  /** As the real provider does, it waits for a cluster that EKS makes. */
  async function made(name: string): Promise<eks.Cluster> {
    for (;;) {
      const { cluster } = await client.send(new eks.DescribeClusterCommand({ name }));
      if (cluster!.status !== 'CREATING') {
        return cluster!;
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  /** Of a creation that was cut short, the security group may be missing. */
  async function clusterOutputs(inputs: Properties, { arn, status }: eks.Cluster): Promise<Properties> {
    const { endpoint, certificateAuthority } = bridgedCluster(inputs.name);
    const given = inputs.kubernetesNetworkConfig as Properties | undefined;
    const { vpcId, groupId } = await primaryGroup(inputs.name, inputs.vpcConfig.subnetIds);
    return {
      arn,
      endpoint,
      certificateAuthority: { data: certificateAuthority },
      status,
      vpcConfig: { ...inputs.vpcConfig, clusterSecurityGroupId: groupId, vpcId },
      kubernetesNetworkConfig: { ipFamily: 'ipv4', serviceIpv4Cidr: '10.100.0.0/16', ...given },
      identities: [{ oidcs: [{ issuer: `https://oidc.eks.${region}.example.com/id/${inputs.name}` }] }],
    };
  }

  function nodeGroupOutputs({ nodegroupArn: arn, nodegroupName }: eks.Nodegroup): Properties {
    const resources = [{ autoscalingGroups: [{ name: `eks-${nodegroupName}` }] }];
    return { arn, status: 'ACTIVE', resources };
  }

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
