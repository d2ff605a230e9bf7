import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { PageRequest } from './guard';
import type { PageAnswer } from './answer';

/** A form has a name and a few short values; in bytes. */
const longestBody = 4_096;

/** In milliseconds. */
const limits = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000 };

const mostConnections = 100;

/** Serves answers over HTTP, until it is closed. */
export class PageServer {
  private readonly server: Server;

  /** @param answer what a request is answered; an error in it is status 500 */
  public constructor(private readonly answer: (request: PageRequest) => PageAnswer) {
    this.server = createServer({ ...limits, maxHeaderSize: 16_384 }, (request, response) => {
      void this.serve(request, response);
    });
    this.server.maxConnections = mostConnections;
    this.server.on('clientError', (_error, socket) => socket.destroy());
  }

  /**
   * Listens.
   *
   * @returns the address with its port: `127.0.0.1:8080`
   * @throws Error of the system where it can't
   */
  public listen(host: string, port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
        this.server.off('error', reject);
        // Later errors are of single connections.
        this.server.on('error', () => undefined);
        const address = this.server.address();
        resolve(`${host}:${typeof address === 'object' && address ? address.port : port}`);
      });
    });
  }

  /** Ends at once, with all of its connections. */
  public close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) {
      response.writeHead(413, { connection: 'close' });
      response.end();
      return;
    }
    try {
      const {
        status,
        headers,
        body: text,
      } = this.answer({
        method: request.method ?? 'GET',
        url: request.url ?? '/',
        headers: single(request),
        body,
      });
      const length = status === 304 ? {} : { 'content-length': Buffer.byteLength(text) };
      response.writeHead(status, { ...headers, ...length });
      response.end(request.method === 'HEAD' ? undefined : text);
    } catch {
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
      response.end('The page could not be drawn.\n');
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > longestBody) {
      throw new Error('too long');
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Of a header that comes several times, Node.js joins the values or keeps the first. */
function single({ headers }: IncomingMessage): PageRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
