import * as fc from 'fast-check';
import { problemsOf } from '../../../lib/core/validation/schema';
import type { DeliveryFailed, FleetEvent, PushgatewaySettings, Sink } from '../../../lib/shift/notify';
import { notifySchema } from '../../../lib/shift/notify';
import { Delivery } from '../../../lib/shift/notify/delivery';
import { sinkContext } from '../../../lib/shift/notify/notifier';
import { groupPath } from '../../../lib/shift/notify/pushgateway';
import { openSinks } from '../../../lib/shift/notify/settings';
import { answered, ended, step } from './events';
import { readExposition, valuesOf } from './read-exposition';
import type { StandIn } from './stand-in';
import { answers, fates, standIn } from './stand-in';

let gateway: StandIn;

beforeEach(async () => {
  gateway = await standIn();
});

afterEach(() => gateway.close());

function open(settings: Partial<PushgatewaySettings> = {}, env: Readonly<Record<string, string>> = {}): Sink {
  const all: PushgatewaySettings = { url: gateway.url, fleet: 'shop', ...settings };
  return openSinks([{ pushgateway: all }], sinkContext('.', { env }))[0]!;
}

function deliver(sink: Sink, event: FleetEvent, milliseconds = 30_000): Promise<void> {
  return sink.deliver(event, AbortSignal.timeout(milliseconds));
}

const group = '/metrics/job/cluster-canary/fleet/shop/route/traffic';

test('each route is a group, whose body is what Prometheus reads', async () => {
  const sink = open();
  await deliver(sink, step(1));
  await deliver(sink, { ...step(2), route: 'eu/west' });
  expect(gateway.got.map(({ method, path, headers }) => [method, path, headers['content-type']])).toEqual([
    ['PUT', group, 'text/plain; version=0.0.4; charset=utf-8'],
    [
      ...['PUT', `/metrics/job/cluster-canary/fleet/shop/route@base64/${btoa('eu/west').replace(/=+$/, '')}`],
      'text/plain; version=0.0.4; charset=utf-8',
    ],
  ]);
  const [first, second] = gateway.got.map(({ body }) => readExposition(body));
  expect(valuesOf(first!, 'cluster_canary_shift_weight_ratio')).toEqual({ blue: 0.99, green: 0.01 });
  // A group has the series of its own route: the gateway would give the labels of the group to others.
  expect(new Set(second!.series.map(({ labels }) => labels['route']))).toEqual(new Set(['eu/west']));
});

