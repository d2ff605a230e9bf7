/** Partitions that are told apart by a region's prefix; every region without one is in `aws`. */
const partitions = [
  { prefix: 'cn-', partition: 'aws-cn', dnsSuffix: 'amazonaws.com.cn' },
  { prefix: 'us-gov-', partition: 'aws-us-gov', dnsSuffix: 'amazonaws.com' },
];

/** Regions of partitions whose domain names are not known here. */
const elsewhere = /^(us-iso|eu-iso|eusc-)/;

/**
 * What AWS's functions about the region answer, as far as the region alone says it.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/getregion/
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/getpartition/
 * @returns nothing for other functions, or where the region is not known
 */
export function answerAboutRegion(
  token: string,
  region: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (region === undefined || elsewhere.test(region)) {
    return undefined;
  }
  const { partition, dnsSuffix } = partitions.find(({ prefix }) => region.startsWith(prefix)) ?? {
    partition: 'aws',
    dnsSuffix: 'amazonaws.com',
  };
  switch (token) {
    case 'aws:index/getRegion:getRegion':
      return { id: region, name: region, region, endpoint: `ec2.${region}.${dnsSuffix}` };
    case 'aws:index/getPartition:getPartition':
      return {
        id: partition,
        partition,
        dnsSuffix,
        reverseDnsPrefix: dnsSuffix.split('.').reverse().join('.'),
      };
    default:
      return undefined;
  }
}
