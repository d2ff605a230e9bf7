import type { Obstacle } from './github-http';

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
export interface Installation {
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
  /** The repositories that were looked at, by `OWNER/REPOSITORY`, with the status of the answer. */
  readonly repositories: Readonly<Record<string, number>>;
  /** Whether it is revoked again; else it ends by itself after an hour. */
  readonly revoked: boolean;
}

/** What came of asking for a token. */
export interface TokenOutcome {
  /** GitHub's answer to the request for a token. @default - there was none */
  readonly reply?: Reply;
  /** What stood in the way. @default - there was an answer */
  readonly obstacle?: { readonly kind: Obstacle; readonly detail: string };
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
