import type { Format } from '../validation/problems';
import { parseArn } from './arns';

/**
 * The ID of a resource of Amazon EC2. What follows the prefix is AWS's own business, as long as it is letters and digits.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
 */
function resourceId(prefix: string, what: string): Format {
  const expression = new RegExp(`^${prefix}-[0-9a-z]{1,17}$`);
  return {
    allowed: `the ID of ${what}, such as "${prefix}-0123456789abcdef0"`,
    accepts: (value) => typeof value === 'string' && expression.test(value),
  };
}

/** ID of a VPC. */
export const vpcId = resourceId('vpc', 'a VPC');

/** ID of a subnet. */
export const subnetId = resourceId('subnet', 'a subnet');

/** ID of a security group. */
export const securityGroupId = resourceId('sg', 'a security group');

/** ID of a VPC endpoint. */
export const vpcEndpointId = resourceId('vpce', 'a VPC endpoint');

/**
 * ID of a hosted zone of Route 53.
 * @see https://docs.aws.amazon.com/Route53/latest/APIReference/API_HostedZone.html
 */
export const hostedZoneId: Format & { readonly form: RegExp } = {
  allowed: 'the id of a hosted zone, such as "Z1D633PJN98FT9"',
  form: /^(\/hostedzone\/)?[A-Z0-9]{1,32}$/,
  accepts: (value) => typeof value === 'string' && hostedZoneId.form.test(value),
};

/** A kind of resource, as its ARN says it. */
interface ArnForm {
  readonly service: string;
  /** Whether it belongs to a region. */
  readonly regional: boolean;
  readonly resource: RegExp;
  /** The resource, for people. */
  readonly shown: string;
}

function arnOf(what: string, ...forms: readonly ArnForm[]): Format {
  const shown = forms.map(
    ({ service, regional, shown: resource }) =>
      `arn:aws:${service}:${regional ? 'REGION' : ''}:ACCOUNT:${resource}`,
  );
  return {
    allowed: `the ARN of ${what}: ${shown.join(' or ')}`,
    accepts: (value) => {
      const parts = typeof value === 'string' ? parseArn(value) : undefined;
      return forms.some(
        ({ service, regional, resource }) =>
          parts?.service === service &&
          (parts.region !== '') === regional &&
          parts.account !== '' &&
          resource.test(parts.resource),
      );
    },
  };
}

/**
 * ARN of a certificate that a load balancer can have.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awscertificatemanager.html
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
 */
export const certificateArn = arnOf(
  'a certificate in AWS Certificate Manager or IAM',
  { service: 'acm', regional: true, resource: /^certificate\/[^/]+$/, shown: 'certificate/ID' },
  { service: 'iam', regional: false, resource: /^server-certificate\/./, shown: 'server-certificate/NAME' },
);

/**
 * ARN of a KMS key, or of an alias of one.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awskeymanagementservice.html
 */
export const kmsKeyArn = arnOf('a KMS key', {
  service: 'kms',
  regional: true,
  resource: /^(key|alias)\/./,
  shown: 'key/ID',
});

/**
 * ARN of a regional web ACL of AWS WAF.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awswafv2.html
 */
export const webAclArn = arnOf('a regional web ACL', {
  service: 'wafv2',
  regional: true,
  resource: /^regional\/webacl(\/[^/]+){2}$/,
  shown: 'regional/webacl/NAME/ID',
});

/**
 * ARNs of Elastic Load Balancing.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
const elb = { service: 'elasticloadbalancing', regional: true };

/** ARN of a load balancer. */
export const loadBalancerArn = arnOf('an Application or Network Load Balancer', {
  ...elb,
  resource: /^loadbalancer\/(app|net)(\/[^/]+){2}$/,
  shown: 'loadbalancer/app/NAME/ID, or with net',
});

/** ARN of a listener. */
export const listenerArn = arnOf('a listener', {
  ...elb,
  resource: /^listener\/(app|net)(\/[^/]+){3}$/,
  shown: 'listener/net/NAME/ID/ID, or with app',
});

/** ARN of an Application Load Balancer. */
export const applicationLoadBalancerArn = arnOf('an Application Load Balancer', {
  ...elb,
  resource: /^loadbalancer\/app(\/[^/]+){2}$/,
  shown: 'loadbalancer/app/NAME/ID',
});

/** ARN of a listener of an Application Load Balancer: no other has rules. */
export const applicationListenerArn = arnOf('a listener of an Application Load Balancer', {
  ...elb,
  resource: /^listener\/app(\/[^/]+){3}$/,
  shown: 'listener/app/NAME/ID/ID',
});

/** ARN of a target group. */
export const targetGroupArnFormat = arnOf('a target group', {
  ...elb,
  resource: /^targetgroup(\/[^/]+){2}$/,
  shown: 'targetgroup/NAME/ID',
});

/**
 * ARN of a policy, of an account or AWS's own.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
 */
export const iamPolicyArn: Format = {
  allowed: 'the ARN of an IAM policy: arn:aws:iam::ACCOUNT:policy/NAME, or arn:aws:iam::aws:policy/NAME',
  accepts: (value) =>
    typeof value === 'string' && /^arn:aws[a-z-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/.test(value),
};

/**
 * ARN of who can have an access entry of EKS: a role or a user.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
 */
export const principalArn = arnOf(
  'an IAM role or user',
  { service: 'iam', regional: false, resource: /^role\/./, shown: 'role/NAME' },
  { service: 'iam', regional: false, resource: /^user\/./, shown: 'user/NAME' },
);
