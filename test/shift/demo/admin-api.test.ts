import { answerAdmin } from '../../../lib/shift/demo/admin-api';
import type { AdminRequest, ProxyState } from '../../../lib/shift/demo/admin-api';
import { TrafficCounts } from '../../../lib/shift/demo/traffic-counts';

const second = 1_000;
const start = Date.UTC(2026, 0, 1, 12);

function world(weights: ProxyState['weights'] = { blue: 100, green: 0 }) {
  const state: ProxyState = { weights, version: 'v1', counts: new TrafficCounts() };
  const ask = (method: string, path: string, more: Partial<AdminRequest> = {}, now = start) =>
    answerAdmin(state, { method, path, body: '', ...more }, now);
  return { state, ask };
}

const put = (weights: object, ifMatch: string | undefined = '"v1"') => ({
  ifMatch,
  body: JSON.stringify({ weights }),
});

test('weights are read with their version, and written with it', () => {
  const { state, ask } = world();
  expect(ask('GET', '/weights')).toEqual({
    status: 200,
    etag: '"v1"',
    content: { weights: { blue: 100, green: 0 } },
  });
  const written = ask('PUT', '/weights', put({ blue: 90, green: 10 }));
  expect(written).toMatchObject({ status: 200, content: { weights: { blue: 90, green: 10 } } });
  expect([written.etag, state.weights]).toEqual([`"${state.version}"`, { blue: 90, green: 10 }]);
  expect(state.version).not.toBe('v1');
});

test('of two writers that have read the same, the second is refused and gets what is there', () => {
  const { state, ask } = world();
  ask('PUT', '/weights', put({ blue: 50, green: 50 }));
  expect(ask('PUT', '/weights', put({ blue: 0, green: 100 }))).toMatchObject({
    status: 412,
    content: { weights: { blue: 50, green: 50 } },
  });
  expect(state.weights).toEqual({ blue: 50, green: 50 });
});

test.each<[string, string, string, Partial<AdminRequest>, number]>([
  ['without a version', 'PUT', '/weights', { body: '{"weights":{"blue":1,"green":1}}' }, 428],
  ['that is no JSON', 'PUT', '/weights', { ...put({}), body: 'x' }, 400],
  ['without weights', 'PUT', '/weights', { ...put({}), body: '{}' }, 400],
  ['of text', 'PUT', '/weights', put({ blue: '1', green: 0 }), 400],
  ['below 0', 'PUT', '/weights', put({ blue: -1, green: 0 }), 400],
  ['that lacks an upstream', 'PUT', '/weights', put({ blue: 1 }), 422],
  ['to an upstream that is not there', 'PUT', '/weights', put({ blue: 1, red: 1 }), 422],
  ['of one more', 'PUT', '/weights', put({ blue: 1, green: 1, red: 0 }), 422],
  ['of nothing', 'PUT', '/weights', put({ blue: 0, green: 0 }), 422],
  ['by another method', 'POST', '/weights', put({ blue: 1, green: 1 }), 404],
  ['elsewhere', 'PUT', '/weight', put({ blue: 1, green: 1 }), 404],
  ['to no path', 'PUT', 'http://[', put({ blue: 1, green: 1 }), 404],
])('a write %s changes nothing', (_what, method, path, more, status) => {
  const { state, ask } = world();
  expect(ask(method, path, more)).toMatchObject({ status, content: { error: expect.any(String) } });
  expect(state).toMatchObject({ weights: { blue: 100, green: 0 }, version: 'v1' });
});

describe('counts', () => {
  function counted() {
    const { state, ask } = world();
    const add = (slot: string, at: number, milliseconds = 10, failed = false) =>
      state.counts.add({ slot, at: start + at, milliseconds, failed });
    const get = (query: string, now: number) => ask('GET', `/counts?${query}`, {}, start + now);
    return { add, get };
  }

  test('of whole periods alone: requests, those that failed and those that were slow', () => {
    const { add, get } = counted();
    add('blue', 100);
    add('green', 999, 300, true);
    add('green', 1_000, 250);
    add('green', 2_500);
    const query = `from=${start}&to=${start + 3 * second}&period=1000&slowAbove=250`;
    expect(get(query, 2_400).content).toEqual({
      until: start + 2 * second,
      counts: [
        { slot: 'blue', at: start, requests: 1, errors: 0, slow: 0 },
        { slot: 'green', at: start, requests: 1, errors: 1, slow: 1 },
        { slot: 'green', at: start + second, requests: 1, errors: 0, slow: 0 },
      ],
    });
    expect(get(query.replace('1000', '2000'), 3_900).content).toMatchObject({
      counts: [
        { slot: 'blue', requests: 1 },
        { slot: 'green', at: start, requests: 2, errors: 1, slow: 1 },
      ],
    });
  });

  test('a period that `from` is in the middle of is left out', () => {
    const { add, get } = counted();
    add('blue', 100);
    add('blue', 1_100);
    const { content } = get(`from=${start + 1}&to=${start + 2 * second}&period=1000`, 5_000);
    expect(content).toMatchObject({ counts: [{ at: start + second, requests: 1, errors: 0 }] });
    expect(JSON.stringify(content)).not.toContain('slow');
  });

  test('are kept for an hour', () => {
    const { add, get } = counted();
    add('blue', 0);
    add('blue', 3_600 * second);
    add('blue', 3_601 * second);
    const { content } = get(`from=${start}&to=${start + 3_660 * second}&period=60000`, 3_660 * second);
    expect(content).toMatchObject({ counts: [{ at: start + 3_600 * second, requests: 2 }] });
  });

  test.each([
    'from=0&to=1000',
    'from=0&to=1000&period=500',
    'from=0&to=1000&period=1500',
    'from=-1&to=1000&period=1000',
    'from=0&to=x&period=1000',
    'from=0&to=3601000&period=1000',
    'from=0&to=1000&period=1000&slowAbove=300',
    'from=0&to=1000&period=1000&slowAbove=',
  ])('%s is refused', (query) => {
    expect(counted().get(query, 0)).toMatchObject({ status: 400, content: { error: expect.any(String) } });
  });
});
