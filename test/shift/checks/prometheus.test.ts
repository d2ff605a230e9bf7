import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkContext,
  checkProblems,
  checkRights,
  createChecks,
  prometheus,
} from '../../../lib/shift/checks';
import type { CheckContext } from '../../../lib/shift/checks';
import type { Reply, Service } from './metric-samples';
import { contextOf, minute, servicesOfTests, start, subject, window } from './metric-samples';

const serving = servicesOfTests();

async function evaluate(service: Service, args: any, given: Partial<CheckContext> = {}, change = {}) {
  const [check] = createChecks(
    [prometheus.query({ address: service.address, query: 'up', ...args })],
    contextOf(given),
  );
  return check!.evaluate({ ...window, ...change });
}

const data = (resultType: string, result: unknown) => ({ status: 'success', data: { resultType, result } });
const vector = (...values: string[]) =>
  data(
    'vector',
    values.map((value) => ({ metric: {}, value: [1, value] })),
  );
const matrix = (...lists: string[][]) =>
  data(
    'matrix',
    lists.map((values) => ({
      metric: {},
      values: values.map((value, index) => [window.to / 1000 - values.length + 1 + index, value]),
    })),
  );

describe('prometheus.query', () => {
  test.each<[string, unknown, object, string, number | null]>([
    ['a vector of one', vector('0.5'), { max: 1 }, 'pass', 0.5],
    ['a scalar', data('scalar', [1, '2']), { max: 1 }, 'fail', 2],
    ['several series: the worst one counts', vector('0.5', '1.5', '1'), { max: 1 }, 'fail', 1.5],
    ['several series: the lower bound', vector('0.5', '1.5', '1'), { min: 0.6 }, 'fail', 0.5],
    ['0 / 0 is no figure', vector('NaN'), { max: 1 }, 'inconclusive', null],
    ['0 / 0 is no figure, and that is fine', vector('NaN'), { max: 1, onNoData: 'pass' }, 'pass', null],
    ['0 / 0 is no zero', vector('NaN'), { max: 1, missing: 'zero' }, 'inconclusive', null],
    ['1 / 0 is no figure', vector('+Inf'), { max: 1 }, 'inconclusive', null],
    ['1 / 0 is never fine', vector('+Inf'), { min: 1, onNoData: 'pass' }, 'inconclusive', null],
    ['-1 / 0 is no figure', vector('-Inf'), { max: 1 }, 'inconclusive', null],
    ['one series of several without a figure', vector('0.5', 'NaN'), { max: 1 }, 'inconclusive', 0.5],
    ['beyond the bounds beside one without a figure', vector('1.5', 'NaN'), { max: 1 }, 'fail', 1.5],
    ['nothing, which is zero', vector(), { max: 1, missing: 'zero' }, 'pass', 0],
    ['nothing, which is zero, below the bound', vector(), { min: 1, missing: 'zero' }, 'fail', 0],
    ['a range without a figure', matrix(['NaN', 'NaN']), { max: 1, aggregate: 'max' }, 'inconclusive', null],
    [
      'a range with an infinite one',
      matrix(['1', '+Inf']),
      { min: 1, aggregate: 'avg' },
      'inconclusive',
      null,
    ],
    [
      'points from before the window',
      data('matrix', [{ metric: {}, values: [[window.from / 1000 - 60, '0']] }]),
      { max: 1, aggregate: 'last' },
      'inconclusive',
      null,
    ],
    ['an absent bound is no zero', vector('-1'), { max: 1 }, 'pass', -1],
    ['nothing', vector(), { max: 1 }, 'inconclusive', null],
    ['nothing, which is fine', vector(), { max: 1, onNoData: 'pass' }, 'pass', null],
    ['a range: the mean', matrix(['1', '3', 'NaN']), { max: 1.9, aggregate: 'avg' }, 'fail', 2],
    ['a range: the last point', matrix(['9', '1']), { max: 1, aggregate: 'last' }, 'pass', 1],
    [
      'a range: the largest of each series',
      matrix(['9', '1'], ['1', '1']),
      { max: 8, aggregate: 'max' },
      'fail',
      9,
    ],
  ])('%s', async (_name, body, bounds, status, value) => {
    const service = await serving(() => ({ body }));
    const result = await evaluate(service, bounds);
    expect([result.status, result.figures[0]!.value]).toEqual([status, value]);
  });

  test('an instant query at the end of the window, over the time since the weights changed', async () => {
    const service = await serving(() => ({ body: vector('1') }));
    await evaluate(service, { max: 1, query: 'rate(errors{cluster="{{cluster}}"}[{{window}}]) > 0 + (1)' });
    const { url } = service.requests[0]!;
    expect(url.pathname).toBe('/api/v1/query');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      query: 'rate(errors{cluster="apps-green"}[220s]) > 0 + (1)',
      time: String(window.to / 1000),
    });
  });

  test('a range query over the window', async () => {
    const service = await serving(() => ({ body: matrix(['1']) }));
    await evaluate(
      { ...service, address: `${service.address}/prefix/` },
      { max: 1, aggregate: 'max', step: '20s' },
    );
    const { url } = service.requests[0]!;
    expect(url.pathname).toBe('/prefix/api/v1/query_range');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      query: 'up',
      start: String(start / 1000 + 20),
      end: String(window.to / 1000),
      step: '20',
    });
  });

  test('a step that is longer than the window asks for its end', async () => {
    const service = await serving(() => ({ body: matrix(['1']) }));
    const result = await evaluate(service, { max: 1, aggregate: 'max', step: '1h' });
    const { searchParams } = service.requests[0]!.url;
    expect(searchParams.get('start')).toBe(String(window.to / 1000));
    expect(searchParams.get('end')).toBe(String(window.to / 1000));
    expect(result.status).toBe('pass');
  });

  test('too few requests', async () => {
    const service = await serving(({ searchParams }) => ({
      body: searchParams.get('query') === 'hits[220s]' ? vector('60', '39') : vector('9'),
    }));
    const args = { max: 1, requests: 'hits[{{window}}]', minRequests: 100 };
    expect((await evaluate(service, args)).status).toBe('inconclusive');
    expect((await evaluate(service, { ...args, minRequests: 99 })).status).toBe('fail');
  });

  test.each<[string, object, Partial<CheckContext>, string]>([
    [
      'basic',
      { basic: { username: 'me', password: { env: 'PASSWORD' } } },
      { env: { PASSWORD: 's3cret' } },
      `Basic ${Buffer.from('me:s3cret').toString('base64')}`,
    ],
    [
      'bearer',
      { bearer: { file: '/token' } },
      { readFile: () => Promise.resolve(' t0ken\n') },
      'Bearer t0ken',
    ],
  ])('%s', async (_name, auth, given, authorization) => {
    const service = await serving(() => ({ body: vector('1') }));
    await evaluate(service, { max: 1, auth }, given);
    expect(service.requests[0]!.headers.authorization).toBe(authorization);
  });

  test('signs for Amazon’s service, and anew for every try', async () => {
    const service = await serving((_url, number) => (number === 1 ? { status: 503 } : { body: vector('1') }));
    const credentials = jest.fn(() =>
      Promise.resolve({
        accessKeyId: 'AKIDEXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI',
        sessionToken: 'session',
      }),
    );
    await evaluate(
      service,
      { max: 1, query: 'a{b="(c)*"}', auth: { sigV4: { region: 'eu-west-1' } } },
      { credentials },
    );
    expect(credentials).toHaveBeenCalledTimes(2);
    const { headers } = service.requests[1]!;
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260101\/eu-west-1\/aps\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
    );
    expect(headers['x-amz-security-token']).toBe('session');
  });

  test('trusts the authorities of a file', async () => {
    const sent: any[] = [];
    const http = {
      send: (request: any) => {
        sent.push(request);
        return Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(vector('1')) });
      },
    };
    const readFile = (path: string) => Promise.resolve(`PEM of ${path}`);
    const settings = prometheus.query({
      address: 'https://prometheus.example.com',
      query: 'up',
      max: 1,
      caFile: '/ca.pem',
    });
    const [check] = createChecks([settings], contextOf({ http, readFile }));
    await check!.evaluate(window);
    expect(sent[0].certificateAuthority).toBe('PEM of /ca.pem');
  });

  test('reads no pipe and no device: nobody may write to the one, and the other has no end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-prometheus-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { readFile } = checkContext(subject);
    const failed = async (more: object): Promise<string> => {
      const settings = prometheus.query({
        address: 'https://prometheus.example.com',
        query: 'up',
        max: 1,
        ...more,
      });
      const [check] = createChecks([settings], contextOf({ readFile }));
      return ((await Promise.resolve(check!.evaluate(window)).catch((each: unknown) => each)) as Error)
        .message;
    };
    expect(await failed({ caFile: '/dev/zero' })).toBe(
      "Prometheus: the file /dev/zero can't be read (a device)",
    );
    expect(await failed({ auth: { bearer: { file: pipe } } })).toContain(
      `can't be read from ${pipe} (a named pipe)`,
    );
    rmSync(folder, { recursive: true });
  });
});

