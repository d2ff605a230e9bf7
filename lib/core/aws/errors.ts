import { oneLine } from '../printable-text';
import { ProxyFailure } from '../proxy/proxy';
import { awsDomains } from './partitions';
import { failureOf } from './requests';

/** Why a call to AWS came to nothing. */
export type AwsFailure =
  /** AWS asks for fewer calls, also after the SDK's retries where a call has some. */
  | { readonly kind: 'throttled' }
  /** The credentials lack a right: `elasticloadbalancing:ModifyRule`, where AWS says which. */
  | { readonly kind: 'denied'; readonly action?: string }
  /** There are no credentials, they have expired, or AWS does not know them. */
  | { readonly kind: 'credentials'; readonly problem: 'missing' | 'expired' | 'refused' | 'clock' }
  /** What was asked for is not there. */
  | { readonly kind: 'notFound' }
  /** No region is given, or no endpoint answers for it. */
  | { readonly kind: 'region'; readonly host?: string }
  /** No answer: network, time-out, a fault of AWS. Whether a change was made is not known. */
  | {
      readonly kind: 'unreachable';
      /** There is an answer, but it is nothing that AWS says: the page of a proxy, or one that was cut off. */
      readonly foreign?: true;
    }
  /** It was cancelled by the caller. Whether a change was made is not known. */
  | { readonly kind: 'cancelled' }
  /** AWS does not accept what was asked. */
  | { readonly kind: 'other' };

/** What the SDK's errors have in common, and those of Node.js below them. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  /** The error's name as a service has sent it, in XML. */
  readonly Code?: string;
  readonly hostname?: string;
  readonly cause?: unknown;
  /** The SDK sets it for what it has read as an error of a service. */
  readonly $fault?: 'client' | 'server';
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: { readonly throttling?: boolean };
}

/**
 * Errors of services by their names, without the ending `Exception`, that some protocols have and others don't.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/CommonErrors.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html#CommonErrors
 */
const named: Readonly<Record<string, AwsFailure>> = {
  ...every(
    [
      ...['BandwidthLimitExceeded', 'EC2Throttled', 'PriorRequestNotComplete'],
      ...[
        'ProvisionedThroughputExceeded',
        'RequestLimitExceeded',
        'RequestThrottled',
        'SlowDown',
        'Throttled',
      ],
      ...['Throttling', 'TooManyRequests', 'TooManyUpdates'],
    ],
    { kind: 'throttled' },
  ),
  ...every(['AccessDenied', 'UnauthorizedOperation', 'NotAuthorized'], {
    kind: 'denied',
  }),
  ...every(['CredentialsProviderError', 'TokenProviderError', 'MissingAuthenticationToken'], {
    kind: 'credentials',
    problem: 'missing',
  }),
  ExpiredToken: { kind: 'credentials', problem: 'expired' },
  ...every(
    [
      ...[
        'InvalidClientTokenId',
        'UnrecognizedClient',
        'InvalidAccessKeyId',
        'AuthFailure',
        'IncompleteSignature',
      ],
      ...['SignatureDoesNotMatch', 'InvalidSignature', 'OptInRequired'],
    ],
    { kind: 'credentials', problem: 'refused' },
  ),
  ...every(['RequestTimeTooSkewed', 'RequestExpired', 'RequestInTheFuture'], {
    kind: 'credentials',
    problem: 'clock',
  }),
  ...every(['TimeoutError', 'RequestTimeout', 'InternalFailure', 'InternalError', 'ServiceUnavailable'], {
    kind: 'unreachable',
  }),
  AbortError: { kind: 'cancelled' },
};

/** Codes of Node.js for what happens between here and there. */
const networkCodes = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ],
  ...['EPROTO', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID'],
]);

/** What an error of the SDK, or of the network below it, means. */
export function awsFailure(error: unknown): AwsFailure {
  // Not by `instanceof`: an error of Node.js may come from another realm.
  if (typeof error !== 'object' || error === null) {
    return { kind: 'other' };
  }
  if (error instanceof ProxyFailure) {
    return { kind: 'unreachable' };
  }
  const found = unwrapped(error);
  const byRegion = regionFailure(found);
  if (byRegion) {
    return byRegion;
  }
  const failure = Object.hasOwn(named, bareName(found)) ? named[bareName(found)] : byTrait(found);
  // An SSO session of a profile, say.
  if (
    failure?.kind === 'credentials' &&
    failure.problem === 'missing' &&
    /\bexpired\b/.test(found.message ?? '')
  ) {
    return { kind: 'credentials', problem: 'expired' };
  }
  if (failure?.kind === 'denied') {
    const action = lackingAction(found.message);
    return action === undefined ? failure : { ...failure, action };
  }
  return failure ?? awsFailure(found.cause);
}

