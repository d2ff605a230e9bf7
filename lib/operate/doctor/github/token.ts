import { redacted } from '../../../core/redaction';
import { isPlainObject } from '../../../core/validation/problems';
import type { PlainObject } from '../../../core/validation/problems';
import { clockVerdict } from './clock-verdict';
import { appToken } from './credentials';
import type { AppCredential } from './credentials';
import { GitHubUnreachable } from './http';
import type { GitHubAnswer, GitHubHttp, GitHubRequest, GitHubRoute, NetworkFault } from './http';
import { comparableOwner } from './repository';

/** An answer as a diagnosis needs it. */
function replyOf(answer: GitHubAnswer): Reply {
  const json = jsonOf(answer);
  const message = typeof json?.message === 'string' ? redacted(json.message) : '';
  const rateLimit = rateLimitOf(answer);
  return {
    status: answer.status,
    message,
    isApi: json !== undefined && answer.status < 600,
    ...(rateLimit ? { rateLimit } : {}),
  };
}

/** The object that an answer is; nothing where it is something else. */
function jsonOf({ body }: GitHubAnswer): PlainObject | undefined {
  const value = parsed(body);
  return isPlainObject(value) ? value : undefined;
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
function ownSkewSeconds({ headers, sentAt, answeredAt }: GitHubAnswer): number | undefined {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? undefined : ((sentAt + answeredAt) / 2 - (date + 500)) / 1000;
}

/** The installations in an answer to `GET /app/installations`, or the one of `GET /app/installations/ID`. */
function installationsIn({ body }: GitHubAnswer): readonly Installation[] {
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
            account: typeof account?.login === 'string' ? redacted(account.login) : '',
            suspended: typeof suspendedAt === 'string',
          },
        ]
      : [];
  });
}

