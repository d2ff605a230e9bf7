import { NoWholeAnswer } from '../../../lib/core/http';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../../lib/core/http';
import type { SecretReader } from '../../../lib/core/secret-source';
import { openRouter } from '../../../lib/shift/routers';
import type { HttpProxySettings, OpenRouter } from '../../../lib/shift/routers';

const address = 'http://127.0.0.1:9000/admin';
const slots = { blue: {}, green: {} };
const all = { blue: 100, green: 0 };
const half = { blue: 50, green: 50 };

const ok = (weights: object, etag: string | null = '"1"'): Partial<HttpAnswer> => ({
  status: 200,
  headers: etag === null ? {} : { etag },
  text: JSON.stringify({ weights }),
});

/** A router whose proxy answers in turn; the last answer again and again. */
function proxy(
  answers: readonly (Partial<HttpAnswer> | Error)[],
  settings: Partial<HttpProxySettings> = {},
): { readonly router: OpenRouter; readonly asked: HttpRequest[] } {
  const asked: HttpRequest[] = [];
  const http: HttpClient = {
    send: (request) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)]!;
      asked.push(request);
      return answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve({ status: 200, headers: {}, text: '', ...answer });
    },
  };
  const secrets: SecretReader = {
    env: { TOKEN: 'secret' },
    readFile: () => Promise.reject(new Error('no file')),
  };
  const router = openRouter({ router: { httpProxy: { address, ...settings } }, slots }, { http, secrets });
  return { router, asked };
}

test('a read is one request, and a write is conditional on what it has read', async () => {
  const { router, asked } = proxy([ok(all), ok(all, '"7"'), ok(half, '"8"')]);
  expect(await router.read()).toEqual(all);
  await router.write(half, undefined, [all]);
  expect(asked.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
    `GET ${address}/weights`,
    `GET ${address}/weights`,
    `PUT ${address}/weights`,
  ]);
  expect(asked[2]).toMatchObject({
    headers: { 'if-match': '"7"', 'content-type': 'application/json' },
    body: JSON.stringify({ weights: half }),
  });
  expect(asked[0]!.headers).not.toHaveProperty('authorization');
});

test('a token goes with each request, and stands in no error', async () => {
  const { router, asked } = proxy([ok(all), { status: 403, text: '{"error":"not yours"}' }], {
    token: { env: 'TOKEN' },
  });
  await router.read();
  const write = router.write(half);
  await expect(write).rejects.toMatchObject({ failure: 'denied' });
  await expect(write).rejects.toThrow(`HTTP proxy ${address}: it answers 403 (not yours)`);
  expect(asked.map(({ headers }) => headers['authorization'])).toEqual(['Bearer secret', 'Bearer secret']);
});

test('a token that is not there is a right that lacks', async () => {
  const { router, asked } = proxy([ok(all)], { token: { env: 'NONE' } });
  await expect(router.read()).rejects.toMatchObject({
    failure: 'denied',
    message: expect.stringContaining('the variable NONE is not set or empty'),
  });
  expect(asked).toEqual([]);
});

