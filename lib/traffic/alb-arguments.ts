import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { OptionsOf } from '../problems';

/** What a load balancer's listeners are made of, whether the load balancer is created or adopted. */
export interface AlbListenerArgs {
  /** ARN of the certificate for clients that name no host, or one without a certificate of its own. */
  readonly certificateArn: pulumi.Input<string>;
  /**
   * ARNs of further certificates, by a name of one's own: the load balancer takes the one that fits the host.
   * @default - none
   */
  readonly additionalCertificateArns?: Readonly<Record<string, pulumi.Input<string>>>;
  /**
   * TLS security policy.
   * @default 'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09' - what AWS recommends: TLS 1.3 and 1.2 with restricted
   * ciphers, and post-quantum key exchange for clients that know it
   * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
   */
  readonly sslPolicy?: pulumi.Input<string>;
  /**
   * Whether port 80 answers with a redirect (301) to HTTPS.
   * @default - true for a load balancer that is created, false for an adopted one, whose port 80 may be in use
   */
  readonly redirectHttp?: boolean;
  /** Names that lead to the load balancer. @default - none */
  readonly dns?: AlbDns;
  /** ARN of a regional web ACL (AWS WAF) that judges requests first. @default - none */
  readonly webAclArn?: pulumi.Input<string>;
  /** AWS tags of everything. @default - none */
  readonly tags?: Readonly<Record<string, string>>;
  /** Raw arguments of the HTTPS listener, over everything else. @default - none */
  readonly listenerArgs?: Partial<aws.lb.ListenerArgs>;
  /** Raw arguments of the HTTP listener, over everything else. @default - none */
  readonly httpListenerArgs?: Partial<aws.lb.ListenerArgs>;
  /** Raw arguments of each DNS record, over everything else. @default - none */
  readonly recordArgs?: Partial<aws.route53.RecordArgs>;
}

/** Alias records in one hosted zone. */
export interface AlbDns {
  /** ID of the hosted zone in Route 53. */
  readonly zoneId: pulumi.Input<string>;
  /** Whole names, `www.example.com`; `*` may stand for the first part. */
  readonly names: readonly string[];
}

const albDnsKeys: OptionsOf<AlbDns> = { zoneId: 'open', names: 'list' };

/**
 * Addresses of a load balancer; `dualstack-without-public-ipv4` is reached from the internet by IPv6 alone.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-ip-address-type.html
 */
export type AlbIpAddressType = 'ipv4' | 'dualstack' | 'dualstack-without-public-ipv4';

/** A load balancer that is created. */
export interface CreatedAlbArgs extends AlbListenerArgs {
  /** Unset: `adopt` is for a load balancer that exists. */
  readonly adopt?: undefined;
  /** The VPC. */
  readonly vpcId: pulumi.Input<string>;
  /** Subnets in at least two availability zones: public ones unless the load balancer is internal. */
  readonly subnetIds: pulumi.Input<pulumi.Input<string>[]>;
  /** Whether it has private addresses only. @default false */
  readonly internal?: boolean;
  /**
   * Networks whose clients are let in; none leaves the rules to you (`securityGroup`).
   * @default - 0.0.0.0/0 and ::/0; an internal load balancer has no default
   */
  readonly cidrs?: readonly string[];
  /** Addresses that the load balancer has. @default 'ipv4' - anything else needs subnets with IPv6 ranges */
  readonly ipAddressType?: AlbIpAddressType;
  /**
   * Bucket of the access logs; its policy has to let the load balancer write.
   * @default - no access logs
   * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/enable-access-logging.html
   */
  readonly accessLogs?: {
    /** Name of the S3 bucket. */
    readonly bucket: pulumi.Input<string>;
    /** What the names of the logs begin with. @default - nothing */
    readonly prefix?: pulumi.Input<string>;
  };
  /** Whether AWS refuses to delete it. @default false - a stack must be destroyable unless its owner says otherwise */
  readonly deletionProtection?: boolean;
  /** Seconds after which an idle connection is closed, 1 to 4000. @default 60 - AWS's own default */
  readonly idleTimeoutSeconds?: number;
  /** Raw arguments of the load balancer, over everything else. @default - none */
  readonly loadBalancerArgs?: Partial<aws.lb.LoadBalancerArgs>;
  /** Raw arguments of the load balancer's security group, over everything else. @default - none */
  readonly securityGroupArgs?: Partial<aws.ec2.SecurityGroupArgs>;
}

/** A load balancer that was made elsewhere and gets listeners here. */
export interface AdoptedAlbArgs extends AlbListenerArgs {
  /** The Application Load Balancer; its network and attributes stay as they are. */
  readonly adopt: {
    /** ARN of the load balancer. */
    readonly loadBalancerArn: pulumi.Input<string>;
    /** Its addresses: whether names get AAAA records. @default 'ipv4' */
    readonly ipAddressType?: AlbIpAddressType;
  };
}

/** What `WeightedAlb` takes. */
export type WeightedAlbArgs = CreatedAlbArgs | AdoptedAlbArgs;

export const weightedAlbArgsKeys: OptionsOf<WeightedAlbArgs> = {
  adopt: { loadBalancerArn: 'open', ipAddressType: 'plain' },
  vpcId: 'open',
  subnetIds: 'open',
  internal: 'plain',
  cidrs: 'list',
  ipAddressType: 'plain',
  accessLogs: { bucket: 'open', prefix: 'open' },
  deletionProtection: 'plain',
  idleTimeoutSeconds: 'plain',
  loadBalancerArgs: 'open',
  securityGroupArgs: 'open',
  certificateArn: 'open',
  additionalCertificateArns: 'open',
  sslPolicy: 'open',
  redirectHttp: 'plain',
  dns: albDnsKeys,
  webAclArn: 'open',
  tags: 'plain',
  listenerArgs: 'open',
  httpListenerArgs: 'open',
  recordArgs: 'open',
};
