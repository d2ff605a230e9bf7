import type { EC2 } from '@aws-sdk/client-ec2';

/**
 * A client of EC2 with the retries and time limits of the library's other clients. It is loaded when it is first asked for.
 *
 * @param region `eu-west-1` @default - that of the environment or the profile
 */
export async function ec2Client(region: string | undefined): Promise<EC2> {
  const sdk = await import('@aws-sdk/client-ec2');
  return new sdk.EC2({
    ...(region !== undefined && { region }),
    retryMode: 'adaptive',
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
}
