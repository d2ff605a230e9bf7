import type { AwsFailure } from '../../../lib/core/aws/errors';
import { callAws, AwsError, awsFailure } from '../../../lib/core/aws/errors';
import { sdkError } from './recording-clients';

const refusal =
  'User: arn:aws:sts::123456789012:assumed-role/canary/run is not authorized to perform: ' +
  'elasticloadbalancing:ModifyRule on resource: arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/x ' +
  'because no identity-based policy allows the elasticloadbalancing:ModifyRule action';

const table: [string, unknown, AwsFailure][] = [
  ['ELB throttles', sdkError('Throttling', 'Rate exceeded', { status: 400 }), { kind: 'throttled' }],
  ['SSM throttles', sdkError('ThrottlingException'), { kind: 'throttled' }],
  ['SSM has too many updates of one parameter', sdkError('TooManyUpdates'), { kind: 'throttled' }],
  [
    'Route 53 is at work',
    sdkError('PriorRequestNotComplete', 'wait', { status: 400 }),
    { kind: 'throttled' },
  ],
  ['any status 429', sdkError('Odd', 'slow down', { status: 429 }), { kind: 'throttled' }],
  [
    'an error that the SDK takes for throttling',
    Object.assign(sdkError('Odd'), { $retryable: { throttling: true } }),
    { kind: 'throttled' },
  ],
  [
    'denied, with the action',
    sdkError('AccessDenied', refusal, { status: 403 }),
    { kind: 'denied', action: 'elasticloadbalancing:ModifyRule' },
  ],
  ['denied, without one', sdkError('AccessDeniedException', 'no', { status: 400 }), { kind: 'denied' }],
  ['any status 403', sdkError('Odd', 'forbidden', { status: 403 }), { kind: 'denied' }],
  [
    'no credentials',
    sdkError('CredentialsProviderError', 'Could not load credentials from any providers'),
    { kind: 'credentials', problem: 'missing' },
  ],
  [
    'an SSO session that is over',
    sdkError('CredentialsProviderError', 'The SSO session associated with this profile has expired.'),
    { kind: 'credentials', problem: 'expired' },
  ],
  [
    'an expired token (ELB)',
    sdkError('ExpiredToken', 'expired', { status: 403 }),
    { kind: 'credentials', problem: 'expired' },
  ],
  [
    'an expired token (SSM)',
    sdkError('ExpiredTokenException', 'expired', { status: 400 }),
    { kind: 'credentials', problem: 'expired' },
  ],
  [
    'an unknown key',
    sdkError('InvalidClientTokenId', 'invalid', { status: 403 }),
    { kind: 'credentials', problem: 'refused' },
  ],
  ['a wrong clock', sdkError('RequestTimeTooSkewed'), { kind: 'credentials', problem: 'clock' }],
  ['a rule that is gone', sdkError('RuleNotFoundException', 'none', { status: 400 }), { kind: 'notFound' }],
  [
    'a parameter that is not there',
    sdkError('ParameterNotFound', 'none', { status: 400 }),
    { kind: 'notFound' },
  ],
  ['a zone that is not there', sdkError('NoSuchHostedZone', 'none', { status: 404 }), { kind: 'notFound' }],
  ['no region', new Error('Region is missing'), { kind: 'region' }],
  [
    'a region that is no name',
    new Error('Region not accepted: region="mars north!" is not a valid hostname component.'),
    { kind: 'region' },
  ],
  [
    'a region that no endpoint answers for',
    sdkError('Error', 'getaddrinfo', {
      code: 'ENOTFOUND',
      hostname: 'elasticloadbalancing.eu-mars-9.amazonaws.com',
    }),
    { kind: 'region', host: 'elasticloadbalancing.eu-mars-9.amazonaws.com' },
  ],
  [
    'a region of another partition that no endpoint answers for',
    sdkError('Error', 'getaddrinfo', { code: 'ENOTFOUND', hostname: 'ssm.eusc-de-east-9.amazonaws.eu' }),
    { kind: 'region', host: 'ssm.eusc-de-east-9.amazonaws.eu' },
  ],
  [
    'another host that nobody knows',
    sdkError('Error', 'getaddrinfo', { code: 'ENOTFOUND', hostname: 'moto.invalid' }),
    { kind: 'unreachable' },
  ],
  ['nobody listens', sdkError('Error', 'connect', { code: 'ECONNREFUSED' }), { kind: 'unreachable' }],
  [
    'a connection that breaks',
    sdkError('Error', 'socket hang up', { code: 'ECONNRESET' }),
    { kind: 'unreachable' },
  ],
  ['a time-out', sdkError('TimeoutError', 'no answer'), { kind: 'unreachable' }],
  ['a fault of AWS', sdkError('InternalFailure', 'oh', { status: 500 }), { kind: 'unreachable' }],
  ['any status 503', sdkError('Odd', 'oh', { status: 503 }), { kind: 'unreachable' }],
  [
    'an answer that is no XML',
    sdkError('Error', '@aws-sdk XML parse error: unexpected content.', { status: 200 }),
    { kind: 'unreachable', foreign: true },
  ],
  [
    'an answer that is no JSON, with status 403',
    sdkError('SyntaxError', "Unexpected token '<'", { status: 403 }),
    { kind: 'unreachable', foreign: true },
  ],
  [
    'an answer that is no XML, with status 429',
    sdkError('Error', 'unexpected content', { status: 429 }),
    { kind: 'throttled' },
  ],
  [
    'an answer that names no error',
    sdkError('Unknown', 'Unknown', { status: 400 }),
    { kind: 'unreachable', foreign: true },
  ],
  [
    'status 404 alone',
    sdkError('NotFound', 'Unknown', { status: 404 }),
    { kind: 'unreachable', foreign: true },
  ],
  [
    'an error of a service with just that name',
    Object.assign(sdkError('NotFound', 'gone', { status: 404 }), { Code: 'NotFound' }),
    { kind: 'notFound' },
  ],
  [
    'an answer that is cut off',
    sdkError('Error', 'aborted', { status: 200, code: 'ECONNRESET' }),
    { kind: 'unreachable' },
  ],
  [
    'a cause below',
    sdkError('Odd', 'outer', { cause: sdkError('Error', 'inner', { code: 'ETIMEDOUT' }) }),
    { kind: 'unreachable' },
  ],
  ['an abort', sdkError('AbortError', 'Request aborted'), { kind: 'cancelled' }],
  ['a validation error', sdkError('ValidationError', 'not an ARN', { status: 400 }), { kind: 'other' }],
  ['a name of every object', sdkError('constructor'), { kind: 'other' }],
  [
    'an error of another realm that the SDK has wrapped',
    new Error('AWS SDK error wrapper for Error: connect ECONNREFUSED 127.0.0.1:1'),
    { kind: 'unreachable' },
  ],
  [
    'a wrapped one of a region',
    new Error('AWS SDK error wrapper for Error: getaddrinfo ENOTFOUND ssm.eu-mars-9.amazonaws.com'),
    { kind: 'region', host: 'ssm.eu-mars-9.amazonaws.com' },
  ],
  ['an error of another realm', { name: 'Error', code: 'ECONNREFUSED' }, { kind: 'unreachable' }],
  ['no error at all', 'text', { kind: 'other' }],
  ['nothing', undefined, { kind: 'other' }],
];

