/** One request to GitHub's API. */
export interface GitHubRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** `Bearer …`: a secret. */
  readonly authorization: string;
  readonly route: GitHubRoute;
}

/** The way to a server. */
export interface GitHubRoute {
  /** URL; it may hold a password. @default - none */
  readonly proxy?: string;
  /** PEM of the only authorities that are trusted. @default - those of Node.js */
  readonly certificateAuthority?: string;
  readonly insecure: boolean;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** An answer, whatever its status. */
export interface GitHubAnswer {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** When it was asked and answered, in milliseconds since 1970 by this machine's clock. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** Asks GitHub. */
export interface GitHubHttp {
  /**
   * Sends one request; a redirect is an answer like any other.
   *
   * @throws GitHubUnreachable where there is no answer of GitHub; the signal's reason where that is aborted
   */
  send(request: GitHubRequest, signal: AbortSignal): Promise<GitHubAnswer>;
}

/** What stands between here and GitHub. */
export type Obstacle =
  /** The proxy does not answer, or does not let the request through. */
  | 'proxy'
  /** The server's certificate is not accepted. */
  | 'certificate'
  /** The two sides agree on no TLS: often something else listens there. */
  | 'tls'
  | 'name'
  | 'refused'
  | 'slow'
  | 'cut';

/** There was no answer of GitHub. Its message holds no secret. */
export class GitHubUnreachable extends Error {
  public constructor(
    public readonly obstacle: Obstacle,
    message: string,
  ) {
    super(message);
    this.name = 'GitHubUnreachable';
  }
}
