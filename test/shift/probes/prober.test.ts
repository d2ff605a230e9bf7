import type { Probe, ProbeResult } from '../../../lib/shift/probes';
import { OwnRequests, probeRound } from '../../../lib/shift/probes';

const previews = {
  green: { url: new URL('https://www.example.com'), headers: { 'x-slot': 'green' } },
  blue: { url: new URL('https://www.example.com'), headers: { 'x-slot': 'blue' } },
};
const start = Date.UTC(2026, 0, 1, 12);

/** A clock whose pauses take no time but its own. */
function clock() {
  let now = start;
  return {
    now: () => now,
    sleep: (milliseconds: number) => {
      now += milliseconds;
      return Promise.resolve();
    },
  };
}

const answer = (status: number, milliseconds = 20): ProbeResult => ({
  status,
  headers: {},
  text: '',
  milliseconds,
});
const slotOf = ({ headers }: Probe): string => headers['x-slot']!;
const settings = { rate: 5, paths: ['/', '/healthz?deep=1'], timeoutMs: 5_000, slowAboveMs: 500 };

async function roundOf(
  send: (probe: Probe, number: number) => ProbeResult | Promise<ProbeResult>,
  given: Partial<Parameters<typeof probeRound>[1]> = {},
) {
  const own = new OwnRequests();
  const probes: { readonly at: number; readonly probe: Probe }[] = [];
  const time = clock();
  const { counts, unsent } = await probeRound(
    previews,
    { ...settings, ...given },
    {
      own,
      clock: time,
      send: async (probe) => {
        probes.push({ at: time.now(), probe });
        return send(probe, probes.length - 1);
      },
    },
  );
  return { counts, unsent, own, probes };
}

test.each([
  [20, 1_000, 20, 950],
  [5, 5_000, 25, 4_800],
  [5, 1_000, 10, 1_800],
])('a round at %d a second for %d ms has %d pairs', async (rate, roundMs, pairs, last) => {
  const { counts, probes } = await roundOf(() => answer(200), { rate, roundMs });
  expect(counts.map(({ requests }) => requests)).toEqual([pairs, pairs]);
  expect(probes.at(-1)!.at - start).toBe(last);
});

test('sends the same to every slot at the same moments, evenly, and says who it is', async () => {
  const { counts, probes, own } = await roundOf(() => answer(200));
  expect(counts).toEqual(
    ['green', 'blue'].map((slot) => ({ slot, at: start, requests: 50, errors: 0, slow: 0 })),
  );
  const at = (slot: string) =>
    probes
      .filter(({ probe }) => slotOf(probe) === slot)
      .map((each) => [each.at - start, each.probe.url.pathname + each.probe.url.search]);
  expect(at('green')).toEqual(at('blue'));
  expect(at('green').slice(0, 3)).toEqual([
    [0, '/'],
    [200, '/healthz?deep=1'],
    [400, '/'],
  ]);
  expect(probes[0]!.probe).toMatchObject({
    method: 'GET',
    timeoutMs: 5_000,
    headers: { 'user-agent': 'cluster-canary/synthetic', 'x-slot': 'green' },
  });
  expect(own.since).toBe(start);
  expect(own.all.reduce((sum, { requests }) => sum + requests, 0)).toBe(100);
});

test.each<[string, ProbeResult, object, number, number, number]>([
  ['2XX', answer(204), {}, 0, 0, 0],
  ['a redirect', answer(302), {}, 0, 0, 0],
  ['4XX', answer(404), {}, 50, 0, 0],
  ['5XX', answer(503), {}, 50, 50, 0],
  ['no answer', { failure: 'connection refused', milliseconds: 3 }, {}, 50, 50, 0],
  ['a status that is expected', answer(401), { expectedStatus: [401] }, 0, 0, 0],
  ['one that is not', answer(200), { expectedStatus: [401] }, 50, 0, 0],
  ['a slow one', answer(200, 501), {}, 0, 0, 50],
  ['a slow failure', { failure: 'no answer within 5 s', milliseconds: 5_000 }, {}, 50, 50, 0],
])('%s', async (_, of, given, errors, failedForOthers, slow) => {
  const { counts, own } = await roundOf((probe) => (slotOf(probe) === 'green' ? of : answer(200)), {
    ...given,
  });
  expect(counts[0]).toMatchObject({ slot: 'green', requests: 50, errors, slow });
  const noted = own.all.filter(({ slot }) => slot === 'green');
  expect(noted.reduce((sum, each) => sum + each.errors!, 0)).toBe(failedForOthers);
  expect(noted.reduce((sum, each) => sum + each.slow!, 0)).toBe(slow);
});

describe('a request that never left this machine or its proxy', () => {
  const lost: ProbeResult = { failure: 'the name of the host is not known', ours: true, milliseconds: 2 };
  const requestsOf = (own: OwnRequests, of: string) =>
    own.all.filter(({ slot }) => slot === of).reduce((sum, { requests }) => sum + requests, 0);

  test('is no evidence against a slot, none that a load balancer counted, and is said', async () => {
    const { counts, unsent, own } = await roundOf((probe) =>
      slotOf(probe) === 'green' && probe.url.pathname === '/' ? lost : answer(200),
    );
    expect(counts).toMatchObject([
      { slot: 'green', requests: 25, errors: 0 },
      { slot: 'blue', requests: 25, errors: 0 },
    ]);
    expect(unsent).toEqual([
      'green: 25 requests never left this machine or its proxy: the name of the host is not known',
    ]);
    expect([requestsOf(own, 'green'), requestsOf(own, 'blue')]).toEqual([25, 50]);
  });

  test('of a whole round leaves no figures', async () => {
    const { counts, unsent, own } = await roundOf(() => lost);
    expect([counts, own.all]).toEqual([[], []]);
    expect(unsent.map((line) => line.slice(0, 18))).toEqual(['green: 50 requests', 'blue: 50 requests ']);
  });
});

test.each([
  [0.5, 10],
  [1, 10],
  [5, 50],
  [50, 500],
])('at %d a second a round has %d pairs', async (rate, pairs) => {
  const { counts, probes } = await roundOf(() => answer(200), { rate });
  expect(counts.map(({ requests }) => requests)).toEqual([pairs, pairs]);
  expect(probes).toHaveLength(2 * pairs);
});

test('a slot that hangs is not asked faster than it answers: what is due meanwhile is left out for all', async () => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const sent: string[] = [];
  const round = roundOf(async (probe) => {
    sent.push(slotOf(probe));
    if (slotOf(probe) === 'green') {
      await gate;
      return { failure: 'no answer within 5 s', milliseconds: 5_000 };
    }
    return answer(200);
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(sent.filter((slot) => slot === 'blue')).toHaveLength(20);
  release();
  const { counts } = await round;
  expect(counts.map(({ requests, errors }) => [requests, errors])).toEqual([
    [20, 20],
    [20, 0],
  ]);
});

test('a signal ends it with its reason, and what was under way is still known as sent', async () => {
  const stop = new AbortController();
  const own = new OwnRequests();
  const reason = new Error('enough');
  let sent = 0;
  const send = (_: Probe, signal?: AbortSignal): Promise<ProbeResult> => {
    sent += 1;
    if (sent === 6) {
      stop.abort(reason);
    }
    return signal?.aborted === true ? Promise.reject(reason) : Promise.resolve(answer(200));
  };
  await expect(probeRound(previews, settings, { own, clock: clock(), send }, 0, stop.signal)).rejects.toBe(
    reason,
  );
  expect(sent).toBe(6);
  expect(own.all.reduce((sum, { requests }) => sum + requests, 0)).toBe(6);
});
