import type { ElasticLoadBalancingV2ClientConfig } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsAccess } from './access';
import { limitedAnswer } from './limited-answer';

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
    ...(await credentials(options)),
    retryMode: 'adaptive',
    maxAttempts: options.maxAttempts ?? 5,
    requestHandler: timeouts(options),
    streamCollector: (body: unknown) => limitedAnswer(body),
  };
}

function timeouts(options: AwsClientsOptions): ClientSettings['requestHandler'] {
  return {
    connectionTimeout: options.connectionTimeout ?? 3_000,
    requestTimeout: options.requestTimeout ?? 10_000,
    // Without it, the SDK only warns.
    throwOnRequestTimeout: true,
  };
}

async function credentials(options: AwsClientsOptions): Promise<Pick<ClientSettings, 'credentials'>> {
  const { roleArn, sessionName = 'cluster-canary', endpoint, region } = options;
  if (roleArn === undefined) {
    return options.credentials ? { credentials: options.credentials } : {};
  }
  const { fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
  return {
    credentials: fromTemporaryCredentials({
      params: { RoleArn: roleArn, RoleSessionName: sessionName },
      ...(options.credentials && { masterCredentials: options.credentials }),
      clientConfig: {
        ...(endpoint !== undefined && { endpoint }),
        ...(region !== undefined && { region }),
        maxAttempts: options.maxAttempts ?? 5,
        requestHandler: timeouts(options),
        streamCollector: (body: unknown) => limitedAnswer(body),
      },
    }),
  };
}
