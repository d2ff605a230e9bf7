import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { sinkContext } from '../../../lib/shift/notify/notifier';
import { deliveryLines, notifySchema } from '../../../lib/shift/notify';
import { Delivery } from '../../../lib/shift/notify/delivery';
import type { FleetEvent, Sink } from '../../../lib/shift/notify';
import { openSinks } from '../../../lib/shift/notify/settings';
import { problemsOf } from '../../../lib/core/validation/schema';
import { answered, ended, step } from './events';
import { readExposition, valuesOf } from './read-exposition';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(port: number, method = 'GET', path = '/metrics', host = '127.0.0.1'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => (text += part.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? 'x'.repeat(100) : undefined);
  });
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Opened {
  readonly port: number;
  readonly sink: Sink;
  readonly delivery: Delivery;
  /** Delivers, and waits for it. */
  readonly give: (event: FleetEvent) => Promise<void>;
}

async function opened(settings: { readonly fleet?: string } = {}, port?: number): Promise<Opened> {
  const own = port ?? (await freePort());
  const [sink] = openSinks([{ prometheus: { listen: `127.0.0.1:${own}`, ...settings } }], sinkContext('.'));
  const delivery = new Delivery(sink!, { tries: 1 });
  return {
    port: own,
    sink: sink!,
    delivery,
    give: async (event) => {
      delivery.add(event);
      while ((delivery as unknown as { working?: Promise<void> }).working) {
        await (delivery as unknown as { working: Promise<void> }).working;
      }
    },
  };
}

test('it serves what is known, in the type that Prometheus 3 asks for, and is gone at the end', async () => {
  const { port, delivery, give } = await opened({ fleet: 'shop' });
  await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
  await give(step(1));
  const { status, headers, text } = await ask(port);
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const read = readExposition(text);
  expect(valuesOf(read, 'cluster_canary_shift_step')).toEqual({});
  expect(valuesOf(read, 'cluster_canary_shift_weight_ratio')).toEqual({ blue: 0.99, green: 0.01 });
  expect(read.series.every(({ labels }) => labels['fleet'] === 'shop')).toBe(true);
  // An answer that is like the last one still has figures of its own.
  await give(answered(2, false));
  expect(
    valuesOf(readExposition((await ask(port)).text), 'cluster_canary_check_answers_total'),
  ).toMatchObject({
    'targetHealth pass': 1,
  });
  expect(await delivery.end(15_000)).toEqual({
    ...{ sink: `notify[0] prometheus 127.0.0.1:${port}`, delivered: 2, undelivered: 0 },
  });
  await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
});

test('only GET and HEAD of /metrics', async () => {
  const { port, delivery, give } = await opened();
  await give(step(1));
  const head = await ask(port, 'HEAD');
  expect([head.status, head.text, head.headers['content-type']]).toEqual([
    ...[200, '', 'text/plain; version=0.0.4; charset=utf-8'],
  ]);
  for (const [method, path, status] of [
    ['POST', '/metrics', 405],
    ['PUT', '/metrics', 405],
    ['DELETE', '/metrics', 405],
    ['GET', '/', 404],
    ['GET', '/metrics/x', 404],
    ['GET', '/metrics?name=x', 200],
  ] as const) {
    expect([method, path, (await ask(port, method, path)).status]).toEqual([method, path, status]);
  }
  await delivery.end(15_000);
});

test('a port that is taken: the shift is not disturbed, and a person reads which', async () => {
  const first = await opened();
  await first.give(step(1));
  const second = await opened({}, first.port);
  await second.give(step(1));
  await second.give(ended(2));
  expect(deliveryLines([await second.delivery.end(15_000)])).toEqual([
    `notify[0] prometheus 127.0.0.1:${first.port}: 2 of 2 events were not delivered: ` +
      `127.0.0.1:${first.port}: another program listens there; set "listen" to another port`,
  ]);
  expect((await ask(first.port)).status).toBe(200);
  await first.delivery.end(15_000);
});

test('a port that becomes free serves all that has happened, each event counted once', async () => {
  const first = await opened();
  await first.give(step(1));
  const second = await opened({}, first.port);
  const event = step(1);
  await expect(second.sink.deliver(event, new AbortController().signal)).rejects.toThrow('another program');
  await expect(second.sink.deliver(event, new AbortController().signal)).rejects.toThrow('another program');
  await first.delivery.end(15_000);
  await second.sink.deliver(event, new AbortController().signal);
  await second.give(step(2));
  const read = readExposition((await ask(first.port)).text);
  expect(valuesOf(read, 'cluster_canary_shift_writes_total')).toEqual({ step: 2, rollback: 0 });
  await second.delivery.end(15_000);
});

test('the end waits for Prometheus to see the verdict, if it has asked before', async () => {
  const { port, delivery, give } = await opened();
  await give(step(1));
  await ask(port);
  await give(ended(2));
  let isOver = false;
  const end = delivery.end(15_000).finally(() => (isOver = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isOver).toBe(false);
  const read = readExposition((await ask(port)).text);
  expect(valuesOf(read, 'cluster_canary_shift_verdict')).toMatchObject({ completed: 1 });
  expect(await end).toMatchObject({ delivered: 2, undelivered: 0 });
  await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
});

test('an interrupt ends that wait at once', async () => {
  const { port, delivery, give } = await opened();
  await give(step(1));
  await ask(port);
  await give(ended(2));
  const begun = performance.now();
  expect(await delivery.end(15_000, AbortSignal.timeout(50))).toMatchObject({ delivered: 2, undelivered: 0 });
  expect(performance.now() - begun).toBeLessThan(5_000);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
});

test('connections that ask for nothing keep nobody waiting, neither others nor the end', async () => {
  const { port, delivery, give } = await opened();
  await give(step(1));
  const idle = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  idle.forEach((socket) => socket.write('GET /metrics HTTP/1.1\r\n'));
  expect((await ask(port)).status).toBe(200);
  const begun = performance.now();
  await delivery.end(15_000);
  expect(performance.now() - begun).toBeLessThan(5_000);
  idle.forEach((socket) => socket.destroy());
});

test.each([
  ['an address of this machine', '127.0.0.1:9464', true],
  ['all addresses, by name', '0.0.0.0:9464', true],
  ['a name', 'localhost:80', true],
  ['IPv6', '[::1]:9464', true],
  ['a port alone', ':9464', false],
  ['a port that there is not', '127.0.0.1:70000', false],
  ['no port', '127.0.0.1', false],
  ['port 0', '127.0.0.1:0', false],
  ['IPv6 without brackets', '::1:9464', false],
  ['a URL', 'http://127.0.0.1:9464', false],
])('listen: %s', (_, listen, isAllowed) => {
  const problems = problemsOf(notifySchema, [{ prometheus: { listen } }]);
  expect(problems.map(({ path }) => path)).toEqual(isAllowed ? [] : ['[0].prometheus.listen']);
});
