import { Agent, request } from 'node:https';

/** Where an HTTPS API is, and as whom it is called. */
export interface Access {
  /** `https://HOST:PORT`. */
  readonly server: string;
  /** Certificate authority of the server, PEM. */
  readonly certificateAuthority: string;
  /** Client certificate and its key, PEM. */
  readonly certificate?: string;
  readonly key?: string;
}

/** An answer, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly body: any;
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

/** One call. */
export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body?: unknown;
  /** @default 'application/json' */
  readonly contentType?: string;
  /** In milliseconds. @default 60000 - on a busy machine, definitions take long */
  readonly timeout?: number;
}

/** A JSON API behind TLS, with connections that are kept open. */
export class HttpsJson {
  private readonly agent: Agent;

  public constructor(private readonly access: Access) {
    const { certificateAuthority: ca, certificate: cert, key } = access;
    this.agent = new Agent({ ca, cert, key, keepAlive: true, maxSockets: 20 });
  }

  /** Closes the connections. */
  public close(): void {
    this.agent.destroy();
  }

  /** Calls, and answers what came, whatever its status; fails where nothing came in time. */
  public async call(call: Call): Promise<Answer> {
    const { method, path, body, contentType = 'application/json', timeout = 60_000 } = call;
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, this.access.server),
        {
          agent: this.agent,
          method,
          signal: AbortSignal.timeout(timeout),
          headers: {
            accept: 'application/json',
            'user-agent': 'cluster-canary-e2e',
            // Node.js does not frame the body of a DELETE by itself.
            ...(text === undefined
              ? {}
              : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
          },
        },
        (incoming) => {
          const parts: Buffer[] = [];
          incoming.on('data', (part: Buffer) => parts.push(part));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              body: parsed(Buffer.concat(parts).toString()),
              warnings: incoming.headers.warning === undefined ? [] : [incoming.headers.warning],
            }),
          );
        },
      );
      outgoing.on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`)));
      outgoing.end(text);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
