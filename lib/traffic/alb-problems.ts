import {
  applicationLoadBalancerArn,
  certificateArn,
  checkTags,
  hostedZoneId,
  subnetId,
  vpcId,
  webAclArn,
} from '../aws';
import { checkInput, checkInputs } from '../bridge';
import type { Problem, Rule } from '../problems';
import { dnsLabel, oneOf, Problems, wholeNumber, networkCidr } from '../problems';
import type { AdoptedAlbArgs, AlbIpAddressType, CreatedAlbArgs, WeightedAlbArgs } from './alb-arguments';

/** AWS allows 32 characters in a load balancer's name, of which Pulumi takes 8 to make it unique. */
const longestName = 24;

/**
 * A name that a load balancer and its security group can both be called by.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
 */
const loadBalancerName: Rule = {
  allowed: `letters, digits and "-", a letter or digit at both ends, not "internal-" or "sg-" in front, at most ${longestName} characters (AWS allows 32, of which Pulumi adds 8)`,
  accepts: (value) =>
    typeof value === 'string' &&
    value.length <= longestName &&
    /^(?!internal-|sg-)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(value),
};

const ipAddressTypes: readonly AlbIpAddressType[] = ['ipv4', 'dualstack', 'dualstack-without-public-ipv4'];

const recordName: Rule = {
  allowed:
    'a whole host name such as www.example.com, in lower case, "*" only as its first part, at most 253 characters',
  accepts: (value) =>
    typeof value === 'string' &&
    value.length <= 253 &&
    /^(\*|[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)+$/.test(value),
};

const createdOnly: readonly (keyof CreatedAlbArgs)[] = [
  'vpcId',
  'subnetIds',
  'internal',
  'cidrs',
  'ipAddressType',
  'accessLogs',
  'deletionProtection',
  'idleTimeoutSeconds',
  'loadBalancerArgs',
  'securityGroupArgs',
];

/** What is wrong with the plain values of a `WeightedAlb`. */
export function albProblems(name: string, args: WeightedAlbArgs): readonly Problem[] {
  const problems = new Problems('WeightedAlb');
  if (args.certificateArn === undefined) {
    problems.add('certificateArn', undefined, 'the ARN of a certificate in AWS Certificate Manager or IAM');
  }
  checkTags(problems, 'tags', args.tags);
  checkInput(problems, 'certificateArn', args.certificateArn, certificateArn);
  checkInputs(problems, 'additionalCertificateArns', args.additionalCertificateArns, certificateArn);
  checkInput(problems, 'webAclArn', args.webAclArn, webAclArn);
  checkInput(problems, 'dns.zoneId', args.dns?.zoneId, hostedZoneId);
  for (const certificate of Object.keys(args.additionalCertificateArns ?? {})) {
    problems.check(`additionalCertificateArns.${certificate}`, certificate, dnsLabel);
  }
  dnsProblems(problems, args.dns?.names);
  if (args.adopt === undefined) {
    createdProblems(problems, name, args);
  } else {
    adoptedProblems(problems, args);
  }
  return problems.all;
}

function dnsProblems(problems: Problems, names: readonly string[] | undefined): void {
  names?.forEach((name, index) => {
    problems.check(`dns.names[${index}]`, name, recordName);
    if (names.indexOf(name) !== index) {
      problems.add(`dns.names[${index}]`, name, 'given once');
    }
  });
}

function createdProblems(problems: Problems, name: string, args: CreatedAlbArgs): void {
  if (args.loadBalancerArgs?.name === undefined) {
    problems.check('name', name, loadBalancerName);
  }
  if (args.vpcId === undefined) {
    problems.add('vpcId', undefined, 'the ID of a VPC, or left out with adopt: { loadBalancerArn }');
  }
  checkInput(problems, 'vpcId', args.vpcId, vpcId);
  checkInputs(problems, 'subnetIds', args.subnetIds, subnetId);
  const raw = args.loadBalancerArgs;
  const ownSubnets = raw?.subnets === undefined && raw?.subnetMappings === undefined;
  if (ownSubnets && (args.subnetIds === undefined || isTooShort(args.subnetIds))) {
    problems.add('subnetIds', args.subnetIds, 'subnets in at least two availability zones');
  }
  if (args.internal === true && args.cidrs === undefined) {
    problems.add('cidrs', undefined, 'the networks whose clients may reach an internal load balancer');
  }
  args.cidrs?.forEach((cidr, index) => {
    problems.check(`cidrs[${index}]`, cidr, networkCidr);
    if (args.cidrs!.indexOf(cidr) !== index) {
      problems.add(`cidrs[${index}]`, cidr, 'given once');
    }
  });
  if (args.ipAddressType !== undefined) {
    problems.check('ipAddressType', args.ipAddressType, oneOf(...ipAddressTypes));
    if (args.internal === true && args.ipAddressType === 'dualstack-without-public-ipv4') {
      problems.add('ipAddressType', args.ipAddressType, 'ipv4 or dualstack for an internal load balancer');
    }
  }
  if (args.idleTimeoutSeconds !== undefined) {
    problems.check('idleTimeoutSeconds', args.idleTimeoutSeconds, wholeNumber(1, 4000));
  }
}

function isTooShort(subnets: unknown): boolean {
  return Array.isArray(subnets) && subnets.length < 2;
}

function adoptedProblems(problems: Problems, args: AdoptedAlbArgs): void {
  if (args.adopt.loadBalancerArn === undefined) {
    problems.add('adopt.loadBalancerArn', undefined, 'the ARN of an Application Load Balancer');
  }
  checkInput(problems, 'adopt.loadBalancerArn', args.adopt.loadBalancerArn, applicationLoadBalancerArn);
  if (args.adopt.ipAddressType !== undefined) {
    problems.check('adopt.ipAddressType', args.adopt.ipAddressType, oneOf(...ipAddressTypes));
  }
  const given = args as Partial<Record<keyof CreatedAlbArgs, unknown>>;
  for (const field of createdOnly.filter((each) => given[each] !== undefined)) {
    problems.add(field, given[field], 'left out where the load balancer is adopted: it is made elsewhere');
  }
}