describe('faults of the source', () => {
  test.each<[string, Reply, string, number]>([
    [
      'does not understand',
      { status: 400, body: { status: 'error', errorType: 'bad_data', error: 'parse error' } },
      'answers 400 (bad_data: parse error)',
      1,
    ],
    [
      'takes too long itself',
      { status: 503, body: { status: 'error', errorType: 'timeout', error: 'query timed out' } },
      'answers 503 (timeout: query timed out)',
      3,
    ],
    [
      'an error with status 200',
      { body: { status: 'error', errorType: 'execution', error: 'many' } },
      'execution: many',
      1,
    ],
    ['text', { body: data('string', [1, 'x']) }, 'a result of the type "string"', 1],
    ['no result', { body: {} }, 'no result', 1],
    ['a value that is none', { body: data('vector', [{ metric: {} }]) }, 'no pair', 1],
    ['a matrix for a moment', { body: matrix(['1']) }, 'a result of the type "matrix"', 1],
    ['empty text for a number', { body: vector('') }, '"" for a number', 1],
    ['a hexadecimal number', { body: vector('0x10') }, '"0x10" for a number', 1],
    ['a number without quotation marks', { body: data('vector', [{ value: [1, 1] }]) }, 'no pair', 1],
    [
      'a store that is away',
      { body: { ...vector('0'), warnings: ['store gateway: unavailable'] } },
      'not whole (store gateway: unavailable)',
      1,
    ],
    ['a part of the answer', { body: { ...vector('0'), isPartial: true } }, 'not whole', 1],
    ['no JSON', { body: '<html>' }, 'no JSON', 3],
  ])('%s', async (_name, reply, text, times) => {
    const service = await serving(() => reply);
    await expect(evaluate(service, { max: 1 })).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining(text),
    });
    expect(service.requests).toHaveLength(times);
  });

  test('no secret in an error', async () => {
    const encoded = Buffer.from('me:s3cret').toString('base64');
    const service = await serving(() => ({
      status: 401,
      body: { status: 'error', error: `s3cret ${encoded}` },
    }));
    const auth = { basic: { username: 'me', password: { env: 'PASSWORD' } } };
    const error = await evaluate(service, { max: 1, auth }, { env: { PASSWORD: 's3cret' } }).catch(
      (e: Error) => e,
    );
    expect((error as Error).message).toContain('[hidden] [hidden]');
    expect((error as Error).stack).not.toMatch(/s3cret|bWU6/);
  });

  test('no AWS credentials', async () => {
    const service = await serving(() => ({ body: vector('1') }));
    const credentials = () =>
      Promise.reject(Object.assign(new Error('no'), { name: 'CredentialsProviderError' }));
    await expect(
      evaluate(service, { max: 1, auth: { sigV4: { region: 'eu-west-1' } } }, { credentials }),
    ).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining('CredentialsProviderError'),
    });
    expect(service.requests).toHaveLength(0);
  });

  test('no AWS credentials of a profile', async () => {
    process.env['AWS_PROFILE'] = 'nosuch';
    try {
      const service = await serving(() => ({ body: vector('1') }));
      const credentials = () =>
        Promise.reject(Object.assign(new Error('no'), { name: 'CredentialsProviderError' }));
      await expect(
        evaluate(service, { max: 1, auth: { sigV4: { region: 'eu-west-1' } } }, { credentials }),
      ).rejects.toThrow('of the profile "nosuch" (AWS_PROFILE)');
    } finally {
      delete process.env['AWS_PROFILE'];
    }
  });
});

