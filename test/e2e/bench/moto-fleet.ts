import { EKS } from '@aws-sdk/client-eks';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Parameter } from '@aws-sdk/client-ssm';
import { paginateGetParametersByPath, SSM } from '@aws-sdk/client-ssm';
import { onCleanUp } from './clean-up';
import type { Moto } from './moto';
import type { ClusterAccess } from './pulumi-clusters';

/** What a file says of a fleet. */
export interface FleetWish {
  readonly slots: Readonly<Record<string, string>>;
  readonly weights: Readonly<Record<string, number>>;
}

/** A fleet in moto: clusters, target groups and one rule with weights, made and taken away as a program would. */
export class MotoFleet {
  private readonly eks: EKS;
  private readonly balancing: ElasticLoadBalancingV2;
  private readonly ssm: SSM;
  private listener = '';
  private rule = '';
  private priority = 0;
  /** What EKS says of each cluster. */
  private readonly made = new Map<string, object>();

  public constructor(
    private readonly aws: Moto,
    private readonly name: string,
    cluster: ClusterAccess,
  ) {
    this.eks = new EKS(aws.directSettings);
    this.balancing = new ElasticLoadBalancingV2(aws.directSettings);
    this.ssm = new SSM(aws.directSettings);
    onCleanUp(() => [this.eks, this.balancing, this.ssm].forEach((client) => client.destroy()));
    const upgrade = aws.proxy.standIn;
    aws.proxy.standIn = (call, path) => {
      const [, found] = /^GET \/clusters\/([^/]+)$/.exec(call.action) ?? [];
      const made = found === undefined ? undefined : this.made.get(found);
      return made ? { cluster: described(made, cluster) } : upgrade?.(call, path);
    };
  }

  /** Makes it what a file says. */
  public async deploy({ slots, weights }: FleetWish): Promise<void> {
    const before = await this.clusters();
    for (const [slot, version] of Object.entries(slots)) {
      if (before[slot] === undefined) {
        await this.create(slot, version);
      }
    }
    await this.forward(weights);
    for (const slot of Object.keys(before).filter((each) => !(each in slots))) {
      await this.eks.deleteCluster({ name: `${this.name}-${slot}` });
      this.made.delete(`${this.name}-${slot}`);
      await this.balancing.deleteTargetGroup({ TargetGroupArn: await this.group(slot) });
    }
  }

  /** Versions of the clusters that there are, by slot. */
  public async clusters(): Promise<Record<string, string>> {
    const { clusters = [] } = await this.eks.listClusters({});
    const own = clusters.filter((each) => each.startsWith(`${this.name}-`));
    const found = await Promise.all(own.map((name) => this.eks.describeCluster({ name })));
    return Object.fromEntries(
      found.map(({ cluster }) => [cluster!.name!.slice(this.name.length + 1), cluster!.version!]),
    );
  }

  /** Weights that are above 0, by slot. */
  public async weights(): Promise<Record<string, number>> {
    const { Rules = [] } = await this.balancing.describeRules({ RuleArns: [this.rule] });
    const groups = Rules[0]!.Actions![0]!.ForwardConfig!.TargetGroups!;
    const slots = Object.keys(await this.clusters());
    const named = await Promise.all(slots.map(async (slot) => [await this.group(slot), slot] as const));
    const slotOf = new Map(named);
    return Object.fromEntries(
      groups
        .filter(({ Weight = 0 }) => Weight > 0)
        .map(({ TargetGroupArn, Weight }) => [slotOf.get(TargetGroupArn!) ?? TargetGroupArn!, Weight!]),
    );
  }

  /** In place of waiting until the lease of a run that was killed has expired. */
  public async letLeaseExpire(): Promise<void> {
    const Path = '/cluster-canary/leases';
    const pages = paginateGetParametersByPath({ client: this.ssm }, { Path, Recursive: true });
    const leases: Parameter[] = [];
    for await (const { Parameters = [] } of pages) {
      leases.push(...Parameters);
    }
    for (const { Name, Value } of leases) {
      const lease = JSON.parse(Value!) as { expiresAt?: number };
      if (lease.expiresAt !== undefined) {
        const expired = JSON.stringify({ ...lease, expiresAt: Date.now() - 1 });
        await this.ssm.putParameter({ Name, Value: expired, Overwrite: true });
      }
    }
  }

  private async create(slot: string, version: string): Promise<void> {
    const { vpcId, subnetIds } = await this.aws.network();
    const name = `${this.name}-${slot}`;
    const tags = { 'cluster-canary/fleet': this.name, 'cluster-canary/slot': slot };
    const { cluster } = await this.eks.createCluster({
      ...{ name, version, tags, roleArn: 'arn:aws:iam::123456789012:role/cluster' },
      resourcesVpcConfig: { subnetIds: [...subnetIds] },
    });
    this.made.set(name, cluster!);
    const { TargetGroups } = await this.balancing.createTargetGroup({
      ...{ Name: `${name}-web`, Protocol: 'HTTP', Port: 80, VpcId: vpcId, TargetType: 'ip' },
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    });
    const Targets = [1, 2].map((pod) => ({ Id: `10.0.0.${pod}`, Port: 80 }));
    await this.balancing.registerTargets({ TargetGroupArn: TargetGroups![0]!.TargetGroupArn, Targets });
  }

  /** Another rule in the place of the old one: moto says of target groups what load balancer they are on by its creation alone. */
  private async forward(weights: Readonly<Record<string, number>>): Promise<void> {
    this.listener ||= await this.edge();
    this.priority += 1;
    const TargetGroups = await Promise.all(
      Object.entries(weights).map(async ([slot, Weight]) => ({
        TargetGroupArn: await this.group(slot),
        Weight,
      })),
    );
    const { Rules } = await this.balancing.createRule({
      ...{ ListenerArn: this.listener, Priority: this.priority },
      Conditions: [{ Field: 'path-pattern', Values: ['/*'] }],
      Actions: [{ Type: 'forward', ForwardConfig: { TargetGroups } }],
    });
    if (this.rule !== '') {
      await this.balancing.deleteRule({ RuleArn: this.rule });
    }
    this.rule = Rules![0]!.RuleArn!;
  }

  private async edge(): Promise<string> {
    const { subnetIds } = await this.aws.network();
    const { LoadBalancers } = await this.balancing.createLoadBalancer({
      Name: `${this.name}-edge`,
      Subnets: [...subnetIds],
    });
    const { Listeners } = await this.balancing.createListener({
      ...{ LoadBalancerArn: LoadBalancers![0]!.LoadBalancerArn, Protocol: 'HTTP', Port: 80 },
      DefaultActions: [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }],
    });
    return Listeners![0]!.ListenerArn!;
  }

  private async group(slot: string): Promise<string> {
    const { TargetGroups } = await this.balancing.describeTargetGroups({
      Names: [`${this.name}-${slot}-web`],
    });
    return TargetGroups![0]!.TargetGroupArn!;
  }
}

/** moto's clusters have no API server. */
function described(made: object, { server, certificateAuthority }: ClusterAccess): object {
  const data = Buffer.from(certificateAuthority).toString('base64');
  return { ...made, createdAt: undefined, endpoint: server, certificateAuthority: { data } };
}
