import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { httpClient } from '../../../lib/core/http';
import type { HttpClient } from '../../../lib/core/http';

/** A request that a receiver got. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request; what it leaves open hangs. */
export type Answer = (got: Got, response: http.ServerResponse) => void;

/** A service on this machine that writes down what it gets, and answers as a test wants. */
export class Receiver {
  public readonly got: Got[] = [];
  /** Answers what is asked before an event is sent, such as discovery, and says whether it has. */
  public ahead: (got: Got, response: http.ServerResponse) => boolean = () => false;
  private readonly server: http.Server;

  private constructor(public answer: Answer) {
    this.server = http.createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const got = { method, path, headers, body };
        if (!this.ahead(got, response)) {
          this.got.push(got);
          this.answer(got, response);
        }
      });
    });
  }

  public static async start(answer: Answer): Promise<Receiver> {
    const receiver = new Receiver(answer);
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** Without a slash at its end. */
  public get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Bodies as JSON, of requests to one path. */
  public bodies(path: string): any[] {
    return this.got.filter((got) => got.path === path).map(({ body }) => JSON.parse(body));
  }

  /** An HTTP client that finds a service of the internet here. */
  public standIn(origin: string): HttpClient {
    const client = httpClient({ env: {}, longestAnswer: 100_000 });
    return {
      send: ({ url, ...request }, signal) => {
        const here = url.origin === origin ? new URL(`${url.pathname}${url.search}`, this.url) : url;
        return client.send({ ...request, url: here }, signal);
      },
    };
  }

  public async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Answers in JSON. */
export function json(response: http.ServerResponse, content: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

/** Ends the connection without an answer. */
export function reset(response: http.ServerResponse): void {
  (response.socket as Socket).resetAndDestroy();
}
