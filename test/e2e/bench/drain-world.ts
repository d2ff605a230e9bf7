import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { EC2 } from '@aws-sdk/client-ec2';
import { EKS } from '@aws-sdk/client-eks';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import type { Moto } from './moto';
import type { CommandResult } from './command';

const main = join(__dirname, '../../../dist/cli/main.js');

/** What a load balancer controller would have made for a cluster, by the ID or ARN of each. */
export interface Made {
  readonly loadBalancer: string;
  readonly targetGroup: string;
  readonly securityGroup: string;
  readonly networkInterface: string;
  readonly volume: string;
  readonly instance: string;
  /** The nodes' group, with a rule that names the other one; nobody may delete it. */
  readonly nodesGroup: string;
}

/** AWS's side of a drain, past the proxy. */
export class DrainWorld {
  public readonly ec2: EC2;
  public readonly eks: EKS;
  public readonly balancing: ElasticLoadBalancingV2;

  public constructor(private readonly aws: Moto) {
    this.ec2 = new EC2(aws.directSettings);
    this.eks = new EKS(aws.directSettings);
    this.balancing = new ElasticLoadBalancingV2(aws.directSettings);
    onCleanUp(() => [this.ec2, this.eks, this.balancing].forEach((client) => client.destroy()));
  }

  /** A cluster that EKS knows, with the tags of its slot. */
  public async cluster(fleet: string, slot: string): Promise<string> {
    const { subnetIds } = await this.aws.network();
    await this.eks.createCluster({
      name: `${fleet}-${slot}`,
      version: '1.35',
      roleArn: 'arn:aws:iam::123456789012:role/cluster',
      resourcesVpcConfig: { subnetIds: [...subnetIds] },
      tags: { 'cluster-canary/fleet': fleet, 'cluster-canary/slot': slot },
    });
    return `${fleet}-${slot}`;
  }

  /** A load balancer with the tag of the AWS Load Balancer Controller. */
  public async loadBalancer(cluster: string, name: string): Promise<string> {
    const { subnetIds } = await this.aws.network();
    const { LoadBalancers } = await this.balancing.createLoadBalancer({
      Name: name,
      Subnets: [...subnetIds],
      Tags: [{ Key: 'elbv2.k8s.aws/cluster', Value: cluster }],
    });
    return LoadBalancers![0]!.LoadBalancerArn!;
  }

  /** Lets a slot's own target group have all of the traffic of a load balancer; answers what ends that. */
  public async traffic(fleet: string, slot: string): Promise<() => Promise<void>> {
    const { vpcId, subnetIds } = await this.aws.network();
    const { TargetGroups } = await this.balancing.createTargetGroup({
      ...{ Name: `${fleet}-${slot}-web`, Protocol: 'HTTP', Port: 80, VpcId: vpcId, TargetType: 'ip' },
      Tags: [
        { Key: 'cluster-canary/fleet', Value: fleet },
        { Key: 'cluster-canary/slot', Value: slot },
      ],
    });
    const { LoadBalancers } = await this.balancing.createLoadBalancer({
      Name: 'edge',
      Subnets: [...subnetIds],
    });
    const { LoadBalancerArn } = LoadBalancers![0]!;
    const { Listeners } = await this.balancing.createListener({
      ...{ LoadBalancerArn, Protocol: 'HTTP', Port: 80 },
      DefaultActions: [{ Type: 'forward', TargetGroupArn: TargetGroups![0]!.TargetGroupArn }],
    });
    return async () => {
      await this.balancing.deleteListener({ ListenerArn: Listeners![0]!.ListenerArn });
      await this.balancing.deleteLoadBalancer({ LoadBalancerArn });
      await this.balancing.deleteTargetGroup({ TargetGroupArn: TargetGroups![0]!.TargetGroupArn });
    };
  }

  public async loadBalancers(): Promise<string[]> {
    const { LoadBalancers } = await this.balancing.describeLoadBalancers({});
    return LoadBalancers!.map(({ LoadBalancerName }) => LoadBalancerName!);
  }

