import type { HttpAnswer, HttpClient, HttpRequest } from './http';
import { redacted, withoutSecrets } from './redaction';
import { isPlainObject } from './validation/problems';

/** GitHub has answered with an error. */
export interface GitHubFailure {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  readonly message: string;
}

/** A limit is one of an hour; a little more, for clocks that differ. In milliseconds. */
const longestPause = 65 * 60_000;

/** Where GitHub limits requests and does not say for how long, in milliseconds. */
export const gitHubLeastPause = 60_000;

/** One question to GitHub's REST API. */
export interface GitHubQuestion {
  readonly method: HttpRequest['method'];
  /** URL that paths are below. */
  readonly root: string;
  readonly path: string;
  /** What is sent, as JSON. @default - nothing */
  readonly body?: object | undefined;
  /** What it is about, for errors: `acme/infra`. */
  readonly of: string;
  readonly token: string;
}

/**
 * Asks GitHub once.
 *
 * @returns the content of a 2xx answer, which is undefined where that has none; else what GitHub says, without the token
 * @throws Error where there is no answer
 */
export async function askGitHub(
  http: HttpClient,
  { method, root, path, body, of, token }: GitHubQuestion,
  signal: AbortSignal,
): Promise<{ readonly content: unknown } | GitHubFailure> {
  const { status, headers, text } = await http.send(
    {
      method,
      url: new URL(`${root}/${path}`),
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'cluster-canary',
        'x-github-api-version': '2022-11-28',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    },
    signal,
  );
  const content = parsed(text);
  if (status >= 200 && status <= 299 && (content !== undefined || status === 204)) {
    return { content };
  }
  const said = withoutSecrets(saidIn(content), [token]);
  const where = `${method} ${path.split('?')[0]} of ${of}`;
  return { status, headers, message: `GitHub answers ${status}${said && ` (${said})`} to ${where}` };
}

/**
 * Before the next try, in milliseconds; nothing where another try is of no use.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function passingPause(
  { status, headers, message }: GitHubFailure,
  usual: number,
  now: number,
): number | undefined {
  const [after, reset] = ['retry-after', 'x-ratelimit-reset'].map((name) => Number(headers[name]));
  const isSpent = headers['x-ratelimit-remaining'] === '0';
  const isLimit =
    status === 429 || (status === 403 && (after! > 0 || isSpent || /rate limit/i.test(message)));
  if (isLimit) {
    const told =
      after! > 0 ? after! * 1_000 : isSpent && reset! > 0 ? reset! * 1_000 - now : gitHubLeastPause;
    return Math.min(Math.max(told, usual), longestPause);
  }
  // What comes with 200 and is no JSON is of a proxy.
  return status >= 500 || status === 408 || status < 300 ? usual : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** GitHub's own words for what is wrong. */
function saidIn(content: unknown): string {
  if (!isPlainObject(content)) {
    return '';
  }
  const errors = (Array.isArray(content.errors) ? content.errors.filter(isPlainObject) : []).map(
    ({ message }) => message,
  );
  return redacted([content.message, ...errors].filter((each) => typeof each === 'string').join('; '));
}
