import { trace } from '@opentelemetry/api';
import { problemsOf } from '../../../lib/core/validation/schema';
import { deliveryLines, notifySchema } from '../../../lib/shift/notify';
import { Delivery } from '../../../lib/shift/notify/delivery';
import type { DeliveryFailed, FleetEvent, OpenTelemetrySettings, Sink } from '../../../lib/shift/notify';
import { sinkContext } from '../../../lib/shift/notify/notifier';
import { openSinks } from '../../../lib/shift/notify/settings';
import { answered, ended, step } from './events';
import type { StandIn } from './stand-in';
import { answers, fates, standIn } from './stand-in';

let collector: StandIn;

beforeEach(async () => {
  collector = await standIn(answers(200, '{"partialSuccess":{}}', { 'content-type': 'application/json' }));
});

afterEach(() => collector.close());

function open(
  settings: OpenTelemetrySettings = { endpoint: collector.url },
  env: Readonly<Record<string, string>> = {},
  readFile?: (path: string) => Promise<string>,
): Sink {
  const context = sinkContext('.', { env, ...(readFile && { readFile }) });
  return openSinks([{ openTelemetry: settings }], context)[0]!;
}

function deliver(sink: Sink, event: FleetEvent, milliseconds = 30_000): Promise<void> {
  return sink.deliver(event, AbortSignal.timeout(milliseconds));
}

/** A span as OTLP has it in JSON. */
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly { readonly name: string; readonly attributes: readonly unknown[] }[];
  readonly droppedEventsCount: number;
}

function sent({ got }: StandIn): SentSpan[] {
  return got.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: any) =>
      scopeSpans.flatMap(({ spans }: any) => spans),
    ),
  );
}

test('a shift is a trace, a step a span, and an answer of a check an event of it', async () => {
  const delivery = new Delivery(open());
  [step(1), answered(2), answered(3, false), step(4), ended(5)].forEach((event) => delivery.add(event));
  expect(await delivery.end(15_000)).toEqual({
    ...{ sink: 'notify[0] openTelemetry', delivered: 5, undelivered: 0 },
  });
  const { path, method, headers, body } = collector.got[0]!;
  expect([method, path, headers['content-type']]).toEqual(['POST', '/v1/traces', 'application/json']);
  expect(JSON.parse(body).resourceSpans[0].resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'cluster-canary' } },
  ]);
  const spans = sent(collector);
  expect(spans.map(({ name, status, events }) => [name, status.code, events.length])).toEqual([
    ['step 1 of 7', 1, 2],
    ['step 4 of 7', 1, 0],
    ['shift traffic', 1, 0],
  ]);
  const [first, second, root] = spans;
  expect([first!.parentSpanId, second!.parentSpanId, root!.parentSpanId]).toEqual([
    ...[root!.spanId, root!.spanId, undefined],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(root!.startTimeUnixNano).toBe(`${Date.parse('2031-05-06T07:08:09.000Z')}000000`);
  // A program that traces itself keeps its own provider.
  expect(trace.getTracer('x').startSpan('x').isRecording()).toBe(false);
});

test('two processes that work on a shift have one trace, two shifts have two', async () => {
  for (const shift of ['r1', 'r1', 'r2']) {
    const delivery = new Delivery(open());
    delivery.add({ ...ended(1), shift });
    await delivery.end(15_000);
  }
  const [one, again, other] = sent(collector).map(({ traceId }) => traceId);
  expect([again === one, other === one]).toEqual([true, false]);
  expect(one).toMatch(/^[0-9a-f]{32}$/);
});

test('routes that shift at the same time have traces of their own', async () => {
  const delivery = new Delivery(open());
  const eu = { route: 'eu', shift: 'eu1' };
  [step(1), { ...step(2), ...eu }, answered(3), { ...ended(4), ...eu }, ended(5)].forEach((event) =>
    delivery.add(event),
  );
  await delivery.end(15_000);
  const spans = sent(collector);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(roots.map(({ name }) => name).sort()).toEqual(['shift eu', 'shift traffic']);
  for (const { traceId, parentSpanId } of spans.filter((span) => span.parentSpanId !== undefined)) {
    expect(roots.find(({ spanId }) => spanId === parentSpanId)?.traceId).toBe(traceId);
  }
});

test('a step of a day keeps thousands of answers', async () => {
  const sink = open();
  await deliver(sink, step(0));
  for (let index = 1; index <= 2_000; index += 1) {
    await deliver(sink, answered(index, false));
  }
  await deliver(sink, ended(3_000));
  const [first] = sent(collector);
  expect([first!.events.length, first!.droppedEventsCount]).toEqual([2_000, 0]);
});

test('a shift without an end: what is open is sent at the end of the run', async () => {
  const delivery = new Delivery(open());
  delivery.add(step(1));
  await delivery.end(15_000);
  expect(sent(collector).map(({ name, status }) => [name, status.code])).toEqual([
    ['step 1 of 7', 0],
    ['shift traffic', 0],
  ]);
});