test.each(table)('%s', (_, error, expected) => {
  expect(awsFailure(error)).toEqual(expected);
});

describe('an error of a call', () => {
  const call = { action: 'elasticloadbalancing:ModifyRule', subject: 'ALB rule r', region: 'eu-west-1' };
  const messageOf = async (error: unknown) => {
    const thrown = await callAws(call, () => Promise.reject(error as Error)).catch((found: unknown) => found);
    expect(thrown).toBeInstanceOf(AwsError);
    expect((thrown as Error).cause).toBe(error);
    return (thrown as Error).message;
  };

  test('answers pass', async () => {
    expect(await callAws(call, () => Promise.resolve(7))).toBe(7);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'throttled',
      sdkError('Throttling', 'Rate exceeded'),
      /^ALB rule r: AWS throttles elasticloadbalancing:ModifyRule.*Rate exceeded/,
    ],
    [
      'denied',
      sdkError('AccessDenied', 'no'),
      /lack the right elasticloadbalancing:ModifyRule .*role's policy/,
    ],
    [
      'denied another action',
      sdkError('AccessDenied', 'not authorized to perform: sts:AssumeRole on resource: x'),
      /lack the right sts:AssumeRole/,
    ],
    ['missing', sdkError('CredentialsProviderError', 'none'), /no AWS credentials.*AWS_PROFILE/],
    ['expired', sdkError('ExpiredToken', 'x'), /credentials have expired.*log in again/],
    ['refused', sdkError('SignatureDoesNotMatch', 'x'), /does not accept the credentials/],
    ['clock', sdkError('RequestExpired', 'x'), /set this machine's clock/],
    ['not found', sdkError('RuleNotFoundException', 'gone'), /ModifyRule finds nothing there.*gone/],
    ['bad region', new Error('Region not accepted: odd'), /no AWS region "eu-west-1"/],
    [
      'unknown region',
      sdkError('Error', 'x', { code: 'ENOTFOUND', hostname: 'ssm.eu-west-1.amazonaws.com' }),
      /no endpoint answers for the region "eu-west-1": ssm.eu-west-1.amazonaws.com is unknown; .*DNS, and HTTPS_PROXY/,
    ],
    [
      'unreachable',
      sdkError('Error', '', { code: 'ECONNREFUSED' }),
      /no answer to .*ModifyRule \(ECONNREFUSED\)/,
    ],
    [
      'not of AWS',
      sdkError('Error', 'no XML.\n  Deserialization error: to see the raw response, inspect it.', {
        status: 407,
      }),
      /what answers .*ModifyRule, with HTTP status 407, is not AWS \(no XML\.\); find out whether a proxy/,
    ],
    ['cancelled', sdkError('AbortError', 'x'), /ModifyRule was cancelled$/],
    ['anything else', sdkError('ValidationError', 'a\n  b'), /does not accept .*\(ValidationError: a b\)/],
  ])('%s', async (_, error, expected) => {
    expect(await messageOf(error)).toMatch(expected);
  });

  describe('with a profile that the environment names', () => {
    beforeEach(() => (process.env['AWS_PROFILE'] = 'nosuch'));
    afterEach(() => delete process.env['AWS_PROFILE']);

    test.each<[string, Error, RegExp]>([
      [
        'missing',
        sdkError('CredentialsProviderError', 'none'),
        /no AWS credentials for .*ModifyRule of the profile "nosuch" \(AWS_PROFILE\) \(.*none\); look whether ~\/\.aws\/config/,
      ],
      [
        'expired',
        sdkError('ExpiredToken', 'x'),
        /credentials of the profile "nosuch" \(AWS_PROFILE\) have expired/,
      ],
      [
        'no region',
        new Error('Region is missing'),
        /AWS_REGION or the region of the profile "nosuch" \(AWS_PROFILE\): look/,
      ],
    ])('%s', async (_, error, expected) => {
      const call = { action: 'elasticloadbalancing:ModifyRule', subject: 'ALB rule r' };
      const asked = callAws(call, () => {
        throw error;
      });
      await expect(asked).rejects.toThrow(expected);
    });
  });

  test('a missing region says where to set it', async () => {
    const asked = callAws({ action: 'ssm:GetParameter', subject: 's' }, () =>
      Promise.reject(new Error('Region is missing')),
    );
    await expect(asked).rejects.toThrow(/^s: no AWS region \(.*AWS_REGION/);
  });

  test('what AWS says is one line that is not too long', async () => {
    const message = await messageOf(sdkError('ValidationError', 'long\n'.repeat(1_000)));
    expect(message.length).toBeLessThan(600);
    expect(message).not.toContain('\n');
  });
});