/** The SDK wraps an error of another realm, as a test runner has them, and keeps only its words. */
function unwrapped(error: SdkError): SdkError {
  const [, words] = /^AWS SDK error wrapper for (?:Timeout)?Error: (.*)$/s.exec(error.message ?? '') ?? [];
  const [, code, hostname] = /\b(E[A-Z_]{3,})(?: (\S+))?/.exec(words ?? '') ?? [];
  return code === undefined ? error : { ...error, message: words, code, hostname };
}

function byTrait(error: SdkError): AwsFailure | undefined {
  const status = error.$metadata?.httpStatusCode ?? 0;
  if (error.$retryable?.throttling || status === 429) {
    return { kind: 'throttled' };
  }
  if (networkCodes.has(error.code ?? '')) {
    return { kind: 'unreachable' };
  }
  if (isForeign(error)) {
    return { kind: 'unreachable', foreign: true };
  }
  if (/NotFound$|^NoSuch/.test(bareName(error))) {
    return { kind: 'notFound' };
  }
  if (status >= 500) {
    return { kind: 'unreachable' };
  }
  return status === 403 ? { kind: 'denied' } : undefined;
}

/**
 * Whether an answer is not of AWS: it could not be read at all, or it names no error. The SDK calls such a one `Unknown`,
 * and `NotFound` where its status is 404.
 */
function isForeign({ name = '', Code, $fault, $metadata }: SdkError): boolean {
  const answered = $metadata?.httpStatusCode !== undefined;
  const isUnread = $fault === undefined && /^(|Syntax|Type|Range)Error$/.test(name);
  const isNameless = Code === undefined && /^(Unknown|UnknownError|NotFound)$/.test(name);
  return answered && (isUnread || isNameless);
}

/**
 * The SDK has no error class of its own for these. A name under AWS's domains that nobody knows is a region that is
 * not there, or a service that the region does not have.
 */
function regionFailure({ message = '', code, hostname }: SdkError): AwsFailure | undefined {
  if (/^Region (is missing|not accepted)/.test(message)) {
    return { kind: 'region' };
  }
  const ofAws = awsDomains().some((domain) => hostname?.endsWith(`.${domain}`));
  return code === 'ENOTFOUND' && ofAws ? { kind: 'region', host: hostname } : undefined;
}

/** `User: … is not authorized to perform: elasticloadbalancing:ModifyRule on resource: …` */
function lackingAction(message = ''): string | undefined {
  return /not authorized to perform:? ([A-Za-z0-9-]+:[A-Za-z0-9]+)/.exec(message)?.[1];
}

function bareName({ name = '' }: SdkError): string {
  return name.replace(/Exception$/, '');
}

function every(names: readonly string[], failure: AwsFailure): Record<string, AwsFailure> {
  return Object.fromEntries(names.map((name) => [name, failure]));
}

/** One call to AWS, for its errors. */
export interface AwsCall {
  /** The action as IAM names it: `elasticloadbalancing:ModifyRule`. */
  readonly action: string;
  /** What it is about: `ALB rule arn:aws:…`. */
  readonly subject: string;
  /** Region that is asked. @default - that of the environment or the profile */
  readonly region?: string;
}

/** A call to AWS that came to nothing; the message says what was asked, why it failed and what to do. */
export class AwsError extends Error {
  public constructor(
    public readonly call: AwsCall,
    public readonly failure: AwsFailure,
    cause: unknown,
  ) {
    super(oneLine(`${call.subject}: ${explanation(call, failure, cause)}`), { cause });
    this.name = 'AwsError';
  }
}

/**
 * What an answer of AWS always has. Without it, it is somebody else's: a proxy's page with status 200 is an empty answer
 * to the SDK, where the page happens to be XML.
 *
 * @throws AwsError
 */
