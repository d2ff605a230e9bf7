import type { CloudWatch } from '@aws-sdk/client-cloudwatch';
import type { EC2 } from '@aws-sdk/client-ec2';
import type { EKS } from '@aws-sdk/client-eks';
import type {
  ElasticLoadBalancingV2,
  ElasticLoadBalancingV2ClientConfig,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { EventBridge } from '@aws-sdk/client-eventbridge';
import type { Route53 } from '@aws-sdk/client-route-53';
import type { S3 } from '@aws-sdk/client-s3';
import type { ServiceQuotas } from '@aws-sdk/client-service-quotas';
import type { SNS } from '@aws-sdk/client-sns';
import type { SSM } from '@aws-sdk/client-ssm';
import type { STS } from '@aws-sdk/client-sts';
import type { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { object, optional } from '../validation/collections';
import { number, oneOf, secret, text } from '../validation/values';
import { awsAccess } from './access-schema';
import type { AwsAccess } from './arns';
import { limitedAnswer, requestHandler } from './requests';

/** How AWS is called. */
export interface AwsClientsOptions extends AwsAccess {
  /** URL that stands for every service. @default - AWS's own, or that of the variable `AWS_ENDPOINT_URL` */
  readonly endpoint?: string;
  /** Credentials that don't change. @default - those of {@link AwsAccess.roleArn} or of the default chain */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Name of the role's sessions, as CloudTrail shows it. @default 'cluster-canary' */
  readonly sessionName?: string;
  /** How often a call is tried that is throttled or gets no answer; `sentOnce` takes a command out of it. @default 5 - the last pause is up to 8 s */
  readonly maxAttempts?: number;
  /**
   * Whether the rate of all calls adapts to throttling, or each call alone waits until it is tried again: sooner done, at the
   * cost of others in the account. @default 'adaptive'
   */
  readonly retryMode?: 'adaptive' | 'standard';
  /** How long a connection may take, in milliseconds. @default 3000 */
  readonly connectionTimeout?: number;
  /** How long an answer may take, in milliseconds. @default 10000 */
  readonly requestTimeout?: number;
}

const milliseconds = number('a number of milliseconds, at least 0', { min: 0 });

/** Schema of `AwsClientsOptions`. */
export const awsClientsOptions = object<AwsClientsOptions>({
  ...awsAccess,
  endpoint: optional(text('a URL')),
  credentials: optional(
    object<NonNullable<AwsClientsOptions['credentials']>>({
      accessKeyId: secret(text('an access key')),
      secretAccessKey: secret(text('a secret key')),
    }),
  ),
  sessionName: optional(text('a text')),
  maxAttempts: optional(number('a whole number, at least 1', { min: 1, whole: true })),
  retryMode: optional(oneOf('adaptive', 'standard')),
  connectionTimeout: optional(milliseconds),
  requestTimeout: optional(milliseconds),
});

/** What every client of the SDK takes. */
type ClientSettings = Pick<
  ElasticLoadBalancingV2ClientConfig,
  'region' | 'endpoint' | 'credentials' | 'retryMode' | 'maxAttempts' | 'requestHandler' | 'streamCollector'
>;

/** The SDK's own words for the options. */
async function clientSettings(options: AwsClientsOptions): Promise<ClientSettings> {
  const { region, endpoint } = options;
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    credentials:
      options.roleArn === undefined ? await ownCredentials(options) : await roleCredentials(options),
    ...(await sending(options)),
    retryMode: options.retryMode ?? 'adaptive',
  };
}

/** How requests are sent, and answers read: the same for what is asked and for the credentials to ask it with. */
async function sending(
  options: AwsClientsOptions,
): Promise<Pick<ClientSettings, 'maxAttempts' | 'requestHandler' | 'streamCollector'>> {
  return {
    maxAttempts: options.maxAttempts ?? 5,
    requestHandler: await requestHandler({
      connectionTimeout: options.connectionTimeout ?? 3_000,
      requestTimeout: options.requestTimeout ?? 10_000,
    }),
    streamCollector: (body: unknown) => limitedAnswer(body),
  };
}

/**
 * Those of the default chain: with settings of its own, since the chain gives those of its client to STS and not to
 * IAM Identity Center (SSO). Where it asks the machine or the container itself, it does so directly.
 */
async function ownCredentials(
  options: AwsClientsOptions,
): Promise<NonNullable<ClientSettings['credentials']>> {
  if (options.credentials) {
    return options.credentials;
  }
  const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers');
  return fromNodeProviderChain({ clientConfig: await sending(options) });
}

/** Credentials of the role, which are fetched again before they expire. */
export async function roleCredentials(
  options: AwsClientsOptions,
): Promise<ReturnType<typeof fromTemporaryCredentials>> {
  const { roleArn, sessionName = 'cluster-canary', endpoint, region } = options;
  const sdk = await import('@aws-sdk/credential-providers');
  return sdk.fromTemporaryCredentials({
    params: { RoleArn: roleArn, RoleSessionName: sessionName },
    masterCredentials: await ownCredentials(options),
    clientConfig: {
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
      ...(await sending(options)),
    },
  });
}

/**
 * The clients of one region and role. Each is loaded and made when it is first asked for: an SDK client takes a tenth of a
 * second to load.
 */
export interface AwsClients {
  readonly region?: string;
  elasticLoadBalancing(): Promise<ElasticLoadBalancingV2>;
  route53(): Promise<Route53>;
  cloudWatch(): Promise<CloudWatch>;
  s3(): Promise<S3>;
  ssm(): Promise<SSM>;
  eks(): Promise<EKS>;
  ec2(): Promise<EC2>;
  serviceQuotas(): Promise<ServiceQuotas>;
  sts(): Promise<STS>;
  sns(): Promise<SNS>;
  eventBridge(): Promise<EventBridge>;
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
    s3: () =>
      lazily('s3', async (settings) => {
        const sdk = await import('@aws-sdk/client-s3');
        // Buckets are parts of the host's name at AWS; behind another address they are in the path.
        return new sdk.S3({
          ...settings,
          forcePathStyle: settings.endpoint !== undefined || hasOwnEndpoint(),
        });
      }),
    ssm: () => lazily('ssm', async (settings) => new (await import('@aws-sdk/client-ssm')).SSM(settings)),
    eks: () => lazily('eks', async (settings) => new (await import('@aws-sdk/client-eks')).EKS(settings)),
    ec2: () => lazily('ec2', async (settings) => new (await import('@aws-sdk/client-ec2')).EC2(settings)),
    serviceQuotas: () =>
      lazily(
        'serviceQuotas',
        async (settings) => new (await import('@aws-sdk/client-service-quotas')).ServiceQuotas(settings),
      ),
    sts: () => lazily('sts', async (settings) => new (await import('@aws-sdk/client-sts')).STS(settings)),
    sns: () => lazily('sns', async (settings) => new (await import('@aws-sdk/client-sns')).SNS(settings)),
    eventBridge: () =>
      lazily(
        'eventBridge',
        async (settings) => new (await import('@aws-sdk/client-eventbridge')).EventBridge(settings),
      ),
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

/** Variables that the SDK reads its endpoint from. */
function hasOwnEndpoint(env: NodeJS.ProcessEnv = process.env): boolean {
  return ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'].some((name) => (env[name] ?? '') !== '');
}