describe('counts from Prometheus', () => {
  const counting = {
    requests: 'sum(increase(hits{slot="{{slot}}"}[{{period}}]))',
    errors: 'sum(increase(errors{slot="{{slot}}"}[{{period}}]))',
  };
  // A point looks back: the one at the end of a minute is that minute's.
  const minutes = (values: number[]) =>
    data('matrix', [
      { metric: {}, values: values.map((value, index) => [start / 1000 + 60 * (index + 1), String(value)]) },
    ]);

  test.each<[string, number[], number[], string]>([
    ['good', [100, 100, 100], [0, 1, 0], 'pass'],
    ['bad in the last minute', [100, 100, 100], [0, 0, 9], 'fail'],
    ['figures that are not there yet do not count', [100, 100, 100, 100], [0, 0, 0, 90], 'pass'],
    ['no requests', [], [], 'inconclusive'],
    ['NaN', [NaN, NaN, NaN], [NaN, NaN, NaN], 'inconclusive'],
  ])('errorShare: %s', async (_name, requests, errors, status) => {
    const service = await serving(({ searchParams }) => ({
      body: minutes(searchParams.get('query')!.includes('errors') ? errors : requests),
    }));
    const settings = prometheus.errorShare({ ...counting, max: 0.01, address: service.address });
    const [check] = createChecks([settings], contextOf());
    const result = await check!.evaluate(window);
    expect([result.status, result.reason]).toEqual([status, result.reason]);
    const { searchParams } = service.requests[0]!.url;
    expect(Object.fromEntries(searchParams)).toEqual({
      query: expect.stringMatching(/slot="(blue|green)"\}\[60s\]/),
      start: String(start / 1000 + 60),
      end: String(start / 1000 + 180),
      step: '60',
    });
  });

  const silence: [string, string | null, object, string][] = [
    ['figures of errors', '0', {}, 'pass'],
    ['too many of them', '5', {}, 'fail'],
    ['no series of errors', null, {}, 'inconclusive'],
    ['no series of errors, whatever no data means', null, { onNoData: 'pass' }, 'inconclusive'],
    ['no series of errors, which is zero', null, { missing: 'zero' }, 'pass'],
    ['not a number', 'NaN', { missing: 'zero' }, 'inconclusive'],
    ['infinitely many', '+Inf', { missing: 'zero' }, 'inconclusive'],
    ['fewer than none', '-50', { missing: 'zero' }, 'inconclusive'],
    ['none, but for rounding', '-1e-12', {}, 'pass'],
  ];
  test.each(silence)('errorShare: %s', async (_name, errors, more, status) => {
    const service = await serving(({ searchParams }) => {
      const value = searchParams.get('query')!.includes('errors') ? errors : '100';
      const values = [60, 120, 180].map((seconds) => [start / 1000 + seconds, value]);
      return { body: data('matrix', value === null ? [] : [{ metric: {}, values }]) };
    });
    const settings = prometheus.errorShare({ ...counting, address: service.address, max: 0.01, ...more });
    const [check] = createChecks([settings], contextOf());
    const result = await check!.evaluate(window);
    expect([result.status, result.reason]).toEqual([status, result.reason]);
  });

  test('comparison with shorter periods', async () => {
    const lists: Record<string, string> = { blue: '9000', green: '100' };
    const service = await serving(({ searchParams }) => {
      const query = searchParams.get('query')!;
      const slot = query.includes('green') ? 'green' : 'blue';
      const value = query.includes('errors') ? (slot === 'green' ? '100' : '1') : lists[slot]!;
      const values = Array.from({ length: 12 }, (_none, index) => [start / 1000 + 15 * (index + 1), value]);
      return { body: data('matrix', [{ metric: {}, values }]) };
    });
    const settings = prometheus.comparison({
      ...counting,
      address: service.address,
      period: '15s',
      delay: '10s',
    });
    const [check] = createChecks([settings], contextOf());
    // 25 seconds after the write, one period is there.
    const result = await check!.evaluate({ ...window, to: start + 30_000 });
    expect(result.status).toBe('fail');
    expect(service.requests[0]!.url.searchParams.get('end')).toBe(String(start / 1000 + 15));
  });
});

