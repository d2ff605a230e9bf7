import { regionName } from '../../../core/aws/access-schema';
import { missingCredentials } from '../../../core/aws/errors';
import type { HttpRequest } from '../../../core/http';
import { secretSource } from '../../../core/secret-source';
import type { SecretSource } from '../../../core/secret-source';
import { object, oneKeyOf } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { secret, text } from '../../../core/validation/values';
import { SourceError } from '../../engine';
import type { AwsCredentials, CheckContext } from '../check-context';
import type { IamStatement } from '../check-kind';
import { readSecret } from '../shared/secret-source';

/** How requests to Prometheus are authenticated. */
export type PrometheusAuth =
  | {
      /** Name and password, as HTTP knows them. */
      readonly basic: {
        /** Name of the user. */
        readonly username: string;
        /** Where the password is read from. */
        readonly password: SecretSource;
      };
    }
  | {
      /** Where the token is read from. */
      readonly bearer: SecretSource;
    }
  | {
      /** Amazon Managed Service for Prometheus: requests are signed with AWS credentials of the region. */
      readonly sigV4: {
        /** Region of the workspace. */
        readonly region: string;
      };
    };

interface AuthByKind {
  readonly basic: { readonly username: string; readonly password: SecretSource };
  readonly bearer: SecretSource;
  readonly sigV4: { readonly region: string };
}

/** Nothing of it is shown: a password may stand where its place should. */
export const prometheusAuth: Schema<PrometheusAuth> = secret(
  oneKeyOf<AuthByKind>(
    {
      basic: object({ username: text('a text'), password: secretSource }),
      bearer: secretSource,
      sigV4: object({ region: regionName }),
    },
    'one of { basic: { username, password } }, { bearer } and { sigV4: { region } }, with the password and the token as { env: "NAME" } or { file: "/path" }',
  ),
);

/**
 * The permission for an action of Amazon's, for the workspace that the address names; its account is not known. Others need
 * none.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonmanagedserviceforprometheus.html
 */
export function workspacePermissions(
  action: string,
  { address, auth }: { readonly address: string; readonly auth?: PrometheusAuth },
): readonly IamStatement[] {
  if (auth === undefined || !('sigV4' in auth)) {
    return [];
  }
  const [, workspace] = /\/workspaces\/(ws-[\w-]+)/.exec(address) ?? [];
  const { region } = auth.sigV4;
  return [
    {
      actions: [action],
      // A proxy may have an address of its own.
      resources: [workspace === undefined ? '*' : `arn:*:aps:${region}:*:workspace/${workspace}`],
    },
  ];
}

/** A request that says who asks, and what of it must not be shown. */
export interface SignedRequest {
  readonly request: HttpRequest;
  readonly secrets: readonly string[];
}

/**
 * Adds what tells who asks.
 *
 * @throws SourceError where a secret or credentials are not there
 */
export async function withCredentials(
  context: CheckContext,
  request: HttpRequest,
  auth: PrometheusAuth | undefined,
): Promise<SignedRequest> {
  if (auth === undefined) {
    return { request, secrets: [] };
  }
  if ('sigV4' in auth) {
    return { request: await signWithAws(context, request, auth.sigV4.region), secrets: [] };
  }
  const [scheme, secret, credentials] = await credentialsOf(context, auth);
  const headers = { ...request.headers, authorization: `${scheme} ${credentials}` };
  return { request: { ...request, headers }, secrets: [secret, credentials] };
}

async function credentialsOf(
  context: CheckContext,
  auth: Exclude<PrometheusAuth, { readonly sigV4: unknown }>,
): Promise<readonly [scheme: string, secret: string, credentials: string]> {
  if ('bearer' in auth) {
    const token = await readSecret(context, 'the token for Prometheus', [auth.bearer]);
    return ['Bearer', token, token];
  }
  const { username, password } = auth.basic;
  const secret = await readSecret(context, 'the password for Prometheus', [password]);
  return ['Basic', secret, Buffer.from(`${username}:${secret}`).toString('base64')];
}

/** @see https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-compatible-APIs.html */
async function signWithAws(
  context: CheckContext,
  request: HttpRequest,
  region: string,
): Promise<HttpRequest> {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@aws-crypto/sha256-js'),
  ]);
  const signer = new SignatureV4({
    service: 'aps',
    region,
    credentials: () => awsCredentials(context),
    sha256: Sha256,
  });
  const { method, url, body } = request;
  const { headers } = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: queryOf(url),
      headers: { ...request.headers, host: url.host },
      body,
    },
    { signingDate: new Date(context.clock.now()) },
  );
  return { ...request, headers };
}

/** A name may stand in a query several times. */
function queryOf({ searchParams }: URL): Record<string, string[]> {
  return Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
}

async function awsCredentials(context: CheckContext): Promise<AwsCredentials> {
  try {
    return await context.credentials();
  } catch (error) {
    const { name } = error as Error;
    throw new SourceError(`Prometheus: no AWS credentials to sign with ${missingCredentials(name)}`, {
      cause: error,
    });
  }
}
