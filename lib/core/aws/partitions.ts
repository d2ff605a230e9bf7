/** A group of regions that share accounts, the beginning of ARNs and domain names. */
export interface AwsPartition {
  /** What follows `arn:`: `aws`, `aws-cn`, … */
  readonly id: string;
  /** Names of its regions. */
  readonly regions: RegExp;
  /** Domain of its endpoints: `amazonaws.com`. */
  readonly dnsSuffix: string;
  /** Domain of endpoints that have IPv6 addresses, too: `api.aws`. */
  readonly dualStackDnsSuffix: string;
}

/**
 * AWS's partitions, as the AWS SDK has them for its endpoints. They are written down here because the SDK is loaded only when
 * AWS is called; a test compares them with those of the SDK.
 *
 * @see https://github.com/smithy-lang/smithy/blob/main/smithy-aws-endpoints/src/main/resources/software/amazon/smithy/rulesengine/aws/language/functions/partitions.json
 * @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
 */
export const awsPartitions: readonly AwsPartition[] = [
  {
    id: 'aws',
    regions: /^(us|eu|ap|sa|ca|me|af|il|mx)-\w+-\d+$/,
    dnsSuffix: 'amazonaws.com',
    dualStackDnsSuffix: 'api.aws',
  },
  {
    id: 'aws-cn',
    regions: /^cn-\w+-\d+$/,
    dnsSuffix: 'amazonaws.com.cn',
    dualStackDnsSuffix: 'api.amazonwebservices.com.cn',
  },
  {
    id: 'aws-eusc',
    regions: /^eusc-(de)-\w+-\d+$/,
    dnsSuffix: 'amazonaws.eu',
    dualStackDnsSuffix: 'api.amazonwebservices.eu',
  },
  {
    id: 'aws-iso',
    regions: /^us-iso-\w+-\d+$/,
    dnsSuffix: 'c2s.ic.gov',
    dualStackDnsSuffix: 'api.aws.ic.gov',
  },
  {
    id: 'aws-iso-b',
    regions: /^us-isob-\w+-\d+$/,
    dnsSuffix: 'sc2s.sgov.gov',
    dualStackDnsSuffix: 'api.aws.scloud',
  },
  {
    id: 'aws-iso-e',
    regions: /^eu-isoe-\w+-\d+$/,
    dnsSuffix: 'cloud.adc-e.uk',
    dualStackDnsSuffix: 'api.cloud-aws.adc-e.uk',
  },
  {
    id: 'aws-iso-f',
    regions: /^us-isof-\w+-\d+$/,
    dnsSuffix: 'csp.hci.ic.gov',
    dualStackDnsSuffix: 'api.aws.hci.ic.gov',
  },
  {
    id: 'aws-us-gov',
    regions: /^us-gov-\w+-\d+$/,
    dnsSuffix: 'amazonaws.com',
    dualStackDnsSuffix: 'api.aws',
  },
];

/**
 * The partition of a region.
 *
 * @param region `eu-west-1`; without one, and for a region that no partition is known to have, `aws`, as the AWS SDK does
 */
export function partitionOf(region?: string): AwsPartition {
  const found = region === undefined ? undefined : awsPartitions.find(({ regions }) => regions.test(region));
  return found ?? awsPartitions[0]!;
}

/** Domains of AWS's endpoints, in any partition. */
export function awsDomains(): readonly string[] {
  return [
    ...new Set(awsPartitions.flatMap(({ dnsSuffix, dualStackDnsSuffix }) => [dnsSuffix, dualStackDnsSuffix])),
  ];
}
