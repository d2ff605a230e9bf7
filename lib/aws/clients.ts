import type { CloudWatch } from '@aws-sdk/client-cloudwatch';
import type { EC2 } from '@aws-sdk/client-ec2';
import type { EKS } from '@aws-sdk/client-eks';
import type { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Route53 } from '@aws-sdk/client-route-53';
import type { SSM } from '@aws-sdk/client-ssm';
import type { STS } from '@aws-sdk/client-sts';
import type { AwsClientsOptions, ClientSettings } from './client-settings';
import { clientSettings } from './client-settings';

/**
 * The clients of one region and role. Each is loaded and made when it is first asked for: an SDK client takes a tenth of a
 * second to load.
 */
export interface AwsClients {
  readonly region?: string;
  elasticLoadBalancing(): Promise<ElasticLoadBalancingV2>;
  route53(): Promise<Route53>;
  cloudWatch(): Promise<CloudWatch>;
  ssm(): Promise<SSM>;
  eks(): Promise<EKS>;
  ec2(): Promise<EC2>;
  sts(): Promise<STS>;
  /** Closes the connections of all clients that were made. */
  close(): void;
}

/**
 * Clients of AWS that a long shift can rely on: throttled calls and those without an answer are repeated with growing,
 * random pauses, at a rate that adapts to the throttling; each call has its time-out; credentials are fetched again before
 * they expire.
 *
 * Credentials that can't be fetched again (`AWS_SESSION_TOKEN` in the environment) end with their session.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function awsClients(options: AwsClientsOptions = {}): AwsClients {
  const made = new Map<string, Promise<{ destroy(): void }>>();
  const lazily = <Client extends { destroy(): void }>(
    name: string,
    make: (settings: ClientSettings) => Promise<Client>,
    region = options.region,
  ): Promise<Client> => {
    const client = made.get(name) ?? clientSettings({ ...options, region }).then(make);
    made.set(name, client);
    return client as Promise<Client>;
  };
  return {
    region: options.region,
    elasticLoadBalancing: () =>
      lazily('elasticLoadBalancing', async (settings) => {
        const sdk = await import('@aws-sdk/client-elastic-load-balancing-v2');
        return new sdk.ElasticLoadBalancingV2(settings);
      }),
    // Route 53 is in no region, but the client wants to know its partition.
    route53: () =>
      lazily(
        'route53',
        async (settings) => new (await import('@aws-sdk/client-route-53')).Route53(settings),
        options.region ?? 'us-east-1',
      ),
    cloudWatch: () =>
      lazily(
        'cloudWatch',
        async (settings) => new (await import('@aws-sdk/client-cloudwatch')).CloudWatch(settings),
      ),
    ssm: () => lazily('ssm', async (settings) => new (await import('@aws-sdk/client-ssm')).SSM(settings)),
    eks: () => lazily('eks', async (settings) => new (await import('@aws-sdk/client-eks')).EKS(settings)),
    ec2: () => lazily('ec2', async (settings) => new (await import('@aws-sdk/client-ec2')).EC2(settings)),
    sts: () => lazily('sts', async (settings) => new (await import('@aws-sdk/client-sts')).STS(settings)),
    close: () => {
      for (const client of made.values()) {
        client.then(
          (one) => one.destroy(),
          () => undefined,
        );
      }
      made.clear();
    },
  };
}
