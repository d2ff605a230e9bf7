import { httpClient } from '../../../lib/core/http';
import { checkProblems, createChecks, datadog } from '../../../lib/shift/checks';
import type { CheckContext } from '../../../lib/shift/checks';
import type { Reply, Service } from './metric-samples';
import { contextOf, minute, servicesOfTests, start, subject, window } from './metric-samples';

const keys = { DATADOG_API_KEY: 'api-key-1', DATADOG_APPLICATION_KEY: 'application-key-2' };
const serving = servicesOfTests();

async function evaluate(
  service: Service,
  args: any,
  given: Partial<CheckContext> = {},
  change = {},
  signal?: AbortSignal,
) {
  const context = contextOf({ env: keys, ...given });
  const [check] = createChecks(
    [datadog.query({ address: service.address, query: 'avg:x{*}', ...args })],
    context,
  );
  return { ...(await check!.evaluate({ ...window, ...change }, signal)), pauses: context.pauses };
}

const at = (index: number) => start + index * 20_000;
const series = (...lists: (number | null)[][]) => ({
  status: 'ok',
  series: lists.map((values) => ({
    interval: 20,
    pointlist: values.map((value, index) => [at(index), value]),
  })),
});

describe('datadog.query', () => {
  test.each<[string, (number | null)[][], object, string, number | null]>([
    ['the newest point', [[9, 9, 0.5]], { max: 1 }, 'pass', 0.5],
    ['the newest point that has a value', [[9, 2, null, null]], { max: 1 }, 'fail', 2],
    [
      'a point whose interval is not over',
      [[0.5, ...Array<null>(9).fill(null), 0.5, 99]],
      { max: 1 },
      'pass',
      0.5,
    ],
    ['below the lower bound', [[9, 0.5]], { min: 1 }, 'fail', 0.5],
    ['an absent bound is no zero', [[-3]], { max: 1 }, 'pass', -3],
    ['the mean', [[1, null, 3]], { max: 1.9, aggregate: 'avg' }, 'fail', 2],
    ['the sum', [[1, null, 3]], { max: 4, aggregate: 'sum' }, 'pass', 4],
    ['the least', [[1, 0, 3]], { min: 0.5, aggregate: 'min' }, 'fail', 0],
    ['one series of several is beyond', [[1], [7], [2]], { max: 5 }, 'fail', 7],
    ['of several that are beyond, the worst', [[6], [9], [7]], { max: 5 }, 'fail', 9],
    ['the worst, on either side', [[2], [-8], [7]], { min: 0, max: 5 }, 'fail', -8],
    ['all of several are within', [[1], [3], [2]], { max: 5 }, 'pass', 3],
    ['only nulls', [[null, null]], { max: 1 }, 'inconclusive', null],
    ['no series', [], { max: 1 }, 'inconclusive', null],
    ['no series is a failure', [], { max: 1, onNoData: 'fail' }, 'fail', null],
  ])('%s', async (_name, lists, bounds, status, value) => {
    const service = await serving(() => ({ body: series(...lists) }));
    const result = await evaluate(service, bounds);
    expect([result.status, result.figures[0]!.value]).toEqual([status, value]);
  });

  test('says the time in seconds, and who asks in headers only', async () => {
    const service = await serving(() => ({ body: series([1]) }));
    await evaluate(service, { query: 'sum:hits{cluster:{{cluster}},zone:a b}.as_count()', max: 1 });
    const [{ url, headers } = { url: undefined, headers: {} }] = service.requests;
    expect(url!.pathname).toBe('/api/v1/query');
    expect(Object.fromEntries(url!.searchParams)).toEqual({
      from: String(start / 1000),
      to: String((start + 3 * minute + 40_000) / 1000),
      query: 'sum:hits{cluster:apps-green,zone:a b}.as_count()',
    });
    expect(headers).toMatchObject({ 'dd-api-key': 'api-key-1', 'dd-application-key': 'application-key-2' });
    expect(url!.href).not.toContain('key-');
  });

  test('looks back no further than it was told', async () => {
    const service = await serving(() => ({ body: series([1]) }));
    await evaluate(service, { max: 1, over: '1m' });
    expect(service.requests[0]!.url.searchParams.get('from')).toBe(String((window.to - minute) / 1000));
  });

  test('is not asked before the weights have stood for a while', async () => {
    const service = await serving(() => ({ body: series([9]) }));
    const result = await evaluate(service, { max: 1, onNoData: 'fail' }, {}, { to: start + 59_000 });
    expect([result.status, service.requests.length]).toEqual(['inconclusive', 0]);
  });

  test('too few requests', async () => {
    const service = await serving(({ searchParams }) => ({
      body: searchParams.get('query') === 'hits' ? series([10, 20, 30], [39]) : series([9]),
    }));
    const few = await evaluate(service, { max: 1, requests: 'hits', minRequests: 100 });
    expect([few.status, few.reason]).toEqual(['inconclusive', '99 of at least 100 requests']);
    expect((await evaluate(service, { max: 1, requests: 'hits', minRequests: 99 })).status).toBe('fail');
  });

  test('keys from files, and from Datadog’s own variables', async () => {
    const service = await serving(() => ({ body: series([1]) }));
    const readFile = (path: string) => Promise.resolve(`${path}-content\n`);
    await evaluate(
      service,
      { max: 1, apiKey: { file: '/api' }, applicationKey: { env: 'MINE' } },
      { env: { MINE: 'mine' }, readFile },
    );
    await evaluate(service, { max: 1 }, { env: { DD_API_KEY: 'dd-api', DD_APP_KEY: 'dd-app' } });
    const sent = service.requests.map(({ headers }) => [
      headers['dd-api-key'],
      headers['dd-application-key'],
    ]);
    expect(sent).toEqual([
      ['/api-content', 'mine'],
      ['dd-api', 'dd-app'],
    ]);
  });

  test.each([
    [{}, 'https://api.datadoghq.com/api/v1/query'],
    [{ site: 'datadoghq.eu' }, 'https://api.datadoghq.eu/api/v1/query'],
    [{ site: 'us3.datadoghq.com' }, 'https://api.us3.datadoghq.com/api/v1/query'],
  ])('site %p', async (args, address) => {
    const asked: URL[] = [];
    const http = {
      send: ({ url }: { url: URL }) => {
        asked.push(url);
        return Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(series([1])) });
      },
    };
    const [check] = createChecks(
      [datadog.query({ query: 'x', max: 1, ...args })],
      contextOf({ env: keys, http }),
    );
    await check!.evaluate(window);
    expect(`${asked[0]!.origin}${asked[0]!.pathname}`).toBe(address);
  });

  test('the site of one check does not reach another, and that of the environment reaches those without', async () => {
    const asked: string[] = [];
    const http = {
      send: ({ url }: { url: URL }) => {
        asked.push(url.host);
        return Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(series([1])) });
      },
    };
    const all = createChecks(
      [datadog.query({ query: 'x', max: 1, site: 'datadoghq.eu' }), datadog.query({ query: 'x', max: 1 })],
      contextOf({ env: { ...keys, DD_SITE: 'ap1.datadoghq.com' }, http }),
    );
    for (const check of all) {
      await check.evaluate(window);
    }
    expect(asked).toEqual(['api.datadoghq.eu', 'api.ap1.datadoghq.com']);
    expect(all.map(({ name }) => name)).toEqual(['datadog.query', 'datadog.query 2']);
  });
});

