import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { refuseArguments } from '../../core/validation/arguments';
import { withAwsSettings } from '../aws-settings';
import { albProblems, weightedAlbSchema } from './alb-args';
import type { AlbIpAddressType, AlbListenerArgs, CreatedAlbArgs, WeightedAlbArgs } from './alb-args';
import type { EdgeRef } from './edge';

const everywhere = ['0.0.0.0/0', '::/0'];

/** The security group of a load balancer that is created: clients in on its ports, everything out. */
function albSecurityGroup(
  name: string,
  args: CreatedAlbArgs,
  ports: readonly number[],
  parent: pulumi.Resource,
): aws.ec2.SecurityGroup {
  const group = new aws.ec2.SecurityGroup(
    name,
    { description: `Load balancer ${name}`, vpcId: args.vpcId, ...args.securityGroupArgs },
    { parent },
  );
  for (const port of ports) {
    for (const cidr of args.cidrs ?? everywhere) {
      new aws.vpc.SecurityGroupIngressRule(
        `${name}-${port}-${normalizedRecordName(cidr)}`,
        {
          securityGroupId: group.id,
          ...range(cidr),
          ipProtocol: 'tcp',
          fromPort: port,
          toPort: port,
          description: `Clients, port ${port}`,
        },
        { parent },
      );
    }
  }
  // The load balancer opens connections to its targets and to identity providers only; who is let in is the
  // targets' business. AWS's provider takes away the rule that a new security group has for this.
  for (const cidr of everywhere) {
    new aws.vpc.SecurityGroupEgressRule(
      `${name}-out-${normalizedRecordName(cidr)}`,
      {
        securityGroupId: group.id,
        ...range(cidr),
        ipProtocol: '-1',
        description: 'Targets and identity providers',
      },
      { parent },
    );
  }
  return group;
}

function range(cidr: string): { cidrIpv4: string } | { cidrIpv6: string } {
  return cidr.includes(':') ? { cidrIpv6: cidr } : { cidrIpv4: cidr };
}

/** `::` ends the type in a Pulumi URN. */
function normalizedRecordName(cidr: string): string {
  return cidr.replaceAll(':', '-');
}

const httpsPort = 443;

const httpPort = 80;

/**
 * AWS's recommendation, and the default of its console (other ways of making a listener default to a policy of
 * 2016).
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
 */
export const recommendedSslPolicy = 'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09';

/** A load balancer of this program, or one that was found. */
interface LoadBalancerFacts {
  readonly created?: aws.lb.LoadBalancer;
  readonly securityGroup?: aws.ec2.SecurityGroup;
  readonly arn: pulumi.Output<string>;
  readonly dnsName: pulumi.Output<string>;
  readonly zoneId: pulumi.Output<string>;
  readonly securityGroupIds: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * An Application Load Balancer with an HTTPS listener for weighted rules. Requests that no rule takes are
 * answered with 404, plain HTTP is redirected, and headers with invalid names are dropped.
 *
 * With `adopt` the listeners are put on a load balancer that was made elsewhere. For a listener that was made
 * elsewhere nothing has to be created: write an `EdgeRef`.
 *
 * @example
 * const edge = new traffic.WeightedAlb('edge', {
 *   vpcId,
 *   subnetIds: publicSubnetIds,
 *   certificateArn,
 *   dns: { zoneId, names: ['www.example.com'] },
 * });
 */
export class WeightedAlb extends pulumi.ComponentResource {
  /** The edge as plain values, for the traffic of this stack or another. */
  public readonly ref: EdgeRef;
  /** The load balancer, unless it was adopted. */
  public readonly loadBalancer?: aws.lb.LoadBalancer;
  /** The load balancer's security group, unless it was adopted. */
  public readonly securityGroup?: aws.ec2.SecurityGroup;
  /** The listener that holds the rules. */
  public readonly httpsListener: aws.lb.Listener;
  /** The listener that redirects to HTTPS, if there is one. */
  public readonly httpListener?: aws.lb.Listener;
  /** Alias records by name: of type A, and AAAA where the load balancer has IPv6 addresses. */
  public readonly records: Readonly<Record<string, readonly aws.route53.Record[]>>;
  /** ARN of the load balancer. */
  public readonly loadBalancerArn: pulumi.Output<string>;
  /** ARN of the HTTPS listener. */
  public readonly listenerArn: pulumi.Output<string>;
  /** IDs of the load balancer's security groups. */
  public readonly securityGroupIds: pulumi.Output<string[]>;
  /** The load balancer's own DNS name. */
  public readonly dnsName: pulumi.Output<string>;
  /** Hosted zone of the load balancer's own DNS name, for alias records. */
  public readonly zoneId: pulumi.Output<string>;

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: WeightedAlbArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseArguments(`WeightedAlb "${name}"`, weightedAlbSchema, args, (sound) => albProblems(name, sound));
    super('cluster-canary:traffic:WeightedAlb', name, {}, withAwsSettings(opts, { tags: args.tags }));
    const redirectHttp = args.redirectHttp ?? args.adopt === undefined;
    const facts =
      args.adopt === undefined
        ? createLoadBalancer(name, args, redirectHttp, this)
        : findLoadBalancer(args.adopt.loadBalancerArn, this);
    this.loadBalancer = facts.created;
    this.securityGroup = facts.securityGroup;
    this.loadBalancerArn = facts.arn;
    this.dnsName = facts.dnsName;
    this.zoneId = facts.zoneId;

