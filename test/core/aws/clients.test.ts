import type { AwsClients, AwsClientsOptions } from '../../../lib/core/aws/clients';

/** Constructors that stand in for the SDK's: they write down that they were loaded, and what they were given. */
const loaded: string[] = [];
const given: { name: string; settings: any }[] = [];
const destroyed: string[] = [];

function standIn(name: string) {
  loaded.push(name);
  return class {
    public constructor(settings: object) {
      given.push({ name, settings });
    }
    public destroy() {
      destroyed.push(name);
    }
  };
}

jest.mock('@aws-sdk/client-elastic-load-balancing-v2', () => ({ ElasticLoadBalancingV2: standIn('elb') }));
jest.mock('@aws-sdk/client-route-53', () => ({ Route53: standIn('route53') }));
jest.mock('@aws-sdk/client-cloudwatch', () => ({ CloudWatch: standIn('cloudwatch') }));
jest.mock('@aws-sdk/client-s3', () => ({ S3: standIn('s3') }));
jest.mock('@aws-sdk/client-ssm', () => ({ SSM: standIn('ssm') }));
jest.mock('@aws-sdk/client-sts', () => ({ STS: standIn('sts') }));
jest.mock('@aws-sdk/client-eks', () => ({ EKS: standIn('eks') }));
jest.mock('@aws-sdk/client-service-quotas', () => ({ ServiceQuotas: standIn('quotas') }));
jest.mock('@aws-sdk/client-sns', () => ({ SNS: standIn('sns') }));
jest.mock('@aws-sdk/client-eventbridge', () => ({ EventBridge: standIn('eventbridge') }));
jest.mock('@aws-sdk/credential-providers', () => {
  loaded.push('credentials');
  return {
    fromTemporaryCredentials: (options: object) => ({ temporary: options }),
    fromNodeProviderChain: (options: object) => ({ chain: options }),
  };
});
jest.mock('@smithy/node-http-handler', () => ({
  NodeHttpHandler: class {
    public metadata: object;
    public constructor(options: object) {
      this.metadata = { options };
    }
    public destroy() {
      destroyed.push('handler');
    }
  },
}));

/** A handler of requests, with what those that go to AWS directly are made with. */
const handler = (connectionTimeout: number, requestTimeout: number) =>
  expect.objectContaining({
    metadata: { options: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true } },
    handle: expect.any(Function),
  });

async function clientsOf(options?: AwsClientsOptions): Promise<AwsClients> {
  const { awsClients } = await import('../../../lib/core/aws/clients');
  return awsClients(options);
}

beforeEach(() => {
  jest.resetModules();
  for (const list of [loaded, given, destroyed]) {
    list.length = 0;
  }
});

test('the modules load no SDK client', async () => {
  await import('cluster-canary/leases');
  await import('cluster-canary/routers');
  await clientsOf({ region: 'eu-west-1', roleArn: 'arn:aws:iam::123456789012:role/canary' });
  expect(loaded).toEqual([]);
});

test.each([
  ['elasticLoadBalancing', 'elb'],
  ['route53', 'route53'],
  ['cloudWatch', 'cloudwatch'],
  ['s3', 's3'],
  ['ssm', 'ssm'],
  ['eks', 'eks'],
  ['serviceQuotas', 'quotas'],
  ['sts', 'sts'],
  ['sns', 'sns'],
  ['eventBridge', 'eventbridge'],
] as const)('%s is loaded when it is asked for, and made once', async (method, name) => {
  const clients = await clientsOf({ region: 'eu-west-1' });
  const [one, other] = await Promise.all([clients[method](), clients[method]()]);
  expect(one).toBe(other);
  expect(loaded).toEqual(['credentials', name]);
  expect(given).toHaveLength(1);
});

test('calls are repeated at an adaptive rate, and time out', async () => {
  await (await clientsOf()).ssm();
  expect(given[0]!.settings).toEqual({
    retryMode: 'adaptive',
    maxAttempts: 5,
    requestHandler: handler(3_000, 10_000),
    streamCollector: expect.any(Function),
    // The clients that ask for credentials are no less careful.
    credentials: {
      chain: {
        clientConfig: {
          maxAttempts: 5,
          requestHandler: handler(3_000, 10_000),
          streamCollector: expect.any(Function),
        },
      },
    },
  });
});

test('every setting can be chosen', async () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const clients = await clientsOf({
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:1',
    credentials,
    maxAttempts: 2,
    connectionTimeout: 10,
    requestTimeout: 20,
  });
  await clients.eks();
  expect(given[0]!.settings).toEqual({
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:1',
    credentials,
    retryMode: 'adaptive',
    maxAttempts: 2,
    requestHandler: handler(10, 20),
    streamCollector: expect.any(Function),
  });
});

test.each([
  ['at AWS', {}, {}, false],
  ['of a setting', { endpoint: 'http://127.0.0.1:1' }, {}, true],
  ['of a variable', {}, { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' }, true],
])('the name of a bucket is in the path behind an address %s', async (_, options, env, inPath) => {
  Object.assign(process.env, env);
  try {
    await (await clientsOf({ region: 'eu-west-1', ...options })).s3();
  } finally {
    delete process.env['AWS_ENDPOINT_URL_S3'];
  }
  expect(given[0]!.settings.forcePathStyle).toBe(inPath);
});

test('a role is assumed by a provider that fetches new credentials, under a name', async () => {
  const roleArn = 'arn:aws:iam::123456789012:role/canary';
  await (await clientsOf({ region: 'eu-west-1', roleArn })).ssm();
  expect(loaded).toEqual(['credentials', 'ssm']);
  expect(given[0]!.settings.credentials.temporary).toMatchObject({
    params: { RoleArn: roleArn, RoleSessionName: 'cluster-canary' },
    clientConfig: { region: 'eu-west-1', requestHandler: handler(3_000, 10_000) },
    masterCredentials: { chain: { clientConfig: { requestHandler: handler(3_000, 10_000) } } },
  });
});

test('Route 53 needs no region', async () => {
  await (await clientsOf()).route53();
  expect(given[0]!.settings.region).toBe('us-east-1');
});

test('closing ends the clients that were made', async () => {
  const clients = await clientsOf({ region: 'eu-west-1' });
  await clients.ssm();
  clients.close();
  await Promise.resolve();
  expect(destroyed).toEqual(['ssm']);
});
