import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import { onCleanUp } from './clean-up';
import { freePort } from './temporary';

/** A request as it came in. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server on 127.0.0.1 that writes down what it is asked, and answers 200. */
export interface RequestRecorder {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The requests so far, in their order. */
  readonly requests: readonly RecordedRequest[];
}

/** Starts one in the test's process. */
export async function requestRecorder(): Promise<RequestRecorder> {
  const requests: RecordedRequest[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, path: url, headers, body: Buffer.concat(parts).toString() });
      response.end();
    });
  });
  const port = await freePort();
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, '127.0.0.1', done);
  });
  onCleanUp(async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${port}`, requests };
}
