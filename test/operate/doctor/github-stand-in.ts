import type { KeyObject } from 'node:crypto';
import { verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { CertificateAuthority } from '../../e2e/bench/pki';

/** An App that the stand-in knows. */
export interface StandInApp {
  readonly keys: readonly KeyObject[];
  readonly slug?: string;
  readonly installations?: Readonly<Record<string, StandInInstallation>>;
}

export interface StandInInstallation {
  readonly account: string;
  readonly suspended?: boolean;
  readonly permissions?: Readonly<Record<string, string>>;
  /** Names of the repositories that its tokens open. */
  readonly repositories?: readonly string[];
}

/** What it answers instead of what GitHub would: a whole answer, or none. */
export type Instead =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'hang'
  | 'cut';

/**
 * GitHub's API on loopback, behind TLS: the App's endpoints that Argo CD and the doctor use, with GitHub's documented rules
 * for the tokens of Apps (RS256, `iat` not in the future, `exp` in the future and at most ten minutes ahead), and its words.
 */
export class GitHubStandIn {
  public static async start(): Promise<GitHubStandIn> {
    const authority = await CertificateAuthority.create('test-ca');
    const leaf = await authority.issue({
      name: 'server',
      hosts: ['localhost', 'ghe.test'],
      addresses: ['127.0.0.1'],
    });
    const standIn = new GitHubStandIn(authority);
    const server = createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) =>
      standIn.handle(request, response),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    standIn.port = (server.address() as AddressInfo).port;
    standIn.stop = () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    };
    return standIn;
  }

  public port = 0;
  public apps: Readonly<Record<string, StandInApp>> = {};
  /** Path before the API's own: `/api/v3` at a GitHub Enterprise Server. */
  public base = '';
  /** How far its clock is ahead of this machine's, in seconds. */
  public clock = 0;
  /** Whether answers carry a `Date`. */
  public dated = true;
  /** `METHOD PATH`, in their order. */
  public requests: string[] = [];
  /** Every token that it has seen or given. */
  public secrets = new Set<string>();
  /** Tokens that were given and not revoked. */
  public live = new Map<string, StandInInstallation>();
  public instead: (request: string, number: number) => Instead | undefined = () => undefined;
  public stop: () => Promise<void> = () => Promise.resolve();

  private constructor(public readonly authority: CertificateAuthority) {}

  public get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Forgets what came, and everything that a test has set but the Apps. */
  public reset(): void {
    Object.assign(this, { base: '', clock: 0, dated: true, requests: [], instead: () => undefined });
    this.live.clear();
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const line = `${request.method} ${request.url}`;
    this.requests.push(line);
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    this.secrets.add(token);
    response.sendDate = false;
    if (this.dated) {
      response.setHeader('date', new Date(this.now()).toUTCString());
    }
    const instead = this.instead(line, this.requests.length);
    if (instead === 'hang') {
      return;
    }
    if (instead === 'cut') {
      request.socket.destroy();
      return;
    }
    const answer = instead ?? this.answer(request.method ?? '', request.url ?? '', token);
    response.writeHead(answer.status, answer.headers);
    response.end(answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body)));
  }

  private now(): number {
    return Date.now() + this.clock * 1000;
  }

  private answer(method: string, url: string, token: string): Exclude<Instead, string> {
    if (!url.startsWith(`${this.base}/`)) {
      return { status: 404, text: '<html>404</html>' };
    }
    const path = url.slice(this.base.length).replace(/\?.*/, '');
    if (path === '/installation/token' || path.startsWith('/repos/')) {
      return this.asInstallation(method, path, token);
    }
    const app = this.appOf(token);
    if ('status' in app) {
      return app;
    }
    const { installations = {}, slug } = app;
    if (path === '/app') {
      return { status: 200, body: { slug } };
    }
    if (path === '/app/installations') {
      return { status: 200, body: Object.keys(installations).map((id) => listed(id, installations[id]!)) };
    }
    const [, id = '', tokens] = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(path) ?? [];
    const installation = installations[id];
    if (!installation) {
      return refused(404, 'Not Found');
    }
    if (!tokens) {
      return { status: 200, body: listed(id, installation) };
    }
    if (method !== 'POST') {
      return refused(404, 'Not Found');
    }
    if (installation.suspended) {
      return refused(403, 'This installation has been suspended');
    }
    const given = `ghs_${Buffer.from(`${id}-${this.live.size}-hunter2-hunter2`).toString('hex')}`;
    this.live.set(given, installation);
    this.secrets.add(given);
    return {
      status: 201,
      body: {
        token: given,
        expires_at: new Date(this.now() + 3_600_000).toISOString(),
        permissions: installation.permissions ?? { contents: 'read', metadata: 'read' },
      },
    };
  }

  private asInstallation(method: string, path: string, token: string): Exclude<Instead, string> {
    const installation = this.live.get(token);
    if (!installation) {
      return refused(401, 'Bad credentials');
    }
    if (path === '/installation/token' && method === 'DELETE') {
      this.live.delete(token);
      return { status: 204 };
    }
    const [, owner, name = ''] = /^\/repos\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const open = owner === installation.account && (installation.repositories ?? [name]).includes(name);
    return open ? { status: 200, body: { name } } : refused(404, 'Not Found');
  }

  /** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
  private appOf(token: string): StandInApp | Exclude<Instead, string> {
    const [header = '', claims = '', signature = ''] = token.split('.');
    const { alg } = decoded(header);
    const { iss, iat, exp } = decoded(claims);
    const app = this.apps[String(iss)];
    if (!app) {
      return refused(404, 'Integration not found');
    }
    if (app.keys.length === 0) {
      return refused(401, 'Integration must generate a public key');
    }
    const content = Buffer.from(`${header}.${claims}`);
    const signed = app.keys.some((key) =>
      verify('sha256', content, key, Buffer.from(signature, 'base64url')),
    );
    if (alg !== 'RS256' || !signed) {
      return refused(401, 'A JSON web token could not be decoded');
    }
    const seconds = this.now() / 1000;
    if (!Number.isInteger(iat) || (iat as number) > seconds) {
      return refused(
        401,
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
    }
    if (!Number.isInteger(exp) || (exp as number) <= seconds) {
      return refused(
        401,
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
      );
    }
    return (exp as number) > seconds + 600
      ? refused(401, "'Expiration time' claim ('exp') is too far in the future")
      : app;
  }
}

function refused(status: number, message: string): Exclude<Instead, string> {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  };
}

function listed(id: string, { account, suspended = false }: StandInInstallation): object {
  return {
    id: Number(id),
    account: { login: account },
    suspended_at: suspended ? '2026-01-01T00:00:00Z' : null,
  };
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** A proxy on loopback: it leads every CONNECT to one port, or answers it with a status. */
export async function proxyTo(
  port: number,
  answer = 200,
): Promise<{ readonly url: string; readonly asked: string[]; readonly stop: () => Promise<void> }> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createPlainServer();
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    sockets.add(client);
    client.on('error', () => undefined);
    if (answer !== 200) {
      client.end(`HTTP/1.1 ${answer} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client);
      client.pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => {
      sockets.forEach((socket) => socket.destroy());
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