const failures: [string, Partial<HttpAnswer> | Error, string, RegExp][] = [
  [
    'no connection',
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    'unreachable',
    /: no answer \(ECONNREFUSED\)$/,
  ],
  ['no answer in time', new NoWholeAnswer('slow', 'no answer within 10 s'), 'unreachable', /within 10 s$/],
  ['401', { status: 401 }, 'denied', /it answers 401$/],
  ['404', { status: 404 }, 'notFound', /it answers 404$/],
  ['429', { status: 429 }, 'throttled', /it answers 429$/],
  ['a redirect', { status: 302 }, 'unfit', /it answers 302$/],
  ['503 with a page', { status: 503, text: '<html>' }, 'unreachable', /it answers 503$/],
  [
    'an error of several lines',
    { status: 400, text: '{"error":"a\\nb\\u001b[31m"}' },
    'unfit',
    /\(a\\nb\\u001b\[31m\)$/,
  ],
  ['no ETag', ok(all, null), 'unfit', /no strong ETag/],
  ['a weak ETag', ok(all, 'W/"1"'), 'unfit', /no strong ETag/],
  ['no JSON', { ...ok(all), text: '<html>' }, 'unfit', /the answer has no weights/],
  ['no weights', ok({}), 'unfit', /the answer has no weights/],
  ['a weight below 0', ok({ blue: -1, green: 2 }), 'unfit', /the answer has no weights/],
  ['a weight that is text', ok({ blue: '1', green: 2 }), 'unfit', /the answer has no weights/],
  ['no upstream of a slot', ok({ blue: 100 }), 'unfit', /no upstream green; its upstreams are blue$/],
  [
    'weight of no slot',
    ok({ blue: 50, green: 0, red: 50 }),
    'unfit',
    /its upstream red has weight and is no slot/,
  ],
  ['no whole percents', ok({ blue: 1, green: 2 }), 'unfit', /are no whole percents/],
  ['no weight at all', ok({ blue: 0, green: 0 }), 'unfit', /every weight is 0/],
];

test.each(failures)('a read: %s', async (_what, answer, failure, message) => {
  const { router, asked } = proxy([answer]);
  const read = router.read();
  await expect(read).rejects.toMatchObject({ name: 'RouterError', failure });
  await expect(read).rejects.toThrow(message);
  expect(asked).toHaveLength(1);
});

test('weights that are no whole percents are described, and written over only where nothing is expected', async () => {
  const raw = { blue: 1, green: 2 };
  const { router, asked } = proxy([ok(raw)]);
  expect(await router.describe()).toMatchObject({
    weights: null,
    raw,
    notes: [expect.stringContaining('blue 33')],
  });
  await expect(router.write(all, undefined, [half])).rejects.toMatchObject({ failure: 'unfit' });
  await router.write(all);
  expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'PUT']);
});

test('an upstream of no slot keeps its weight of 0', async () => {
  const { router, asked } = proxy([ok({ ...all, red: 0 })]);
  expect(await router.read()).toEqual(all);
  await router.write(half);
  expect(JSON.parse(asked.at(-1)!.body!)).toEqual({ weights: { ...half, red: 0 } });
});

test.each<[string, Partial<HttpAnswer> | Error, string]>([
  ['that another one was quicker with', { status: 412 }, 'changed'],
  ['that gets no answer', Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'unreachable'],
  ['that is refused', { status: 422 }, 'unfit'],
  ['that is throttled', { status: 429 }, 'throttled'],
])('a write %s is one request', async (_what, answer, failure) => {
  const { router, asked } = proxy([ok(all), answer]);
  await expect(router.write(half, undefined, [all])).rejects.toMatchObject({ failure });
  expect(asked.map(({ method }) => method)).toEqual(['GET', 'PUT']);
});

test('an interrupt ends a request', async () => {
  const { router } = proxy([Object.assign(new Error('stop'), { name: 'AbortError', code: 20 })]);
  await expect(router.read(AbortSignal.abort())).rejects.toMatchObject({
    failure: 'unreachable',
    message: `HTTP proxy ${address}: no answer`,
  });
});

test.each([
  ['https://proxy.example.com', true],
  ['https://proxy.example.com:8443/admin/', true],
  ['http://localhost:9000', true],
  ['http://[::1]:9000', true],
  ['http://127.0.0.1', true],
  ['http://proxy.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['http://localhost@example.com', false],
  ['https://user:password@proxy.example.com', false],
  ['https://proxy.example.com/?token=x', false],
  ['https://proxy.example.com/#x', false],
  ['https://[', false],
  ['ftp://127.0.0.1', false],
])('the address %s: %s', (given, isFine) => {
  const open = () => openRouter({ router: { httpProxy: { address: given } }, slots });
  if (isFine) {
    expect(open().id).toMatch(/\/weights$/);
  } else {
    expect(open).toThrow(/router\.httpProxy\.address/);
  }
});
