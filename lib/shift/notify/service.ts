import type { HttpAnswer } from '../../core/http';
import { withoutSecrets } from '../../core/redaction';
import { readSecret, secretSource } from '../../core/secret-source';
import type { SecretSource } from '../../core/secret-source';
import { record } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { fits, secret } from '../../core/validation/values';
import { postJson } from './http-post';
import type { Post } from './http-post';
import { DeliveryFailed } from './sink';
import type { SinkContext } from './sink';

/** Headers that a service asks for, with where their values are read from. */
export type SecretHeaders = Readonly<Record<string, SecretSource>>;

/** Schema of {@link SecretHeaders}. */
export const secretHeaders: Schema<SecretHeaders> = record(
  secretSource,
  fits({
    allowed: 'the name of a header, at most 40 characters, of none that a client sets itself',
    accepts: (name) =>
      typeof name === 'string' &&
      /^[A-Za-z0-9!#$%&'+.^_`|~-]{1,40}$/.test(name) &&
      !/^(host|connection|content-length|content-type|transfer-encoding|expect|upgrade)$/i.test(name),
  }),
  'headers by name, with where each is read from',
);

const addressForm = /^https?:\/\/[^\s/@?#]+(\/[^\s?#]*)?$/;

/** Schema of the address of a service, which holds no secret; one that does is not shown. */
export const serviceAddress: Schema<string> = secret(
  fits(
    {
      allowed: 'a URL that starts with http:// or https://, without user, query and fragment',
      accepts: isAddress,
    },
    { pattern: addressForm.source },
  ),
);

/** Whether a text is such an address. */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && addressForm.test(value) && URL.canParse(value);
}

/** An address below the one of a service. */
export function below(address: string, path: string): URL {
  return new URL(`${address.replace(/\/+$/, '')}/${path}`);
}

const overTls = 'https://, since headers hold secrets; http:// only leads to this machine';

/** Whether no one on the way can read what is sent. */
function keepsSecrets({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Problem of an address and headers that do not go together. */
export function secrecyProblem(address: unknown, headers: unknown): Pick<Problem, 'allowed'> | undefined {
  const hasHeaders = isPlainObject(headers) && Object.keys(headers).length > 0;
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  return hasHeaders && url !== undefined && !keepsSecrets(url)
    ? { allowed: `an address that starts with ${overTls}` }
    : undefined;
}

/** What a header's value can't have. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.5 */
const sendable = /^[\t\x20-\x7e\x80-\xff]+$/;

/** A service, and the headers that it asks for. */
export interface Service {
  /** For errors: `the Pushgateway`. */
  readonly to: string;
  readonly headers: SecretHeaders;
  /** Headers whose values are known; `headers` and those of the body win. @default - none */
  readonly given?: Readonly<Record<string, string>>;
}

/**
 * Sends to a service, once. No error has a value of a header, even where the service sends it back.
 *
 * @throws DeliveryFailed, SecretMissing
 */
export async function sendTo(
  { to, headers: ofSettings, given = {} }: Service,
  post: Post,
  context: SinkContext,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const own: Record<string, string> = {};
  for (const [name, source] of Object.entries(ofSettings)) {
    const value = await readSecret(context, `the header ${name} for ${to}`, [source]);
    if (!sendable.test(value)) {
      throw new DeliveryFailed(`the header ${name} for ${to} has a character that no header may have`, {
        final: true,
      });
    }
    own[name.toLowerCase()] = value;
  }
  if (Object.keys(own).length > 0 && !keepsSecrets(post.url)) {
    throw new DeliveryFailed(`${to}: its address must start with ${overTls}`, { final: true });
  }
  try {
    const headers = { ...lowerCase(given), ...post.headers, ...own };
    return await postJson({ http: context.http, to }, { ...post, headers }, signal);
  } catch (error) {
    if (error instanceof DeliveryFailed) {
      const secrets = [...Object.values(given), ...Object.values(own)].flatMap((value) => [
        value,
        ...value.split(' '),
      ]);
      throw new DeliveryFailed(withoutSecrets(error.message, secrets), error.how, { cause: error.cause });
    }
    throw error;
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]): readonly [string, string] => [name.toLowerCase(), value]),
  );
}
