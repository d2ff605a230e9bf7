import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a service has got. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How a service answers a request. */
export type Fate = (response: ServerResponse, got: Got) => void;

/** A service on this machine that answers as a test says. */
export interface StandIn {
  readonly url: string;
  readonly got: Got[];
  /** Fates of the next requests, in order; after them all is well. */
  readonly fates: Fate[];
  /** Connections that are open. */
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** An answer with a status. */
export function answers(status: number, text = '', headers: Readonly<Record<string, string>> = {}): Fate {
  return (response) => void response.writeHead(status, headers).end(text);
}

/** What else may happen to a request. */
export const fates = {
  /** No answer, ever. */
  hangs: () => undefined,
  /** The connection breaks. */
  resets: (response) => void response.socket?.resetAndDestroy(),
  /** The answer has no end that anybody waits for. */
  floods: (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const chunk = 'x'.repeat(1_000_000);
    const flow = (): void => {
      while (!response.destroyed && response.write(chunk)) {
        // Until the other side does not take more.
      }
    };
    response.on('drain', flow).on('error', () => undefined);
    flow();
  },
} as const satisfies Record<string, Fate>;

/** @param well how it answers a request that nothing happens to */
export async function standIn(well: Fate = answers(200)): Promise<StandIn> {
  const got: Got[] = [];
  const queue: Fate[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(parts).toString('utf8') };
      got.push(one);
      (queue.shift() ?? well)(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    fates: queue,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