describe('faults of the source', () => {
  const failing = async (reply: (url: URL, number: number) => Reply, given: Partial<CheckContext> = {}) => {
    const service = await serving(reply);
    const error = await evaluate(service, { max: 1 }, given).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    return { error: error!, asked: service.requests.length };
  };

  test.each<[string, Reply, string, number]>([
    ['not well', { status: 500, body: 'oops' }, 'answers 500', 3],
    ['overloaded', { status: 429, body: {} }, 'answers 429', 3],
    [
      'does not accept the keys',
      { status: 403, body: { errors: ['Forbidden'] } },
      'answers 403 (Forbidden): it does not accept the credentials',
      1,
    ],
    ['does not understand', { status: 400, body: { errors: ['bad query'] } }, 'answers 400 (bad query)', 1],
    [
      'sends elsewhere',
      { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } },
      'a redirect, which is not followed',
      1,
    ],
    [
      'an error with status 200',
      { body: { status: 'error', error: 'Error parsing query' } },
      'Error parsing query',
      1,
    ],
    ['no JSON', { body: '<html>' }, 'no JSON', 3],
    ['another document', { body: { hello: 1 } }, 'no list of series', 1],
    ['null', { body: 'null' }, 'no list of series', 1],
    ['points that are none', { body: { series: [{ pointlist: [['x']] }] } }, 'no list of points', 1],
    ['a series that is none', { body: { series: [7] } }, 'no list of points', 1],
  ])('%s', async (_name, reply, text, times) => {
    const { error, asked } = await failing(() => reply);
    expect([error.name, asked]).toEqual(['SourceError', times]);
    expect(error.message).toContain('Datadog: ');
    expect(error.message).toContain(text);
  });

  test('asks again, after pauses that grow, and takes the answer that comes', async () => {
    const service = await serving((_url, number) => (number < 3 ? { status: 503 } : { body: series([0.5]) }));
    const result = await evaluate(service, { max: 1 });
    expect([result.status, result.pauses]).toEqual(['pass', [375, 750]]);
  });

  test('waits as long as the service says, but not for minutes', async () => {
    const headers = [{ 'x-ratelimit-reset': '2' }, { 'retry-after': '600' }];
    const service = await serving((_url, number) =>
      number < 3 ? { status: 429, headers: headers[number - 1] as never } : { body: series([0.5]) },
    );
    expect((await evaluate(service, { max: 1 })).pauses).toEqual([1500, 7500]);
  });

  test('no answer in time', async () => {
    const { error, asked } = await failing(() => ({ hangs: true }), { http: httpClient({ timeoutMs: 30 }) });
    expect([error.name, asked]).toEqual(['SourceError', 3]);
    expect(error.message).toContain('no answer within 0.03 s');
  });

  test('an answer without end', async () => {
    const { error } = await failing(() => ({ body: 'x'.repeat(5000) }), {
      http: httpClient({ longestAnswer: 1000 }),
    });
    expect(error.message).toContain('the answer is longer than 1000 bytes');
  });

  test('nobody listens', async () => {
    const service = await serving(() => ({}));
    await service.close();
    await expect(evaluate(service, { max: 1 })).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('is cancelled at once', async () => {
    const service = await serving(() => ({ hangs: true }));
    const abort = new AbortController();
    const evaluated = evaluate(service, { max: 1 }, {}, {}, abort.signal);
    while (service.requests.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    abort.abort(new Error('enough'));
    await expect(evaluated).rejects.toThrow('enough');
    expect(service.requests).toHaveLength(1);
  });

  test('no key', async () => {
    const { error, asked } = await failing(() => ({ body: series([1]) }), {
      env: { DATADOG_API_KEY: 'api-key-1' },
    });
    expect([error.name, asked]).toEqual(['SourceError', 0]);
    expect(error.message).toContain('DATADOG_APPLICATION_KEY or the variable DD_APP_KEY is not set or empty');
  });

  test('a file that can’t be read', async () => {
    const service = await serving(() => ({ body: series([1]) }));
    await expect(evaluate(service, { max: 1, apiKey: { file: '/run/key' } })).rejects.toThrow(
      "the API key of Datadog can't be read from /run/key (ENOENT)",
    );
  });

  test('no key in an error, also where the service repeats it', async () => {
    const { error } = await failing(() => ({
      status: 403,
      body: { errors: ['api-key-1 and application-key-2 are wrong'] },
    }));
    expect(error.message).toContain('[hidden] and [hidden] are wrong');
    expect(JSON.stringify(error) + error.stack).not.toMatch(/api-key-1|application-key-2/);
  });
});

describe('counts from Datadog', () => {
  const counting = {
    requests: 'sum:hits{cluster:{{cluster}}}.as_count().rollup(sum, {{period}})',
    errors: 'sum:errors{cluster:{{cluster}}}.as_count().rollup(sum, {{period}})',
  };
  const minutes = (values: (number | null)[], from = start) => ({
    series: [{ interval: 60, pointlist: values.map((value, index) => [from + index * minute, value]) }],
  });

  test.each<[string, (number | null)[], (number | null)[], string]>([
    ['good', [100, 100, 100], [0, 0, 1], 'pass'],
    ['bad', [100, 100, 100], [4, 0, 0], 'fail'],
    ['errors without a point', [100, 100, 100], [], 'inconclusive'],
    ['errors that are late', [100, 100, 100], [0, 0], 'inconclusive'],
    ['nulls for errors', [100, 100, 100], [0, null, null], 'inconclusive'],
    ['fewer errors than none', [100, 100, 100], [0, -200, 0], 'inconclusive'],
    ['infinitely many errors', [100, 100, 100], [0, Infinity, 0], 'inconclusive'],
    ['fewer requests than none', [100, 100, -100], [0, 0, 0], 'inconclusive'],
    ['enough errors, though some are late', [100, 100, 100], [50], 'fail'],
    ['the minute under way does not count', [100, 100, 100, 100], [0, 0, 0, 100], 'pass'],
    ['no requests', [], [], 'inconclusive'],
    ['nulls', [null, null, null], [null, null, null], 'inconclusive'],
    ['text for a number', [100, 100, 100], ['0', '0', '0'] as never, 'a fault'],
  ])('errorShare: %s', async (_name, requests, errors, status) => {
    const service = await serving(({ searchParams }) => {
      const query = searchParams.get('query')!;
      const of = query.includes('errors') ? errors : requests;
      const body = query.includes('apps-green') ? minutes(of) : minutes([1000, 1000, 1000]);
      // JSON.stringify makes null of what is infinite; a server may write it all the same.
      return {
        body: JSON.stringify(body, (_key, value) => (value === Infinity ? 'INF' : value)).replaceAll(
          '"INF"',
          '1e999',
        ),
      };
    });
    const settings = datadog.errorShare({ ...counting, max: 0.01, period: '1m', address: service.address });
    const [check] = createChecks([settings], contextOf({ env: keys }));
    const fault = { status: 'a fault', reason: '' };
    const result = await check!.evaluate(window).catch(() => fault);
    expect([result.status, result.reason]).toEqual([status, result.reason]);
    const queries = service.requests.map(({ url }) => url.searchParams.get('query'));
    expect(queries).toContain('sum:hits{cluster:apps-green}.as_count().rollup(sum, 60)');
    expect(queries).toHaveLength(4);
  });

  test.each<[string, (number | null)[], object, string]>([
    ['no figure', [], { missing: 'zero' }, 'pass'],
    ['nulls', [null, null, null], { missing: 'zero' }, 'pass'],
    ['fewer than none', [0, -200, 0], { missing: 'zero' }, 'inconclusive'],
    ['no figure, though no data passes', [], { onNoData: 'pass' }, 'inconclusive'],
  ])('errorShare, where silence is zero: %s', async (_name, errors, more, status) => {
    const service = await serving(({ searchParams }) => ({
      body: minutes(searchParams.get('query')!.includes('errors') ? errors : [100, 100, 100]),
    }));
    const settings = { ...counting, max: 0.01, period: '1m', address: service.address, ...more };
    const [check] = createChecks([datadog.errorShare(settings)], contextOf({ env: keys }));
    expect((await check!.evaluate(window)).status).toBe(status);
  });

  test.each<[string, (number | null)[], (number | null)[], object, string]>([
    ['as good as the old one', [9, 9, 9], [1, 1, 1], {}, 'pass'],
    ['errors of the new slot are never there', [9, 9, 9], [], {}, 'inconclusive'],
    ['their newest ones are late', [9, 9, 9], [1, 1], {}, 'inconclusive'],
    ['those of the old slot are never there', [], [1, 1, 1], {}, 'inconclusive'],
    ['those of neither, which is zero', [], [], { missing: 'zero' }, 'pass'],
    ['an outage beside an old slot without figures is not seen', [], [1000, 1000, 1000], {}, 'inconclusive'],
    ['an outage, the newest figures late', [9, 9, 9], [1000, 1000], {}, 'fail'],
  ])('comparison: %s', async (_name, blue, greens, more, status) => {
    const service = await serving(({ searchParams }) => {
      const query = searchParams.get('query')!;
      const isGreen = query.includes('green');
      const requests = isGreen ? [1000, 1000, 1000] : [9000, 9000, 9000];
      return { body: minutes(query.includes('hits') ? requests : isGreen ? greens : blue) };
    });
    const settings = { ...counting, warmUp: '0s', address: service.address, ...more };
    const [check] = createChecks([datadog.comparison(settings)], contextOf({ env: keys }));
    const result = await check!.evaluate(window);
    expect([result.status, result.reason]).toEqual([status, result.reason]);
  });

  test('points that cover more than a period are those of other periods, too', async () => {
    const service = await serving(() => ({ body: minutes([100, 100, 100]) }));
    const settings = datadog.errorShare({ ...counting, max: 0.01, address: service.address });
    const [check] = createChecks([settings], contextOf({ env: keys }));
    await expect(check!.evaluate(window)).rejects.toThrow('covers 60 s, not 20 s');
  });

  describe('before the first step', () => {
    const before = { stage: 'before', writes: [], live: window.origin } as const;
    const asking = async (
      of: (query: string) => (number | null)[],
      more: object = {},
      change: object = {},
    ) => {
      const service = await serving(({ searchParams }) => ({
        body: minutes(of(searchParams.get('query')!), start - 2 * minute),
      }));
      const settings = { ...counting, max: 0.01, period: '1m', address: service.address, ...more };
      const [check] = createChecks([datadog.errorShare(settings)], contextOf({ env: keys }));
      const result = check!.stages.includes('before')
        ? await check!.evaluate({ ...window, ...before, to: start, ...change })
        : undefined;
      return { result, asked: service.requests.map(({ url }) => url.searchParams) };
    };

    test('errors that no slot has ever had are said, with the query', async () => {
      const { result, asked } = await asking((query) => (query.includes('errors') ? [] : [100, 100]));
      expect(result).toMatchObject({ status: 'inconclusive' });
      expect(result!.reason).toBe(
        `Datadog has no figure of errors of any slot in the last 30 minutes, by the query ${counting.errors}; ` +
          'where no figure means none, say so with missing: zero',
      );
      expect(asked.map((each) => Number(each.get('from')))).toEqual(Array(2).fill(start / 1000 - 1800));
    });

    test.each<[string, (query: string) => (number | null)[], string]>([
      ['of one slot', (query) => (query.includes('blue') ? [0, 0] : []), 'pass'],
      ['nulls', () => [null, null], 'inconclusive'],
      ['below zero', () => [-5, -5], 'inconclusive'],
    ])('figures: %s', async (_name, of, status) => {
      expect((await asking(of)).result!.status).toBe(status);
    });

    test('where silence is zero nobody is asked', async () => {
      expect(await asking(() => [], { missing: 'zero' })).toEqual({ result: undefined, asked: [] });
    });

    test('later steps do not ask', async () => {
      const { result, asked } = await asking(() => [], {}, { writes: window.writes });
      expect([result!.status, asked]).toEqual(['pass', []]);
    });
  });

  test('comparison', async () => {
    const service = await serving(({ searchParams }) => {
      const query = searchParams.get('query')!;
      if (query.includes('hits')) {
        return { body: query.includes('green') ? minutes([1000, 1000, 1000]) : minutes([9000, 9000, 9000]) };
      }
      return { body: query.includes('green') ? minutes([600, 600, 600]) : minutes([9, 9, 9]) };
    });
    const [check] = createChecks(
      [datadog.comparison({ ...counting, address: service.address })],
      contextOf({ env: keys }),
    );
    const result = await check!.evaluate(window);
    expect([result.status, result.reason]).toEqual(['fail', expect.stringContaining('green: regression')]);
  });
});

test.each<[string, object, string[]]>([
  ['a secret in the plan', { apiKey: 'abc123' }, ['apiKey']],
  ['no bound', { max: undefined }, ['max']],
  ['min above max', { min: 2 }, ['min']],
  ['an unknown variable', { query: 'x{{tg}}' }, ['query']],
  ['minRequests without a query for them', { minRequests: 5 }, ['requests']],
  ['a choice of slots that the query does not ask for', { slots: ['green'] }, ['slots']],
  ['a site that is none', { site: 'app.datadoghq.com' }, ['site']],
  ['keys in the clear', { address: 'http://datadog.example.com' }, ['address']],
  ['a password in the address', { address: 'https://me:secret@datadog.example.com' }, ['address']],
])('bad settings: %s', (_name, change, paths) => {
  const settings = { 'datadog.query': { query: 'x', max: 1, ...change } };
  const found = checkProblems([settings], subject);
  expect(found.map(({ path }) => path)).toEqual(paths.map((path) => `checks[0].datadog.query.${path}`));
  expect(JSON.stringify(found)).not.toMatch(/abc123|secret@/);
});

test('a slot is asked for in the count of requests only', () => {
  const settings = datadog.query({ query: 'x', requests: 'hits{slot:{{slot}}}', max: 1, minRequests: 5 });
  expect(() => createChecks([settings], contextOf({ env: keys }))).toThrow(
    /datadog\.query\.\{\{slot\}\}: nothing: must be known for a query of no slot/,
  );
});

test('queries that count must be of a slot and of a period', () => {
  const settings = { 'datadog.comparison': { requests: 'sum:hits{*}', errors: 'sum:errors{c:{{cluster}}}' } };
  expect(checkProblems([settings], subject).map(({ path }) => path)).toEqual([
    'checks[0].datadog.comparison.requests',
    'checks[0].datadog.comparison.requests',
    'checks[0].datadog.comparison.errors',
  ]);
});
