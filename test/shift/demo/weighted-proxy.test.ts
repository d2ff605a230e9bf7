import { createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import { Xoshiro128 } from '../../../lib/core/random';
import { httpClient } from '../../../lib/core/http';
import { closeServer, listenOnLoopback, urlOf } from '../../../lib/shift/demo/loopback';
import type { ServedRequest } from '../../../lib/shift/demo/traffic-counts';
import { WeightedProxy } from '../../../lib/shift/demo/weighted-proxy';
import { openRouter } from '../../../lib/shift/routers';

const slots = { blue: {}, green: {} };
const servers: Server[] = [];
let proxy: WeightedProxy;
let served: ServedRequest[];

async function upstream(listener: RequestListener): Promise<() => number> {
  const server = createServer(listener);
  servers.push(server);
  await listenOnLoopback(server);
  const port = Number(new URL(urlOf(server)).port);
  return () => port;
}

async function start(
  green: RequestListener = (_, response) => void response.end('green'),
  weights = { blue: 50, green: 50 },
): Promise<void> {
  served = [];
  proxy = new WeightedProxy({
    upstreams: {
      blue: await upstream((_, response) => void response.end('blue')),
      green: await upstream(green),
    },
    weights,
    random: Xoshiro128.fromSeed(1),
    onServed: (one) => served.push(one),
  });
  await proxy.start();
}

afterEach(async () => {
  await proxy.stop();
  await Promise.all(servers.splice(0).map(closeServer));
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

function send(
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', body = '', url = proxy.url }: { method?: string; body?: string; url?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(url, { method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode!,
          text: Buffer.concat(parts).toString(),
          headers: answer.headers,
        }),
      );
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

const router = () => openRouter({ router: { httpProxy: { address: proxy.adminUrl } }, slots });

test('requests go where the weights lead, and are counted one by one', async () => {
  await start(undefined, { blue: 75, green: 25 });
  const answers = await Promise.all(Array.from({ length: 200 }, () => send()));
  const green = answers.filter(({ text }) => text === 'green').length;
  expect(green).toBeGreaterThan(30);
  expect(green).toBeLessThan(70);
  expect(served.filter(({ slot }) => slot === 'green')).toHaveLength(green);
  expect(served).toHaveLength(200);
  await router().write({ blue: 0, green: 100 });
  expect(proxy.weights).toEqual({ blue: 0, green: 100 });
  expect((await Promise.all(Array.from({ length: 20 }, () => send()))).map(({ text }) => text)).toEqual(
    Array.from({ length: 20 }, () => 'green'),
  );
});

test('the same seed leads the same requests to the same upstreams', async () => {
  const run = async (): Promise<string> => {
    await start();
    const texts: string[] = [];
    for (let each = 0; each < 20; each += 1) {
      texts.push((await send()).text);
    }
    return texts.join();
  };
  const first = await run();
  await proxy.stop();
  expect(await run()).toBe(first);
});

test('a preview leads past the weights, and is not counted', async () => {
  await start(undefined, { blue: 100, green: 0 });
  expect((await send({ 'x-slot': 'green' })).text).toBe('green');
  expect((await send({ 'x-slot': 'red' })).text).toBe('blue');
  expect(served.map(({ slot }) => slot)).toEqual(['blue']);
});

test('a body and headers go through, but for those of the connection', async () => {
  const seen: { headers?: IncomingMessage['headers']; body: string } = { body: '' };
  await start((request, response) => {
    seen.headers = request.headers;
    request.on('data', (part: Buffer) => (seen.body += part.toString()));
    request.on('end', () => {
      response.writeHead(201, { 'x-own': 'a', 'keep-alive': 'timeout=7' });
      response.end(request.url);
    });
  });
  const answer = await send(
    { 'x-slot': 'green', 'x-mine': 'b', te: 'trailers' },
    { method: 'POST', body: 'hello', url: `${proxy.url}/a/b?c=d` },
  );
  expect(answer).toMatchObject({ status: 201, text: '/a/b?c=d', headers: { 'x-own': 'a' } });
  expect(answer.headers['keep-alive']).not.toBe('timeout=7');
  expect(seen).toMatchObject({ body: 'hello', headers: { 'x-mine': 'b' } });
  expect(seen.headers).not.toHaveProperty('te');
});

test.each<[string, RequestListener, number]>([
  ['that answers 503', (_, response) => void response.writeHead(503).end(), 503],
  ['that cuts the connection', ({ socket }) => void socket.destroy(), 502],
])('an upstream %s has failed a request', async (_what, green, status) => {
  await start(green, { blue: 0, green: 100 });
  expect((await send()).status).toBe(status);
  expect(served).toMatchObject([{ slot: 'green', failed: true }]);
});

test('an answer that breaks off breaks off for the visitor, too, and has failed', async () => {
  await start(
    (_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    },
    { blue: 0, green: 100 },
  );
  await expect(send()).rejects.toThrow();
  expect(served).toMatchObject([{ failed: true }]);
});

test('a visitor who goes has not been answered, and leaves nothing under way', async () => {
  let closed = 0;
  await start(({ socket }) => void socket.once('close', () => (closed += 1)), { blue: 0, green: 100 });
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'));
  setTimeout(() => socket.destroy(), 100);
  await new Promise((resolve) => socket.once('close', resolve));
  for (let tries = 0; tries < 100 && closed === 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect([closed, served.length]).toEqual([1, 1]);
  expect(served).toMatchObject([{ failed: true }]);
});

test('what is too long is refused, and no fault of the upstream', async () => {
  await start(
    (request, response) => {
      request.resume();
      request.on('end', () => response.end('whole'));
    },
    { blue: 0, green: 100 },
  );
  const long = 'x'.repeat(200_000);
  const sent = await send({}, { method: 'POST', body: long }).catch((error: Error) => error);
  expect(sent).not.toMatchObject({ text: 'whole' });
  expect((await send({ 'x-long': 'x'.repeat(20_000) })).status).toBe(431);
  expect(served).toEqual([]);
  const written = await send(
    { 'if-match': '"1"' },
    { method: 'PUT', body: long, url: `${proxy.adminUrl}/weights` },
  );
  expect(written.status).toBe(413);
  expect(await send()).toMatchObject({ status: 200, text: 'whole' });
});

test('two routers that write at once: one of them is refused', async () => {
  await start();
  const writes = await Promise.allSettled(
    [10, 20, 30].map((green) =>
      router().write({ blue: 100 - green, green }, undefined, [{ blue: 50, green: 50 }]),
    ),
  );
  const refused = writes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused.map(({ failure }) => failure)).toEqual(['changed', 'changed']);
});

test('it listens on loopback alone, and on no port once it has stopped', async () => {
  await start();
  expect([proxy.url, proxy.adminUrl]).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  ]);
  const url = new URL(proxy.adminUrl);
  await proxy.stop();
  await expect(httpClient().send({ method: 'GET', url, headers: {} })).rejects.toThrow(/ECONNREFUSED/);
});
