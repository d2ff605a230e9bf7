import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exchange } from '../../lib/core/http';

const limits = { timeoutMs: 10_000, longestAnswer: 1_000 };

/** Asks a server that answers in this way, and closes it. */
async function asked(
  answers: http.RequestListener,
  ask: (url: URL) => Promise<unknown>,
): Promise<{ readonly outcome: unknown }> {
  const server = http.createServer(answers);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?query=1`);
  try {
    return { outcome: await ask(url).catch((error: unknown) => error) };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('a request goes out as it is, and every status is an answer', async () => {
  const { outcome } = await asked(
    (request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => {
        response.writeHead(307, { location: 'http://elsewhere.example' });
        response.end(`${request.method} ${request.url} ${String(request.headers['x-a'])} ${body}`);
      });
    },
    (url) => exchange(url, { method: 'POST', headers: { 'x-a': 'b' }, body: 'text' }, limits),
  );
  expect(outcome).toMatchObject({
    status: 307,
    headers: { location: 'http://elsewhere.example' },
    text: 'POST /path?query=1 b text',
  });
});

test.each<[string, http.RequestListener, object]>([
  [
    'slow',
    (_, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
    { why: 'slow', message: 'no answer within 0.2 s' },
  ],
  [
    'long',
    (_, response) => response.end('a'.repeat(1_001)),
    { why: 'long', message: 'the answer is longer than 1000 bytes' },
  ],
])('an answer that is too %s is not taken', async (_, answers, expected) => {
  const { outcome } = await asked(answers, (url) => exchange(url, {}, { ...limits, timeoutMs: 200 }));
  expect(outcome).toMatchObject({ name: 'NoWholeAnswer', ...expected });
});

test('an error is what the caller makes of it, with the request unless none can be made', async () => {
  const failureOf = (error: Error, request?: http.ClientRequest): Error =>
    new Error(`${request === undefined ? 'not made' : 'made'}: ${error.message}`);
  const url = new URL('http://127.0.0.1:1/');
  await expect(exchange(url, {}, limits, failureOf)).rejects.toThrow(/^made: .*ECONNREFUSED/);
  await expect(exchange(url, { headers: { a: 'b\n' } }, limits, failureOf)).rejects.toThrow(/^not made: /);
});

test('a signal ends it with its reason, before and meanwhile', async () => {
  const reason = new Error('enough');
  const aborted = AbortSignal.abort(reason);
  let requests = 0;
  const { outcome } = await asked(
    () => (requests += 1),
    async (url) => {
      await expect(exchange(url, {}, { ...limits, signal: aborted })).rejects.toBe(reason);
      const stop = new AbortController();
      setTimeout(() => stop.abort(reason), 50);
      return exchange(url, {}, { ...limits, signal: stop.signal });
    },
  );
  expect(outcome).toBe(reason);
  expect(requests).toBe(1);
});