export function present<Part>(call: AwsCall, name: string, part: Part | undefined): Part {
  if (part === undefined) {
    throw new AwsError(call, { kind: 'unreachable', foreign: true }, new Error(`an answer without ${name}`));
  }
  return part;
}

/**
 * Asks AWS.
 *
 * @throws AwsError for every failure
 */
export async function callAws<Answer>(call: AwsCall, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (thrown) {
    const error = failureOf(thrown);
    throw new AwsError(call, awsFailure(error), error);
  }
}

function explanation(call: AwsCall, failure: AwsFailure, cause: unknown): string {
  const { action } = call;
  const said = sentence(cause);
  switch (failure.kind) {
    case 'throttled':
      return `AWS throttles ${action} (${said}); wait, and find out who else calls it that often`;
    case 'denied':
      return `the credentials lack the right ${failure.action ?? action} (${said}); add it to the role's policy`;
    case 'credentials':
      return credentialsExplanation(failure.problem, action, said);
    case 'notFound':
      return `${action} finds nothing there (${said})`;
    case 'region':
      return regionExplanation(call, failure.host, said);
    case 'unreachable':
      return failure.foreign
        ? `what answers ${action}${statusOf(cause)} is not AWS (${said}); find out whether a proxy answers by itself`
        : `no answer to ${action} (${said})`;
    case 'cancelled':
      return `${action} was cancelled`;
    case 'other':
      return `AWS does not accept ${action} (${said})`;
  }
}

function credentialsExplanation(
  problem: Extract<AwsFailure, { kind: 'credentials' }>['problem'],
  action: string,
  said: string,
): string {
  switch (problem) {
    case 'missing':
      return `no AWS credentials for ${action} ${missingCredentials(said)}`;
    case 'expired':
      return (
        `the AWS credentials${ofProfile()} have expired (${said}); log in again, or use some that can be fetched again: ` +
        `a profile, a role, a pod's role`
      );
    case 'refused':
      return `AWS does not accept the credentials for ${action} (${said}); are they of another account or partition?`;
    case 'clock':
      return `AWS finds the time of ${action} wrong (${said}); set this machine's clock`;
  }
}

/** Why there are none, and what to do, behind `no AWS credentials to …`. */
export function missingCredentials(said: string): string {
  const profile = ofProfile();
  return profile === ''
    ? `(${said}); set AWS_PROFILE, AWS_ACCESS_KEY_ID or a pod's role`
    : `${profile.trim()} (${said}); ${profileHint}`;
}

const profileHint =
  'look whether ~/.aws/config or ~/.aws/credentials has that profile (`aws configure list-profiles`), and logs in by it';

/** The SDK does not say which profile it has looked for. */
function ofProfile(): string {
  const profile = process.env['AWS_PROFILE'];
  return profile === undefined || profile === '' ? '' : ` of the profile "${profile}" (AWS_PROFILE)`;
}

function regionExplanation({ region }: AwsCall, host: string | undefined, said: string): string {
  if (region === undefined && host === undefined) {
    const profile = ofProfile();
    return (
      `no AWS region (${said}); set \`region\`, AWS_REGION or the region${profile || ' of the profile'}` +
      (profile === '' ? '' : `: ${profileHint}`)
    );
  }
  const where = region === undefined ? '' : ` "${region}"`;
  return host === undefined
    ? `no AWS region${where} (${said}); give one such as "eu-west-1"`
    : `no endpoint answers for the region${where}: ${host} is unknown; check the region, that this machine has DNS, and HTTPS_PROXY where its way out is a proxy`;
}

interface Said {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** What AWS or the network said, as one line that is not too long. */
function sentence(cause: unknown): string {
  const { name, message, code } = Object(cause) as Said;
  const unread = /(?<!\s)\s*Deserialization error: to see the raw response.*$/s;
  const words = (message?.replace(unread, '') || code || String(cause)).replace(/\s+/g, ' ').trim();
  const short = words.length > 400 ? `${words.slice(0, 397)}...` : words;
  // The SDK gives some errors a name of its own.
  return name === undefined || name === 'Error' || cause instanceof ProxyFailure
    ? short
    : `${name}: ${short}`;
}

function statusOf(cause: unknown): string {
  const status = (Object(cause) as Said).$metadata?.httpStatusCode;
  return status === undefined ? '' : `, with HTTP status ${status},`;
}