  /** All kinds of things, each with a tag that a controller gives to it. */
  public async everything(cluster: string): Promise<Made> {
    const { vpcId, subnetIds } = await this.aws.network();
    const owned = { Key: `kubernetes.io/cluster/${cluster}`, Value: 'owned' };
    const tagged = (ResourceType: any, ...Tags: { Key: string; Value: string }[]) => [{ ResourceType, Tags }];
    const { TargetGroups } = await this.balancing.createTargetGroup({
      ...{ Name: `k8s-${cluster}`, Protocol: 'HTTP', Port: 80, VpcId: vpcId, TargetType: 'ip' },
      Tags: [{ Key: 'elbv2.k8s.aws/cluster', Value: cluster }],
    });
    const { GroupId } = await this.ec2.createSecurityGroup({
      ...{ GroupName: `k8s-traffic-${cluster}`, Description: 'backend', VpcId: vpcId },
      TagSpecifications: tagged('security-group', { Key: 'elbv2.k8s.aws/cluster', Value: cluster }),
    });
    const nodes = await this.ec2.createSecurityGroup({
      ...{ GroupName: `nodes-${cluster}`, Description: 'nodes', VpcId: vpcId },
      TagSpecifications: tagged('security-group', owned, { Key: 'cluster-canary/fleet', Value: 'apps' }),
    });
    await this.ec2.authorizeSecurityGroupIngress({
      GroupId: nodes.GroupId,
      IpPermissions: [
        { IpProtocol: 'tcp', FromPort: 8080, ToPort: 8080, UserIdGroupPairs: [{ GroupId }] },
        { IpProtocol: 'tcp', FromPort: 443, ToPort: 443, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
      ],
    });
    const { NetworkInterface } = await this.ec2.createNetworkInterface({
      SubnetId: subnetIds[0],
      Groups: [GroupId!],
      TagSpecifications: tagged('network-interface', {
        Key: 'cluster.k8s.amazonaws.com/name',
        Value: cluster,
      }),
    });
    const volume = await this.ec2.createVolume({
      ...{ AvailabilityZone: 'eu-west-1a', Size: 1 },
      TagSpecifications: tagged('volume', owned, { Key: 'CSIVolumeName', Value: 'pvc-1' }),
    });
    const { Instances } = await this.ec2.runInstances({
      ...{
        ImageId: 'ami-12345678',
        InstanceType: 't3.micro',
        MinCount: 1,
        MaxCount: 1,
        SubnetId: subnetIds[0],
      },
      TagSpecifications: tagged('instance', owned, { Key: 'eks:eks-cluster-name', Value: cluster }),
    });
    return {
      loadBalancer: await this.loadBalancer(cluster, `k8s-${cluster}`),
      targetGroup: TargetGroups![0]!.TargetGroupArn!,
      securityGroup: GroupId!,
      networkInterface: NetworkInterface!.NetworkInterfaceId!,
      volume: volume.VolumeId!,
      instance: Instances![0]!.InstanceId!,
      nodesGroup: nodes.GroupId!,
    };
  }

  /** Runs `cluster-canary drain` to its end. */
  public drain(...args: string[]): Promise<CommandResult> {
    return this.run('drain', ...args);
  }

  /** Runs `cluster-canary` to its end. */
  public run(...args: string[]): Promise<CommandResult> {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, ...this.aws.env, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onCleanUp(() => void child.kill('SIGKILL'));
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (data: Buffer) => (text.stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => (text.stderr += data.toString()));
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...text })));
  }

  /** Does what a load balancer controller does: an Ingress that goes takes its load balancer along. */
  public controller(plane: ControlPlane, loadBalancer: string): void {
    const timer = setInterval(() => {
      void (async () => {
        const ingresses = await plane.api.list('networking.k8s.io/v1', 'Ingress');
        for (const ingress of ingresses.filter(({ metadata }) => metadata.deletionTimestamp)) {
          await this.balancing.deleteLoadBalancer({ LoadBalancerArn: loadBalancer });
          await plane.api.patch(
            { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: ingress.metadata },
            { metadata: { finalizers: null } },
          );
        }
      })().catch(() => undefined);
    }, 200);
    onCleanUp(() => clearInterval(timer));
  }
}

/** An Ingress whose deletion a controller has to finish. */
export const ingress = (name: string) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name, namespace: 'default', finalizers: ['ingress.k8s.aws/resources'] },
  spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
});

/** A Service that somebody makes a load balancer for. */
export const loadBalancerService = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});