test.each<[string, object, string[]]>([
  ['no address', { address: undefined }, ['address']],
  [
    'a secret in the clear',
    { address: 'http://prometheus:9090', auth: { bearer: { env: 'A' } } },
    ['address'],
  ],
  ['no secret, so no TLS is needed', { address: 'http://prometheus:9090' }, []],
  ['a password in the address', { address: 'https://a:abc@prometheus' }, ['address']],
  ['a key in the query of the address', { address: 'https://prometheus?token=abc' }, ['address']],
  ['a key in its fragment', { address: 'https://prometheus/#abc' }, ['address']],
  ['a misplaced secret', { token: 'abc' }, ['token']],
  ['a secret in the plan', { auth: { bearer: 'abc' } }, ['auth.bearer']],
  ['two kinds of secrets', { auth: { bearer: { env: 'A' }, sigV4: { region: 'eu-west-1' } } }, ['auth']],
  ['an unknown variable', { query: 'x{{job}}' }, ['query']],
  ['its own variable', { query: 'x[{{window}}]' }, []],
  ['no bound', { max: undefined }, ['max']],
  ['a step of nothing', { step: '5s' }, ['step']],
  ['a step of a range', { step: '5s', aggregate: 'max' }, []],
  ['a choice of slots, one by one', { slots: ['green'], query: 'x{slot="{{slot}}"}' }, []],
  ['a choice of slots that the query does not ask for', { slots: ['green'] }, ['slots']],
])('settings: %s', (_name, change, paths) => {
  const settings = { 'prometheus.query': { address: 'https://prometheus', query: 'up', max: 1, ...change } };
  const found = checkProblems([settings], subject);
  expect(found.map(({ path }) => path)).toEqual(paths.map((path) => `checks[0].prometheus.query.${path}`));
  expect(JSON.stringify(found)).not.toContain('abc');
});

test('rights: only a signed request needs one', () => {
  const plain = prometheus.query({ address: 'https://prometheus', query: 'up', max: 1 });
  const signed = prometheus.query({ ...plain['prometheus.query'], auth: { sigV4: { region: 'eu-west-1' } } });
  expect(checkRights([plain], subject)).toEqual([]);
  expect(checkRights([signed, signed], subject)).toEqual([
    { actions: ['aps:QueryMetrics'], resources: ['*'] },
  ]);
  const address = 'https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-0a-1';
  const workspace = prometheus.query({ ...signed['prometheus.query'], address });
  expect(checkRights([workspace], subject)).toEqual([
    { actions: ['aps:QueryMetrics'], resources: ['arn:*:aps:eu-west-1:*:workspace/ws-0a-1'] },
  ]);
});

test('minutes are whole', () => {
  expect(start % minute).toBe(0);
});
