import type { Untyped } from '../../problems';
import { isMapping } from '../../problems';
import type { GitHubAnswer } from './github-http';
import { shown } from '../redaction';
import type { Installation, RateLimit, Reply } from './token-outcome';

/** An answer as a diagnosis needs it. */
export function replyOf(answer: GitHubAnswer): Reply {
  const json = jsonOf(answer);
  const message = typeof json?.message === 'string' ? shown(json.message) : '';
  const rateLimit = rateLimitOf(answer);
  return {
    status: answer.status,
    message,
    isApi: json !== undefined && answer.status < 600,
    ...(rateLimit ? { rateLimit } : {}),
  };
}

/** The object that an answer is; nothing where it is something else. */
export function jsonOf({ body }: GitHubAnswer): Untyped | undefined {
  const value = parsed(body);
  return isMapping(value) ? value : undefined;
}

/**
 * What the headers say of limits.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
function rateLimitOf({ headers }: GitHubAnswer): RateLimit | undefined {
  const remaining = wholeNumber(headers['x-ratelimit-remaining']);
  const reset = wholeNumber(headers['x-ratelimit-reset']);
  const retryAfter = wholeNumber(headers['retry-after']);
  const found = {
    ...(remaining === undefined ? {} : { remaining }),
    ...(reset === undefined ? {} : { resetAt: new Date(reset * 1000) }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/**
 * How far this machine's clock is ahead of the server's, in seconds: the `Date` of an answer has no fraction, so half a
 * second is added to it, and the request is taken to have arrived in the middle of its time.
 */
export function ownSkewSeconds({ headers, sentAt, answeredAt }: GitHubAnswer): number | undefined {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? undefined : ((sentAt + answeredAt) / 2 - (date + 500)) / 1000;
}

/** The installations in an answer to `GET /app/installations`, or the one of `GET /app/installations/ID`. */
export function installationsIn({ body }: GitHubAnswer): readonly Installation[] {
  const value = parsed(body);
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  return list.flatMap((each) => {
    const {
      id,
      account,
      suspended_at: suspendedAt,
    } = (each ?? {}) as {
      readonly id?: unknown;
      readonly account?: { readonly login?: unknown } | null;
      readonly suspended_at?: unknown;
    };
    return typeof id === 'number' && Number.isSafeInteger(id)
      ? [
          {
            id: String(id),
            account: typeof account?.login === 'string' ? shown(account.login) : '',
            suspended: typeof suspendedAt === 'string',
          },
        ]
      : [];
  });
}

/** The permissions of a token or an installation: those that are words. */
export function permissionsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => /^[a-z]+$/.test(String(entry[1]))),
      )
    : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