test('answers of checks wait for the next push, and the end has what is left', async () => {
  const delivery = new Delivery(open());
  [step(1), answered(2), answered(3, false), answered(4, false)].forEach((event) => delivery.add(event));
  expect(await delivery.end(15_000)).toMatchObject({ delivered: 4, undelivered: 0 });
  expect(gateway.got.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
  const last = readExposition(gateway.got.at(-1)!.body);
  expect(valuesOf(last, 'cluster_canary_check_answers_total')).toMatchObject({ 'targetHealth pass': 3 });
});

test('what ends a shift is pushed at once, and stays', async () => {
  const delivery = new Delivery(open());
  [answered(1), step(2), ended(3)].forEach((event) => delivery.add(event));
  await delivery.end(15_000);
  expect(gateway.got.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT']);
  const last = readExposition(gateway.got.at(-1)!.body);
  expect(valuesOf(last, 'cluster_canary_shift_verdict')).toMatchObject({ completed: 1 });
});

test('deleteAtEnd deletes the groups of all routes', async () => {
  const delivery = new Delivery(open({ deleteAtEnd: true }));
  [step(1), { ...step(2), route: 'eu' }, ended(3)].forEach((event) => delivery.add(event));
  await delivery.end(15_000);
  expect(
    gateway.got.filter(({ method }) => method === 'DELETE').map(({ path, body }) => [path, body]),
  ).toEqual([
    [group, ''],
    [group.replace('traffic', 'eu'), ''],
  ]);
});

test.each([
  ['500', answers(500, 'out of disk'), { message: /answers 500: out of disk/, how: { final: false } }],
  [
    '429 with Retry-After',
    answers(429, '', { 'retry-after': '7' }),
    { message: /answers 429/, how: { final: false, retryAfterMs: 7_000 } },
  ],
  ['400', answers(400, 'pushed metrics are invalid'), { message: /invalid/, how: { final: true } }],
  [
    'a redirect',
    answers(302, '', { location: 'http://example.com/metrics' }),
    { message: /answers 302/, how: { final: true } },
  ],
  ['a reset', fates.resets, { message: /the Pushgateway: ECONNRESET/, how: {} }],
  ['an answer without end', fates.floods, { message: /longer than/, how: {} }],
] as const)(
  '%s: a failure that says whether to try again, and the next try has all',
  async (_, fate, wanted) => {
    const sink = open();
    gateway.fates.push(fate);
    const failed = await deliver(sink, step(1)).then(
      () => undefined,
      (error: unknown) => error as DeliveryFailed,
    );
    expect(failed?.message).toMatch(wanted.message);
    expect(failed?.how).toEqual(wanted.how);
    await deliver(sink, step(1));
    const read = readExposition(gateway.got.at(-1)!.body);
    expect(gateway.got).toHaveLength(2);
    expect(valuesOf(read, 'cluster_canary_shift_writes_total')).toEqual({ step: 1, rollback: 0 });
  },
);

test('a gateway that hangs ends with its signal, and no connection is left', async () => {
  const sink = open();
  gateway.fates.push(fates.hangs);
  await expect(deliver(sink, step(1), 100)).rejects.toThrow(/aborted|timeout/i);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await gateway.connections()).toBe(0);
});

test('headers are read for each push, and no error has their values', async () => {
  const env: Record<string, string> = { GATEWAY: 'Bearer s3cr3t-value-1' };
  const sink = open({ headers: { Authorization: { env: 'GATEWAY' } } }, env);
  await deliver(sink, step(1));
  env['GATEWAY'] = 'Bearer s3cr3t-value-2';
  gateway.fates.push((response, { headers }) =>
    answers(401, `no: ${headers.authorization}`)(response, gateway.got[0]!),
  );
  await expect(deliver(sink, step(2))).rejects.toThrow(/^(?!.*s3cr3t).*answers 401: no: /);
  expect(gateway.got.map(({ headers }) => headers.authorization)).toEqual([
    ...['Bearer s3cr3t-value-1', 'Bearer s3cr3t-value-2'],
  ]);
  delete env['GATEWAY'];
  await expect(deliver(sink, step(3))).rejects.toThrow(
    'the header Authorization for the Pushgateway is not there: the variable GATEWAY is not set or empty',
  );
});

test.each([
  [{ url: 'http://pushgateway.monitoring.svc:9091' }, []],
  [{ url: 'https://example.com/gateway', headers: { authorization: { env: 'KEY' } } }, []],
  [{ url: 'http://example.com:9091', headers: { authorization: { env: 'KEY' } } }, ['url']],
  [{ url: 'https://user:password@example.com' }, ['url']],
  [{ url: 'https://example.com/?token=x' }, ['url']],
  [{ url: 'ftp://example.com' }, ['url']],
  [{}, ['url']],
  [{ url: 'https://example.com', headers: { authorization: 'Bearer x' } }, ['headers.authorization']],
  [{ url: 'https://example.com', headers: { host: { env: 'KEY' } } }, ['headers.host']],
  [{ url: 'https://example.com', every: '5s' }, ['every']],
])('settings %j', (settings, wrong) => {
  const problems = problemsOf(notifySchema, [{ pushgateway: settings }]);
  expect(problems.map(({ path }) => path)).toEqual(wrong.map((path) => `[0].pushgateway.${path}`));
  expect(JSON.stringify(problems)).not.toContain('password@');
});

test('whatever a fleet and a route are called, their group is found again', () => {
  const name = fc.oneof(fc.fullUnicodeString(), fc.constantFrom('', '.', '..', 'a/b', '%2e', 'ü', 'a b'));
  fc.assert(
    fc.property(name, name, (fleet, route) => {
      const { pathname } = new URL(groupPath({ fleet, route }), 'http://127.0.0.1:9091');
      const [, , , ...labels] = pathname.slice(1).split('/');
      const read = Object.fromEntries(
        [0, 2].map((index) => {
          const [label = '', isEncoded] = labels[index]!.split('@');
          const value = labels[index + 1]!;
          return [label, isEncoded ? Buffer.from(value, 'base64url').toString() : value];
        }),
      );
      expect([labels.length, read]).toEqual([4, { fleet: toUtf8(fleet), route: toUtf8(route) }]);
    }),
  );
});

/** Half a surrogate pair has no UTF-8. */
function toUtf8(text: string): string {
  return Buffer.from(text).toString();
}
