import { oneLine } from '../problems';
import { ProxyFailure } from '../proxies';
import type { AwsFailure } from './failure';
import { awsFailure } from './failure';
import { failureOf } from './sending';

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
export async function askAws<Answer>(call: AwsCall, ask: () => Promise<Answer>): Promise<Answer> {
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
