import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import {
  applicationLoadBalancerArn,
  certificateArn,
  hostedZoneId,
  subnetId,
  vpcId,
  webAclArn,
} from '../../core/aws/identifiers';
import { rawArgs } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { dnsLabel, networkCidr } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { flag, following, later, oneOf, text, whole } from '../../core/validation/values';
import { awsTags, input, inputList, inputsByName, plainList } from '../input-schemas';

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
  /** ARN of a regional web ACL (AWS WAF) that evaluates requests first. @default - none */
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

/** AWS allows 32 characters in a load balancer's name, of which Pulumi takes 8 to make it unique. */
const longestName = 24;

/**
 * A name that a load balancer and its security group can both be called by.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
 */
const loadBalancerName: Format = {
  allowed: `letters, digits and "-", a letter or digit at both ends, not "internal-" or "sg-" in front, at most ${longestName} characters (AWS allows 32, of which Pulumi adds 8)`,
  accepts: (value) =>
    typeof value === 'string' &&
    value.length <= longestName &&
    /^(?!internal-|sg-)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(value),
};

const recordName: Format = {
  allowed:
    'a whole host name such as www.example.com, in lower case, "*" only as its first part, at most 253 characters',
  accepts: (value) =>
    typeof value === 'string' &&
    value.length <= 253 &&
    /^(\*|[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)+$/.test(value),
};

const ipAddressType = oneOf('ipv4', 'dualstack', 'dualstack-without-public-ipv4');

/** What only a load balancer has that is created. */
type CreatedOnlyArgs = Partial<Omit<CreatedAlbArgs, keyof AlbListenerArgs | 'adopt'>>;

const createdEntries: Entries<CreatedOnlyArgs> = {
  vpcId: optional(input(vpcId)),
  subnetIds: optional(inputList(subnetId)),
  internal: optional(flag),
  cidrs: optional(plainList(following(networkCidr))),
  ipAddressType: optional(ipAddressType),
  accessLogs: optional(
    object<NonNullable<CreatedAlbArgs['accessLogs']>>({
      bucket: later(text('the name of an S3 bucket')),
      prefix: optional(later(text('a text'))),
    }),
  ),
  deletionProtection: optional(flag),
  idleTimeoutSeconds: optional(whole(1, 4000)),
  loadBalancerArgs: optional(rawArgs),
  securityGroupArgs: optional(rawArgs),
};

/** All arguments of either kind of load balancer; which go together is said by `albProblems`. */
type AnyAlbArgs = AlbListenerArgs & CreatedOnlyArgs & Partial<AdoptedAlbArgs>;

export const weightedAlbSchema: Schema<AnyAlbArgs> = object<AnyAlbArgs>({
  certificateArn: input(certificateArn),
  additionalCertificateArns: optional(inputsByName(certificateArn, dnsLabel)),
  sslPolicy: optional(later(text('the name of a security policy'))),
  redirectHttp: optional(flag),
  dns: optional(object<AlbDns>({ zoneId: input(hostedZoneId), names: plainList(following(recordName)) })),
  webAclArn: optional(input(webAclArn)),
  tags: optional(awsTags),
  listenerArgs: optional(rawArgs),
  httpListenerArgs: optional(rawArgs),
  recordArgs: optional(rawArgs),
  adopt: optional(
    object<AdoptedAlbArgs['adopt']>({
      loadBalancerArn: input(applicationLoadBalancerArn),
      ipAddressType: optional(ipAddressType),
    }),
  ),
  ...createdEntries,
});

/** What the schema does not say of the arguments of a `WeightedAlb`. */
export function albProblems(name: string, args: Partial<AnyAlbArgs>): readonly Problem[] {
  const problems = new Problems('WeightedAlb');
  repeated(problems, 'dns.names', args.dns?.names);
  if (args.adopt === undefined) {
    createdProblems(problems, name, args);
  } else {
    const createdOnly = Object.keys(createdEntries) as (keyof CreatedOnlyArgs)[];
    for (const field of createdOnly.filter((each) => args[each] !== undefined)) {
      problems.conflicts(field, 'adopt: the load balancer is made elsewhere');
    }
  }
  return problems.all;
}

function repeated(problems: Problems, path: string, values: readonly string[] = []): void {
  values.forEach((value, index) => {
    if (values.indexOf(value) !== index) {
      problems.add(`${path}[${index}]`, value, 'given once');
    }
  });
}

function createdProblems(problems: Problems, name: string, args: Partial<AnyAlbArgs>): void {
  if (args.loadBalancerArgs?.name === undefined) {
    problems.check('name', name, loadBalancerName);
  }
  if (args.vpcId === undefined) {
    problems.require('vpcId', 'the ID of a VPC, or adopt: { loadBalancerArn } in its place');
  }
  const raw = args.loadBalancerArgs;
  const ownSubnets = raw?.subnets === undefined && raw?.subnetMappings === undefined;
  if (ownSubnets && (args.subnetIds === undefined || isTooShort(args.subnetIds))) {
    problems.add('subnetIds', args.subnetIds, 'subnets in at least two availability zones');
  }
  if (args.internal === true && args.cidrs === undefined) {
    problems.require('cidrs', 'the networks whose clients may reach an internal load balancer');
  }
  repeated(problems, 'cidrs', args.cidrs);
  if (args.internal === true && args.ipAddressType === 'dualstack-without-public-ipv4') {
    problems.add('ipAddressType', args.ipAddressType, 'ipv4 or dualstack for an internal load balancer');
  }
}

function isTooShort(subnets: unknown): boolean {
  return Array.isArray(subnets) && subnets.length < 2;
}
