import { NoWholeAnswer } from '../../core/http';
import type { HttpAnswer, HttpClient } from '../../core/http';
import { withoutSecrets } from '../../core/redaction';
import { readSecret } from '../../core/secret-source';
import type { SecretReader, SecretSource } from '../../core/secret-source';
import { DeliveryFailed } from './sink';

/** Where an address of a service may lead: over TLS, or to this machine. */
const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Reads an address that may hold a token.
 *
 * @param whatFor for the error: `the address of the webhook`
 * @throws DeliveryFailed where it is no address that a secret may be sent to; SecretMissing
 */
export async function readAddress(reader: SecretReader, whatFor: string, source: SecretSource): Promise<URL> {
  const found = await readSecret(reader, whatFor, [source]);
  const url = URL.canParse(found) ? new URL(found) : undefined;
  const keepsSecrets =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && ownNames.includes(url.hostname));
  if (url === undefined || !keepsSecrets || url.username !== '' || url.password !== '') {
    const place = 'env' in source ? `the variable ${source.env}` : `the file ${source.file}`;
    throw new DeliveryFailed(
      `${whatFor} in ${place} must be a URL that starts with https://, or with http:// on this machine, without user and password`,
      { final: true },
    );
  }
  return url;
}

/** Whom a request is sent to. */
export interface PostTarget {
  readonly http: HttpClient;
  /** For errors: `Slack`. */
  readonly to: string;
}

/** What is sent. */
export interface Post {
  readonly url: URL;
  /** @default 'POST' */
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  /** @default - nothing */
  readonly body?: string;
  /** @default - JSON in UTF-8 */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Certificates of authorities to trust, in PEM. @default - those that Node.js trusts */
  readonly certificateAuthority?: string | undefined;
  /** Whether another try may help after a status. @default - after 408, 425, 429, and those from 500 on */
  readonly isTemporary?: (status: number) => boolean;
}

/**
 * Sends to a service, once.
 *
 * @returns the answer, whose status is 2xx
 * @throws DeliveryFailed which says whether another try may help, and when
 */
export async function postJson(
  { http, to }: PostTarget,
  {
    url,
    method = 'POST',
    body,
    headers = {},
    certificateAuthority,
    isTemporary = (status) => status >= 500 || [408, 425, 429].includes(status),
  }: Post,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'cluster-canary',
    ...headers,
  };
  const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
  let answer: HttpAnswer;
  try {
    const optional = {
      ...(body !== undefined && { body }),
      ...(certificateAuthority !== undefined && { certificateAuthority }),
    };
    answer = await http.send({ method, url, headers: Object.fromEntries(given), ...optional }, signal);
  } catch (error) {
    signal.throwIfAborted();
    const why =
      error instanceof NoWholeAnswer ? error.message : ((error as NodeJS.ErrnoException).code ?? 'no answer');
    throw new DeliveryFailed(`${to}: ${why}`, {}, { cause: error });
  }
  const { status, text } = answer;
  if (status >= 200 && status < 300) {
    return answer;
  }
  const said = withoutSecrets(text.slice(0, 10_000), secretsIn(url, all)).trim().slice(0, 1_000);
  throw new DeliveryFailed(`${to} answers ${status}${said === '' ? '' : `: ${said}`}`, {
    ...retryAfter(answer),
    final: !isTemporary(status),
  });
}

/** What of a request no error may show, as a service may send back what it got: what an address and a key hold. */
function secretsIn(url: URL, headers: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { href, pathname, search, searchParams } = url;
  const parts = pathname.split('/').filter((part) => part.length >= 8);
  const keys = Object.entries(headers).filter(([name]) => /^(authorization|webhook-signature)$/i.test(name));
  return [
    ...[href, `${pathname}${search}`, ...parts, ...parts.map(decoded), ...searchParams.values()],
    ...keys.flatMap(([, value = '']) => [value, ...value.split(' ')]),
  ];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** When the service wants to be asked again: seconds, or a date. */
export function retryAfter(
  { headers }: Pick<HttpAnswer, 'headers'>,
  now = Date.now(),
): { readonly retryAfterMs?: number } {
  const said = headers['retry-after'];
  if (said === undefined) {
    return {};
  }
  const milliseconds = /^\d{1,6}$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - now;
  return Number.isFinite(milliseconds) ? { retryAfterMs: Math.max(milliseconds, 0) } : {};
}
