import type { Action, LoadBalancerTypeEnum, ProtocolEnum } from '@aws-sdk/client-elastic-load-balancing-v2';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { Route53 } from '@aws-sdk/client-route-53';
import type { Moto } from './moto';

/** An action that lets people log in before they are forwarded. */
export const logIn: Action = {
  Type: 'authenticate-oidc',
  Order: 1,
  AuthenticateOidcConfig: {
    Issuer: 'https://id.example.com',
    AuthorizationEndpoint: 'https://id.example.com/authorize',
    TokenEndpoint: 'https://id.example.com/token',
    UserInfoEndpoint: 'https://id.example.com/user',
    ClientId: 'client',
    ClientSecret: 'hidden',
    SessionCookieName: 'session',
    SessionTimeout: 3_600,
    Scope: 'openid email',
    OnUnauthenticatedRequest: 'authenticate',
    AuthenticationRequestExtraParams: { display: 'page' },
  },
};

/** What routers work on, made past the proxy. */
export class RouterWorld {
  public readonly balancing: ElasticLoadBalancingV2;
  public readonly dns: Route53;
  private made = 0;

  public constructor(private readonly aws: Moto) {
    this.balancing = new ElasticLoadBalancingV2(aws.directSettings);
    this.dns = new Route53(aws.directSettings);
  }

  public close(): void {
    this.balancing.destroy();
    this.dns.destroy();
  }

  /** ARNs of new target groups, by slot. */
  public async targetGroups(
    Protocol: ProtocolEnum,
    ...slots: string[]
  ): Promise<Readonly<Record<string, string>>> {
    const { vpcId: VpcId } = await this.aws.network();
    const arns: Record<string, string> = {};
    for (const slot of slots) {
      const Name = `${slot}-${++this.made}`;
      const settings = { Name, Protocol, VpcId, Port: 8080, TargetType: 'ip' } as const;
      const { TargetGroups } = await this.balancing.createTargetGroup(settings);
      arns[slot] = TargetGroups![0]!.TargetGroupArn!;
    }
    return arns;
  }

  /** ARN of a listener on a new load balancer. */
  public async listener(
    Type: LoadBalancerTypeEnum,
    Protocol: ProtocolEnum,
    DefaultActions: Action[],
  ): Promise<string> {
    const { subnetIds: Subnets } = await this.aws.network();
    const { LoadBalancers } = await this.balancing.createLoadBalancer({
      Name: `edge-${++this.made}`,
      Type,
      Subnets: [...Subnets],
    });
    const { Listeners } = await this.balancing.createListener({
      LoadBalancerArn: LoadBalancers![0]!.LoadBalancerArn!,
      Protocol,
      Port: 80,
      DefaultActions,
    });
    return Listeners![0]!.ListenerArn!;
  }

  /** ARN of a new rule with two conditions. */
  public async rule(ListenerArn: string, Actions: Action[]): Promise<string> {
    const { Rules } = await this.balancing.createRule({
      ListenerArn,
      Actions,
      Priority: ++this.made,
      Conditions: [
        { Field: 'host-header', HostHeaderConfig: { Values: ['www.example.com'] } },
        { Field: 'path-pattern', PathPatternConfig: { Values: ['/api/*', '/v2/*'] } },
      ],
    });
    return Rules![0]!.RuleArn!;
  }

  /** A rule as it stands. */
  public async ruleAt(arn: string) {
    return (await this.balancing.describeRules({ RuleArns: [arn] })).Rules![0]!;
  }

  /** A listener as it stands. */
  public async listenerAt(arn: string) {
    return (await this.balancing.describeListeners({ ListenerArns: [arn] })).Listeners![0]!;
  }

  /** Id of a new zone with these records. */
  public async zone(records: readonly ResourceRecordSet[]): Promise<string> {
    const { HostedZone } = await this.dns.createHostedZone({
      Name: 'example.com',
      CallerReference: String(++this.made),
    });
    await this.dns.changeResourceRecordSets({
      HostedZoneId: HostedZone!.Id,
      ChangeBatch: { Changes: records.map((ResourceRecordSet) => ({ Action: 'CREATE', ResourceRecordSet })) },
    });
    return HostedZone!.Id!;
  }

  /** All records of a zone. */
  public async records(HostedZoneId: string): Promise<ResourceRecordSet[]> {
    return (await this.dns.listResourceRecordSets({ HostedZoneId })).ResourceRecordSets!;
  }
}

/** An action that forwards by weight. */
export function forward(weights: Readonly<Record<string, number>>, stickySeconds?: number): Action {
  return {
    Type: 'forward',
    Order: 2,
    ForwardConfig: {
      TargetGroups: Object.entries(weights).map(([TargetGroupArn, Weight]) => ({ TargetGroupArn, Weight })),
      TargetGroupStickinessConfig:
        stickySeconds === undefined ? { Enabled: false } : { Enabled: true, DurationSeconds: stickySeconds },
    },
  };
}
