import type { HttpAnswer, HttpClient, HttpRequest } from '../../../lib/core/http';
import { createChecks } from '../../../lib/shift/checks';
import type { CheckSettings } from '../../../lib/shift/checks';
import type { CheckResult } from '../../../lib/shift/engine';
import { answerAdmin } from '../../../lib/shift/demo/admin-api';
import type { ProxyState } from '../../../lib/shift/demo/admin-api';
import { TrafficCounts } from '../../../lib/shift/demo/traffic-counts';
import { contextOf, minute, start, window } from './metric-samples';

const address = 'http://127.0.0.1:9000';
const second = 1_000;

interface World {
  readonly asked: HttpRequest[];
  ask(settings?: object, window?: object): Promise<CheckResult>;
}

/** A proxy that gives these answers in turn, the last one again and again. */
function proxy(...answers: readonly Partial<HttpAnswer>[]): World {
  const asked: HttpRequest[] = [];
  return askBy(asked, {
    send: (request) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)]!;
      asked.push(request);
      return Promise.resolve({ status: 200, headers: {}, text: '', ...answer });
    },
  });
}

function askBy(asked: HttpRequest[], http: HttpClient): World {
  const context = contextOf({ http, env: { TOKEN: 'hunter2' } });
  return {
    asked,
    ask: (settings = {}, at = {}) => {
      const check = { 'httpProxy.comparison': { address, ...settings } } as CheckSettings;
      const [made] = createChecks([check], context);
      return made!.evaluate({ ...window, ...at });
    },
  };
}

/** The proxy of the demo: what it has counted of each slot, by the second since the start. */
function counted(add: (counts: TrafficCounts) => void): World {
  const counts = new TrafficCounts();
  add(counts);
  const state: ProxyState = { weights: { blue: 90, green: 10 }, version: '1', counts };
  const asked: HttpRequest[] = [];
  return askBy(asked, {
    send: (request) => {
      asked.push(request);
      const path = `${request.url.pathname}${request.url.search}`;
      const { status, content } = answerAdmin(state, { method: request.method, path, body: '' }, window.to);
      return Promise.resolve({ status, headers: {}, text: JSON.stringify(content) });
    },
  });
}

const served =
  (perSecond: number, green: (number: number) => { failed?: boolean; milliseconds?: number }) =>
  (counts: TrafficCounts): void => {
    for (let at = start - minute; at < window.to; at += second) {
      for (let number = 0; number < perSecond; number += 1) {
        counts.add({ slot: 'blue', at, milliseconds: 10, failed: false });
        if (at >= start) {
          counts.add({ slot: 'green', at, milliseconds: 10, failed: false, ...green(number) });
        }
      }
    }
  };

const quick = { period: '1s', history: '1m', warmUp: '1s' };

test('as many errors as the old slots have are none of green; more are a regression', async () => {
  expect(await counted(served(10, () => ({}))).ask(quick)).toMatchObject({ status: 'pass' });
  const bad = await counted(served(10, (number) => ({ failed: number === 0 }))).ask(quick);
  expect(bad).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(/^green: regression, by its error share/),
  });
});

test('slow requests are compared by a bound that the proxy counts', async () => {
  const slow = served(10, (number) => ({ milliseconds: number < 3 ? 400 : 10 }));
  expect(await counted(slow).ask(quick)).toMatchObject({ status: 'pass' });
  const compared = await counted(slow).ask({ ...quick, slowAbove: '250ms' });
  expect(compared).toMatchObject({
    status: 'fail',
    reason: expect.stringContaining('share of slow requests'),
  });
  await expect(counted(slow).ask({ ...quick, slowAbove: '300ms' })).rejects.toThrow(
    /the proxy: 127\.0\.0\.1:9000\/counts answers 400 \(slow requests are counted above 25, 50, 100, 250,/,
  );
});

test('it asks for whole periods, with its token, and takes none that is not over', async () => {
  const counts = [
    { slot: 'green', at: start, requests: 5, errors: 0 },
    { slot: 'green', at: start + minute, requests: 7, errors: 0 },
    { slot: 'green', at: start + 3 * minute, requests: 1_000, errors: 1_000 },
    { slot: 'red', at: start, requests: 1, errors: 1 },
    { slot: 'blue', at: start, requests: 100, errors: 0 },
  ];
  const world = proxy({ text: JSON.stringify({ until: window.to, counts }) });
  expect(await world.ask({ token: { env: 'TOKEN' } })).toMatchObject({ status: 'inconclusive' });
  const [{ url, headers }] = world.asked as [HttpRequest];
  expect(headers).toMatchObject({ authorization: 'Bearer hunter2' });
  expect(Object.fromEntries(url.searchParams)).toEqual({
    from: String(start - 30 * minute),
    to: String(window.to),
    period: String(minute),
  });
});

test('a proxy that is behind has no figures of the time since', async () => {
  const counts = [{ slot: 'green', at: start, requests: 500, errors: 0 }];
  const world = proxy({ text: JSON.stringify({ until: start + 30_000, counts }) });
  expect(await world.ask()).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringContaining('no whole period of figures'),
  });
});

const entry = { slot: 'green', at: start, requests: 1, errors: 0 };
const withCounts = (...counts: unknown[]) => ({ text: JSON.stringify({ until: window.to, counts }) });

test.each<[string, Partial<HttpAnswer>, object, RegExp]>([
  ['no JSON', { text: '<html>' }, {}, /something that is no JSON/],
  ['a list', { text: '[]' }, {}, /no "until" or no list "counts"/],
  ['no time', { text: '{"counts":[]}' }, {}, /no "until"/],
  ['no counts', { text: '{"until":1}' }, {}, /no list "counts"/],
  [
    'an entry without a slot',
    withCounts({ ...entry, slot: 1 }),
    {},
    /lacks one of slot, at, requests, errors,/,
  ],
  ['an entry below 0', withCounts({ ...entry, errors: -1 }), {}, /it is no count/],
  ['a part of a request', withCounts({ ...entry, requests: 0.5 }), {}, /it is no count/],
  ['no slow ones', withCounts(entry), { slowAbove: '1s' }, /lacks one of slot, at, requests, errors, slow/],
  [
    '401',
    { status: 401, text: '{"error":"hunter2 is wrong"}' },
    { token: { env: 'TOKEN' } },
    /\[hidden\] is wrong/,
  ],
  ['503', { status: 503 }, {}, /answers 503, at the last of 3 tries/],
])('an answer with %s is a source that fails', async (_what, answer, settings, message) => {
  const asked = proxy(answer).ask(settings);
  await expect(asked).rejects.toMatchObject({ name: 'SourceError' });
  await expect(asked).rejects.toThrow(message);
  await expect(asked).rejects.not.toThrow(/hunter2/);
});

test('a token that is not there is named by its place', async () => {
  await expect(proxy().ask({ token: { file: '/token' } })).rejects.toThrow(
    /can't be read from \/token \(ENOENT\)/,
  );
});

test.each(['1500ms', '0s', '500ms'])('a period of %s is none', (period) => {
  expect(() => proxy().ask({ period })).toThrow(/period/);
});