    this.httpsListener = httpsListener(name, args, facts.arn, this);
    this.httpListener = redirectHttp ? httpListener(name, args, facts.arn, this) : undefined;
    if (args.webAclArn !== undefined) {
      new aws.wafv2.WebAclAssociation(
        `${name}-web-acl`,
        { resourceArn: facts.arn, webAclArn: args.webAclArn },
        // A load balancer has one web ACL, and what is deleted is whichever it has: deleted last, the old association
        // would take the new one away. https://github.com/pulumi/pulumi-aws/issues/4782
        { parent: this, deleteBeforeReplace: true },
      );
    }
    const addresses = args.adopt === undefined ? args.ipAddressType : args.adopt.ipAddressType;
    this.records = aliasRecords(name, args, facts, addresses ?? 'ipv4', this);

    this.listenerArn = this.httpsListener.arn;
    this.securityGroupIds = pulumi.output(facts.securityGroupIds);
    this.ref = { listenerArn: this.listenerArn, securityGroupIds: facts.securityGroupIds };
    this.registerOutputs({ ref: this.ref, dnsName: this.dnsName, zoneId: this.zoneId });
  }
}

function createLoadBalancer(
  name: string,
  args: CreatedAlbArgs,
  redirectHttp: boolean,
  parent: pulumi.Resource,
): LoadBalancerFacts {
  const ports = redirectHttp ? [httpsPort, httpPort] : [httpsPort];
  const securityGroup = albSecurityGroup(name, args, ports, parent);
  const created = new aws.lb.LoadBalancer(
    name,
    {
      loadBalancerType: 'application',
      internal: args.internal ?? false,
      ipAddressType: args.ipAddressType ?? 'ipv4',
      subnets: args.subnetIds,
      securityGroups: [securityGroup.id],
      dropInvalidHeaderFields: true,
      enableDeletionProtection: args.deletionProtection ?? false,
      idleTimeout: args.idleTimeoutSeconds ?? 60,
      accessLogs: args.accessLogs && { enabled: true, ...args.accessLogs },
      ...args.loadBalancerArgs,
    },
    { parent },
  );
  return {
    created,
    securityGroup,
    arn: created.arn,
    dnsName: created.dnsName,
    zoneId: created.zoneId,
    // As given, so that a program can count them.
    securityGroupIds: (args.loadBalancerArgs?.securityGroups ?? [
      securityGroup.id,
    ]) as LoadBalancerFacts['securityGroupIds'],
  };
}

function findLoadBalancer(arn: pulumi.Input<string>, parent: pulumi.Resource): LoadBalancerFacts {
  const found = aws.lb.getLoadBalancerOutput({ arn }, { parent });
  return {
    arn: pulumi.output(arn),
    dnsName: found.dnsName,
    zoneId: found.zoneId,
    securityGroupIds: found.securityGroups,
  };
}

function httpsListener(
  name: string,
  args: AlbListenerArgs,
  loadBalancerArn: pulumi.Output<string>,
  parent: pulumi.Resource,
): aws.lb.Listener {
  const listener = new aws.lb.Listener(
    `${name}-https`,
    {
      loadBalancerArn,
      port: httpsPort,
      protocol: 'HTTPS',
      certificateArn: args.certificateArn,
      sslPolicy: args.sslPolicy ?? recommendedSslPolicy,
      defaultActions: [
        {
          type: 'fixed-response',
          fixedResponse: { statusCode: '404', contentType: 'text/plain', messageBody: 'Not found' },
        },
      ],
      ...args.listenerArgs,
    },
    { parent },
  );
  for (const [key, certificateArn] of Object.entries(args.additionalCertificateArns ?? {})) {
    new aws.lb.ListenerCertificate(
      `${name}-certificate-${key}`,
      { listenerArn: listener.arn, certificateArn },
      { parent },
    );
  }
  return listener;
}

function httpListener(
  name: string,
  args: AlbListenerArgs,
  loadBalancerArn: pulumi.Output<string>,
  parent: pulumi.Resource,
): aws.lb.Listener {
  return new aws.lb.Listener(
    `${name}-http`,
    {
      loadBalancerArn,
      port: httpPort,
      protocol: 'HTTP',
      defaultActions: [
        {
          type: 'redirect',
          redirect: { protocol: 'HTTPS', port: String(httpsPort), statusCode: 'HTTP_301' },
        },
      ],
      ...args.httpListenerArgs,
    },
    { parent },
  );
}

/** Record types that a load balancer with these addresses answers. */
const recordTypes: Record<AlbIpAddressType, readonly ('A' | 'AAAA')[]> = {
  ipv4: ['A'],
  dualstack: ['A', 'AAAA'],
  'dualstack-without-public-ipv4': ['AAAA'],
};

function aliasRecords(
  name: string,
  { dns, recordArgs }: AlbListenerArgs,
  { dnsName, zoneId }: LoadBalancerFacts,
  addresses: AlbIpAddressType,
  parent: pulumi.Resource,
): Record<string, aws.route53.Record[]> {
  return Object.fromEntries(
    (dns?.names ?? []).map((host) => [
      host,
      recordTypes[addresses].map(
        (type) =>
          new aws.route53.Record(
            `${name}-${host}-${type.toLowerCase()}`,
            {
              zoneId: dns!.zoneId,
              name: host,
              type,
              // With it, Route 53 takes the load balancer for unhealthy as soon as one of its target groups has no
              // healthy target, and an idle slot may have none
              // (https://docs.aws.amazon.com/Route53/latest/APIReference/API_AliasTarget.html).
              aliases: [{ name: dnsName, zoneId, evaluateTargetHealth: false }],
              ...recordArgs,
            },
            { parent },
          ),
      ),
    ]),
  );
}
