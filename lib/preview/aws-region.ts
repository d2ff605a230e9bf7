import { partitionOf } from '../aws';

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
  if (region === undefined) {
    return undefined;
  }
  const { id: partition, dnsSuffix } = partitionOf(region);
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