/** The permissions of a token or an installation: those that are words. */
function permissionsIn(value: unknown): Readonly<Record<string, string>> | undefined {
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

/** What is asked of GitHub with one credential. */
export interface TokenRequest {
  readonly credential: AppCredential;
  readonly route: GitHubRoute;
  /** Organisation or user of the URL, by which an installation is found where the Secret names none. */
  readonly owner?: string;
  /** Repositories to inspect with the token, as `OWNER/REPOSITORY`. */
  readonly repositories: readonly string[];
}

/**
 * Asks for an installation's token as Argo CD does, and, where that fails, for what tells why. A token that is given is
 * used to inspect the repositories, and revoked.
 *
 * @param now this machine's clock
 * @throws the signal's reason where that is aborted
 */
export async function requestToken(
  request: TokenRequest,
  http: GitHubHttp,
  now: () => Date,
  signal: AbortSignal,
): Promise<TokenOutcome> {
  const asker = new Asker(request, http, signal);
  try {
    const first = await asker.token(now());
    const skew = ownSkewSeconds(first.answer);
    // This machine's own clock is not what is examined.
    const off = skew !== undefined && clockVerdict(skew, 1) !== 'accepted' && first.answer.status === 401;
    const offset = off ? skew * 1000 : 0;
    const time = (): Date => new Date(now().getTime() - offset);
    const { answer, installation } = off ? await asker.token(time()) : first;
    const outcome = {
      reply: replyOf(answer),
      byGitHubsClock: off,
      ...(skew === undefined ? {} : { ownSkewSeconds: skew }),
    };
    return answer.status === 201
      ? { ...outcome, granted: await asker.use(answer, installation, time()) }
      : { ...outcome, ...(await asker.reasons(answer, time())) };
  } catch (error) {
    if (error instanceof GitHubUnreachable) {
      return { byGitHubsClock: false, obstacle: { kind: error.obstacle, detail: error.message } };
    }
    throw error;
  }
}

/**
 * Asks for a token as a node with another clock would, and revokes what it gets.
 *
 * @param clock the node's clock
 * @returns the status of GitHub's answer and what it says
 */
export async function requestTokenWithClock(
  request: TokenRequest,
  http: GitHubHttp,
  clock: Date,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly message: string }> {
  const asker = new Asker(request, http, signal);
  const { answer } = await asker.token(clock);
  if (answer.status === 201) {
    await asker.revoke(tokenIn(answer));
  }
  const { status, message } = replyOf(answer);
  return { status, message };
}

/** In milliseconds. */
const longestRevocation = 5_000;

class Asker {
  public constructor(
    private readonly request: TokenRequest,
    private readonly http: GitHubHttp,
    private readonly signal: AbortSignal,
  ) {}

  /** The answer to the request for a token, and the installation that it was asked of. */
  public async token(time: Date): Promise<{ readonly answer: GitHubAnswer; readonly installation: string }> {
    const { installationId } = this.request.credential;
    if (installationId !== undefined) {
      return { answer: await this.tokenOf(installationId, time), installation: installationId };
    }
    const list = await this.asApp('GET', '/app/installations?per_page=100', time);
    const found = list.status === 200 ? this.ownInstallation(installationsIn(list)) : undefined;
    // Argo CD goes on with 0 where it finds none.
    return list.status === 200
      ? { answer: await this.tokenOf(found?.id ?? '0', time), installation: found?.id ?? '0' }
      : { answer: list, installation: '0' };
  }

  /** What tells why no token was given. */
  public async reasons(
    { status }: GitHubAnswer,
    time: Date,
  ): Promise<Pick<TokenOutcome, 'app' | 'installations'>> {
    if (status !== 401 && status !== 404) {
      return {};
    }
    try {
      const answer = await this.asApp('GET', '/app', time);
      if (answer.status !== 200) {
        return { app: { known: false } };
      }
      const slug = jsonOf(answer)?.slug;
      const app = {
        known: true,
        ...(typeof slug === 'string' && /^[\w-]+$/.test(slug) ? { name: slug } : {}),
      };
      const list = await this.asApp('GET', '/app/installations?per_page=100', time);
      return list.status === 200 ? { app, installations: installationsIn(list) } : { app };
    } catch (error) {
      if (error instanceof GitHubUnreachable) {
        return {};
      }
      throw error;
    }
  }

  /** Inspects the repositories with the token, and gives it back. */
  public async use(answer: GitHubAnswer, installation: string, time: Date): Promise<GrantedToken> {
    const token = tokenIn(answer);
    const permissions = jsonOf(answer)?.permissions;
    const repositories: Record<string, number> = {};
    let account: string | undefined;
    let revoked = false;
    try {
      const own = await this.asApp('GET', `/app/installations/${installation}`, time);
      account = own.status === 200 ? installationsIn(own)[0]?.account : undefined;
      for (const repository of this.request.repositories) {
        repositories[repository] = (await this.send('GET', `/repos/${repository}`, token)).status;
      }
    } catch (error) {
      // The token is what was asked for; less is known of the rest.
      if (!(error instanceof GitHubUnreachable)) {
        throw error;
      }
    } finally {
      revoked = await this.revoke(token);
    }
    const granted = permissionsIn(permissions);
    return {
      repositories,
      revoked,
      ...(granted ? { permissions: granted } : {}),
      ...(account ? { account } : {}),
    };
  }

  /**
   * Gives a token back, also where everything else is to end; where that fails it expires after an hour.
   *
   * @see https://docs.github.com/en/rest/apps/installations#revoke-an-installation-access-token
   */
  public async revoke(token: string): Promise<boolean> {
    try {
      const soon = AbortSignal.timeout(longestRevocation);
      return (await this.send('DELETE', '/installation/token', token, soon)).status === 204;
    } catch {
      return false;
    }
  }

  private tokenOf(installation: string, time: Date): Promise<GitHubAnswer> {
    return this.asApp('POST', `/app/installations/${installation}/access_tokens`, time);
  }

  private ownInstallation(all: readonly Installation[]): Installation | undefined {
    const { owner } = this.request;
    return owner === undefined
      ? undefined
      : all.find(({ account }) => comparableOwner(account) === comparableOwner(owner));
  }

  private asApp(method: GitHubRequest['method'], path: string, time: Date): Promise<GitHubAnswer> {
    const { appId, key } = this.request.credential;
    return this.send(method, path, appToken(appId, key, time));
  }

  private send(
    method: GitHubRequest['method'],
    path: string,
    token: string,
    signal = this.signal,
  ): Promise<GitHubAnswer> {
    const { credential, route } = this.request;
    const request = { method, url: `${credential.api}${path}`, authorization: `Bearer ${token}`, route };
    return this.http.send(request, signal);
  }
}

function tokenIn(answer: GitHubAnswer): string {
  const token = jsonOf(answer)?.token;
  return typeof token === 'string' ? token : '';
}

/** An answer of GitHub, as far as a diagnosis needs it. It holds no token. */
export interface Reply {
  readonly status: number;
  /** What GitHub says, fit to be shown; empty where the answer is not GitHub's JSON. */
  readonly message: string;
  /** Whether the answer looks like one of GitHub's API. */
  readonly isApi: boolean;
  readonly rateLimit?: RateLimit;
}

/** What the headers of an answer say of limits. */
export interface RateLimit {
  /** Calls left in this hour. */
  readonly remaining?: number;
  /** When it begins anew. */
  readonly resetAt?: Date;
  /** Seconds to wait. */
  readonly retryAfter?: number;
}

/** An installation of an App. */
interface Installation {
  readonly id: string;
  /** Organisation or user. */
  readonly account: string;
  readonly suspended: boolean;
}

/** A token that was got, used and given back. */
export interface GrantedToken {
  /** Name of a permission, and `read` or `write`; nothing where GitHub does not say. */
  readonly permissions?: Readonly<Record<string, string>>;
  /** Whose repositories it opens. @default - GitHub did not say */
  readonly account?: string;
  /** The repositories that were inspected, by `OWNER/REPOSITORY`, with the status of the answer. */
  readonly repositories: Readonly<Record<string, number>>;
  /** Whether it is revoked again; else it expires after an hour. */
  readonly revoked: boolean;
}

/** What came of asking for a token. */
export interface TokenOutcome {
  /** GitHub's answer to the request for a token. @default - there was none */
  readonly reply?: Reply;
  /** What was in the way. @default - there was an answer */
  readonly obstacle?: { readonly kind: NetworkFault; readonly detail: string };
  /** How far this machine's clock is ahead of GitHub's, in seconds, to about one. @default - GitHub sent no `Date` */
  readonly ownSkewSeconds?: number;
  /** Whether this machine's clock is so far off that the request was made anew by GitHub's clock. */
  readonly byGitHubsClock: boolean;
  /** Whether GitHub knows App and key. @default - it was not asked, since the token was given */
  readonly app?: { readonly known: boolean; readonly name?: string };
  /** The installations of the App. @default - they were not asked for */
  readonly installations?: readonly Installation[];
  readonly granted?: GrantedToken;
}
