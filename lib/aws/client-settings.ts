import type { ElasticLoadBalancingV2ClientConfig } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import type { OptionsOf } from '../problems';
import type { AwsAccess } from './access';
import { awsAccessKeys } from './access';
import { limitedAnswer } from './limited-answer';
import { requestHandler } from './request-handler';

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
  /** How long a connection may take, in milliseconds. @default 3000 */
  readonly connectionTimeout?: number;
  /** How long an answer may take, in milliseconds. @default 10000 */
  readonly requestTimeout?: number;
}

/** Keys of `AwsClientsOptions`. */
export const awsClientsOptionsKeys: OptionsOf<AwsClientsOptions> = {
  ...awsAccessKeys,
  endpoint: 'plain',
  credentials: { accessKeyId: 'plain', secretAccessKey: 'plain' },
  sessionName: 'plain',
  maxAttempts: 'plain',
  connectionTimeout: 'plain',
  requestTimeout: 'plain',
};

/** What every client of the SDK takes. */
export type ClientSettings = Pick<
  ElasticLoadBalancingV2ClientConfig,
  'region' | 'endpoint' | 'credentials' | 'retryMode' | 'maxAttempts' | 'requestHandler' | 'streamCollector'
>;

/** The SDK's own words for the options. */
export async function clientSettings(options: AwsClientsOptions): Promise<ClientSettings> {
  const { region, endpoint } = options;
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    credentials:
      options.roleArn === undefined ? await ownCredentials(options) : await roleCredentials(options),
    ...(await sending(options)),
    retryMode: 'adaptive',
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
