import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { onCleanUp } from './clean-up';
import type { KubernetesObject } from './kubernetes-api';
import type { KeyPair } from './pki';
import { freePort } from './temporary';

/** An address of the suite's network namespace that is not a loopback one: API servers refuse those for Services. */
export const serviceAddress = '10.77.0.10';

/** What an API server asks a webhook, as far as tests look at it. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly object?: any;
  readonly [field: string]: any;
}

/** What a webhook answers. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** Why not. */
  readonly message?: string;
  /** JSON patch of the object. */
  readonly patch?: readonly object[];
}

/** One call of the server. */
export interface WebhookCall {
  readonly at: Date;
  readonly path: string;
  readonly request: AdmissionRequest;
}

/** How the server behaves. */
export interface WebhookServerOptions {
  /** Certificate that it serves, with its key. */
  readonly keyPair: KeyPair;
  /** @default {@link serviceAddress} */
  readonly address?: string;
  /** @default - everything is allowed */
  readonly answer?: (request: AdmissionRequest) => AdmissionAnswer;
}

/** Starts an admission webhook in the test's process. */
export async function webhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const server = new WebhookServer(options, options.address ?? serviceAddress, await freePort());
  onCleanUp(() => server.stop());
  await server.start();
  return server;
}

/** An admission webhook behind TLS that remembers how it was called. */
export class WebhookServer {
  /** The calls so far, in their order. */
  public readonly calls: WebhookCall[] = [];
  /** What it answers; may be replaced. */
  public answer: (request: AdmissionRequest) => AdmissionAnswer;

  private keyPair: KeyPair;
  private running?: Server & { setSecureContext(context: { cert: string; key: string }): void };

  public constructor(
    options: WebhookServerOptions,
    public readonly address: string,
    public readonly port: number,
  ) {
    this.keyPair = options.keyPair;
    this.answer = options.answer ?? (() => ({ allowed: true }));
  }

  /** Where it is, for a `clientConfig.url`. */
  public get url(): string {
    return `https://${this.address}:${this.port}`;
  }

  /** Listens; again after {@link stop}, too. */
  public async start(): Promise<void> {
    const { certificate: cert, key } = this.keyPair;
    const server = createServer({ cert, key }, (request, response) => this.handle(request, response));
    await new Promise<void>((done, fail) => {
      server.once('error', fail).listen(this.port, this.address, done);
    });
    this.running = server;
  }

  /** Does not listen any more, and closes all connections. */
  public async stop(): Promise<void> {
    const server = this.running;
    this.running = undefined;
    if (server !== undefined) {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    }
  }

  /**
   * Serves another certificate. Open connections are closed, since API servers keep theirs, and see a certificate only
   * when they open a new one.
   */
  public present(keyPair: KeyPair): void {
    this.keyPair = keyPair;
    this.running?.setSecureContext({ cert: keyPair.certificate, key: keyPair.key });
    this.running?.closeAllConnections();
  }

  /** A Service with this server behind it. */
  public service(name: string, namespace: string, port = 443): KubernetesObject[] {
    return serviceWithBackend({ name, namespace, port }, this);
  }

  private handle(incoming: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const review = JSON.parse(Buffer.concat(parts).toString());
      const request: AdmissionRequest = review.request;
      // API servers add `?timeout=` to the path.
      const path = new URL(incoming.url ?? '/', 'https://webhook').pathname;
      this.calls.push({ at: new Date(), path, request });
      const { allowed, message, patch } = this.answer(request);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          apiVersion: review.apiVersion,
          kind: review.kind,
          response: {
            uid: request.uid,
            allowed,
            ...(message === undefined ? {} : { status: { message } }),
            ...(patch === undefined
              ? {}
              : {
                  patchType: 'JSONPatch',
                  patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
                }),
          },
        }),
      );
    });
  }
}

/** A Service, and the address that API servers find behind it. */
export function serviceWithBackend(
  service: { readonly name: string; readonly namespace: string; readonly port: number },
  backend: { readonly address: string; readonly port: number },
): KubernetesObject[] {
  const { name, namespace, port } = service;
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { ports: [{ name: 'https', port, targetPort: backend.port, protocol: 'TCP' }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [backend.address], conditions: { ready: true } }],
      ports: [{ name: 'https', port: backend.port, protocol: 'TCP' }],
    },
  ];
}
