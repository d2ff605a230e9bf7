import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { KubernetesApi } from '../../../lib/core/kubernetes/api';
import { openKubernetes } from '../../../lib/core/kubernetes/open';
import type { RetryLimits } from '../../../lib/core/kubernetes/requests';
import { CertificateAuthority } from '../../e2e/bench/pki';

/** A request as the server got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: any;
  /** Common name of the client certificate. */
  readonly client?: string;
}

/** What it answers: a status and JSON, text as it is, or nothing at all. */
export type Reply =
  | { readonly status?: number; readonly json: unknown; readonly headers?: Record<string, string> }
  | { readonly status?: number; readonly text: string }
  | 'hang'
  | 'trickle'
  | 'cut';

/** An API server's front on loopback: TLS, client certificates, discovery of three kinds, and what a test scripts. */
export class ApiServer {
  public static async start(): Promise<ApiServer> {
    const authority = await CertificateAuthority.create('test-ca');
    const leaf = await authority.issue({ name: 'server', hosts: ['localhost'], addresses: ['127.0.0.1'] });
    const server = new ApiServer(authority);
    const https = createServer(
      {
        cert: leaf.certificate,
        key: leaf.key,
        ca: authority.certificate,
        requestCert: true,
        rejectUnauthorized: false,
      },
      server.listener,
    );
    https.on('secureConnection', () => (server.connections += 1));
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
    server.port = (https.address() as AddressInfo).port;
    server.stop = () => {
      https.closeAllConnections();
      return new Promise((resolve) => https.close(() => resolve()));
    };
    return server;
  }

  public port = 0;
  public connections = 0;
  public received: Received[] = [];
  /** Answers what discovery does not. */
  public reply: (request: Received, number: number) => Reply = () => ({ json: {} });
  public stop: () => Promise<void> = () => Promise.resolve();

  private constructor(public readonly authority: CertificateAuthority) {}

  public get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Kubeconfig with whatever differs from a plain one. */
  public kubeconfig(user: object = { token: 'secret-token' }, cluster: object = {}): string {
    return JSON.stringify({
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'apps' } }],
      clusters: [
        {
          name: 'test',
          cluster: {
            server: this.url,
            'certificate-authority-data': Buffer.from(this.authority.certificate).toString('base64'),
            ...cluster,
          },
        },
      ],
      users: [{ name: 'test', user }],
    });
  }

  public open(
    limits: Partial<RetryLimits> = {},
    kubeconfigText = this.kubeconfig(),
    env: NodeJS.ProcessEnv = {},
  ): Promise<KubernetesApi> {
    return openKubernetes(
      { kubeconfigText },
      { timeout: 2_000, pause: 1, ...limits },
      { env, home: '/nowhere', serviceAccount: '/nowhere' },
    );
  }

  /** Forgets what came, and says what comes next. */
  public script(reply: Reply | ((request: Received, number: number) => Reply)): void {
    this.received = [];
    this.reply = typeof reply === 'function' ? reply : () => reply;
  }

  private readonly listener: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const url = new URL(request.url!, this.url);
      const text = Buffer.concat(parts).toString();
      const peer = (request.socket as TLSSocket).getPeerCertificate();
      const received: Received = {
        method: request.method!,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
        ...(peer?.subject?.CN ? { client: String(peer.subject.CN) } : {}),
      };
      const discovered = discovery[url.pathname];
      if (discovered) {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(discovered));
        return;
      }
      this.received.push(received);
      const reply = this.reply(received, this.received.length);
      if (reply === 'hang') {
        return;
      }
      if (reply === 'cut' || reply === 'trickle') {
        response.writeHead(200, { 'content-length': '100' }).write('{');
        if (reply === 'cut') {
          request.socket.destroy();
        }
        return;
      }
      response.writeHead(reply.status ?? 200, 'headers' in reply ? reply.headers : {});
      response.end('text' in reply ? reply.text : JSON.stringify(reply.json));
    });
  };
}

/** A failure as Kubernetes words it. */
export const failure = (status: number, reason: string, message: string, details: object = {}): Reply => ({
  status,
  json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message, details },
});

const resource = (name: string, kind: string, namespaced = true): object => ({ name, kind, namespaced });
const discovery: Readonly<Record<string, object>> = {
  '/api/v1': {
    kind: 'APIResourceList',
    resources: [
      resource('pods/log', 'Pod'),
      resource('pods', 'Pod'),
      resource('secrets', 'Secret'),
      resource('services', 'Service'),
      resource('namespaces', 'Namespace', false),
    ],
  },
  '/apis/argoproj.io/v1alpha1': {
    kind: 'APIResourceList',
    resources: [resource('applications', 'Application'), resource('appprojects', 'AppProject')],
  },
};