test.each([
  ['503', answers(503, 'busy'), { message: /answers 503: busy/, how: { final: false } }, true],
  [
    '429 with Retry-After',
    answers(429, '', { 'retry-after': '3' }),
    { message: /answers 429/, how: { final: false, retryAfterMs: 3_000 } },
    true,
  ],
  ['500', answers(500), { message: /answers 500/, how: { final: true } }, false],
  ['400', answers(400, 'no spans'), { message: /answers 400: no spans/, how: { final: true } }, false],
  [
    'a redirect',
    answers(307, '', { location: 'http://example.com' }),
    { message: /answers 307/, how: { final: true } },
    false,
  ],
  [
    'spans that are rejected',
    answers(200, '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'),
    { message: /has rejected 2 spans: too old/, how: { final: true } },
    false,
  ],
  ['a reset', fates.resets, { message: /collector: ECONNRESET/, how: {} }, true],
  ['an answer without end', fates.floods, { message: /longer than/, how: {} }, true],
] as const)('%s', async (_, fate, wanted, isKept) => {
  const sink = open();
  await deliver(sink, step(1));
  collector.fates.push(fate);
  const failed = await deliver(sink, step(2)).then(
    () => undefined,
    (error: unknown) => error as DeliveryFailed,
  );
  expect(failed?.message).toMatch(wanted.message);
  expect(failed?.how).toEqual(wanted.how);
  await deliver(sink, step(2));
  await deliver(sink, ended(3));
  const names = sent({ ...collector, got: collector.got.slice(1) }).map(({ name }) => name);
  expect(names).toEqual([...(isKept ? ['step 1 of 7'] : []), 'step 2 of 7', 'shift traffic']);
});

test('a collector that hangs ends with the signal, and no connection is left', async () => {
  const sink = open();
  await deliver(sink, step(1));
  collector.fates.push(fates.hangs);
  await expect(deliver(sink, step(2), 100)).rejects.toThrow(/aborted|timeout/i);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await collector.connections()).toBe(0);
});

test.each([
  ['the endpoint', (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/base/` }), '/base/v1/traces'],
  [
    'the endpoint of traces, as it is',
    (url: string) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://example.com',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/traces`,
    }),
    '/traces',
  ],
])('the variables of OpenTelemetry: %s', async (_, variables, path) => {
  const env = {
    ...variables(collector.url),
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Scope=a%20b, Authorization=Basic abcdefgh==,no-pair,bad=%E0%A4',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=live,service.name=other',
    OTEL_SERVICE_NAME: 'shifts',
  };
  const sink = open({}, env);
  await deliver(sink, ended(1));
  const [got] = collector.got;
  expect([got!.path, got!.headers['x-scope'], got!.headers.authorization]).toEqual([
    ...[path, 'a b', 'Basic abcdefgh=='],
  ]);
  expect(JSON.parse(got!.body).resourceSpans[0].resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'shifts' } },
    { key: 'deployment.environment.name', value: { stringValue: 'live' } },
  ]);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; set "endpoint" to'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts',
  ],
])('variables that it can not use: %j', async (env, message) => {
  const delivery = new Delivery(open({}, env as Readonly<Record<string, string>>));
  delivery.add(ended(1));
  expect(deliveryLines([await delivery.end(15_000)])[0]).toContain(message);
});

test('an authority of its own is read from the file that its variable names', async () => {
  const read: string[] = [];
  const env = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/etc/ca.pem' };
  const sink = open({ endpoint: collector.url }, env, (path) => {
    read.push(path);
    return Promise.resolve('-----BEGIN CERTIFICATE-----');
  });
  await deliver(sink, ended(1));
  expect(read).toEqual(['/etc/ca.pem']);
});

test('headers by reference win over those of the variables, and stay secret', async () => {
  const env = { KEY: 'k3y-of-the-collector', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=another-k3y' };
  const sink = open({ endpoint: collector.url, headers: { 'Api-Key': { env: 'KEY' } } }, env);
  collector.fates.push(answers(403, 'k3y-of-the-collector is no key, nor is another-k3y'));
  await expect(deliver(sink, ended(1))).rejects.toThrow(/^(?!.*k3y).*answers 403/);
  expect(collector.got[0]!.headers['api-key']).toBe('k3y-of-the-collector');
});

test('headers are not sent in the clear, wherever the address is from', async () => {
  const env = { KEY: 'k3y-of-the-collector', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://192.0.2.1:4318' };
  const sink = open({ headers: { 'Api-Key': { env: 'KEY' } } }, env);
  await expect(deliver(sink, ended(1), 2_000)).rejects.toThrow('its address must start with https://');
});

test.each([
  [{}, []],
  [{ endpoint: 'http://collector.monitoring.svc:4318' }, []],
  [{ endpoint: 'http://collector.monitoring.svc:4318', headers: { key: { env: 'KEY' } } }, ['endpoint']],
  [{ endpoint: 'collector:4318' }, ['endpoint']],
  [{ headers: { key: 'text' } }, ['headers.key']],
  [{ protocol: 'grpc' }, ['protocol']],
])('settings %j', (settings, wrong) => {
  const problems = problemsOf(notifySchema, [{ openTelemetry: settings }]);
  expect(problems.map(({ path }) => path)).toEqual(wrong.map((path) => `[0].openTelemetry.${path}`));
});
