import type { CheckContext, MetricDataQuery } from '../../../lib/shift/checks';
import { createChecks } from '../../../lib/shift/checks';
import type { CheckWindow } from '../../../lib/shift/engine';
import type { Probe, ProbeResult } from '../../../lib/shift/probes';
import { contextOf, minute, start, subject, window as after } from './metric-samples';

const preview = (slot: string) => ({ url: 'https://www.example.com', headers: { 'x-slot': { env: slot } } });
const previewed = {
  ...subject,
  slots: Object.fromEntries(
    Object.entries(subject.slots).map(([name, slot]) => [name, { ...slot, preview: preview(name) }]),
  ),
};
const alone = {
  ...subject,
  slots: Object.fromEntries(
    Object.entries(subject.slots).map(([name, slot]) => [name, { ...slot, preview: undefined }]),
  ),
};
const settings = { 'cloudWatch.comparison': { synthetic: {} } };
const before: CheckWindow = {
  ...after,
  stage: 'before',
  live: { blue: 100, green: 0 },
  next: { blue: 99, green: 1 },
  writes: [],
};
const well: ProbeResult = { status: 200, headers: {}, text: '', milliseconds: 20 };

/** A fleet without a visitor: its load balancer counts what is sent, unless it is told otherwise. */
function fleet(
  answer: (slot: string, probe: Probe) => ProbeResult,
  { counted = true, given = {} }: { readonly counted?: boolean; readonly given?: Partial<CheckContext> } = {},
) {
  let now = start;
  const sent: { readonly at: number; readonly slot: string; readonly failed: boolean }[] = [];
  const asked: MetricDataQuery[] = [];
  const context = contextOf({
    subject: previewed,
    env: { blue: 'of-blue', green: 'of-green' },
    clock: {
      now: () => now,
      sleep: (milliseconds) => {
        now += milliseconds;
        return Promise.resolve();
      },
    },
    sendProbe: (probe) => {
      const slot = probe.headers['x-slot'] === 'of-green' ? 'green' : 'blue';
      const result = answer(slot, probe);
      sent.push({ at: now, slot, failed: 'failure' in result || result.status >= 500 });
      return Promise.resolve(result);
    },
    metricData: () => ({
      query: (queries, from, to) => {
        asked.push(...queries);
        return Promise.resolve(
          queries.map(({ Id: id, MetricStat: stat }) => {
            const group = JSON.stringify(stat!.Metric!.Dimensions).includes('green') ? 'green' : 'blue';
            const minutes = new Map<number, { readonly failed: boolean }[]>();
            for (const each of sent) {
              if (each.slot === group) {
                const begin = from + Math.floor((each.at - from) / minute) * minute;
                const others = minutes.get(begin) ?? [];
                minutes.set(begin, others);
                others.push(each);
              }
            }
            const points: [number, number][] = [];
            for (let at = from; at < to; at += minute) {
              const of = minutes.get(at) ?? [];
              const name = stat!.Metric!.MetricName;
              const value =
                name === 'RequestCount'
                  ? of.length
                  : name === 'HTTPCode_Target_2XX_Count'
                    ? of.filter(({ failed }) => !failed).length
                    : name === 'HTTPCode_Target_5XX_Count'
                      ? of.filter(({ failed }) => failed).length
                      : 0;
              if (value > 0 && counted) {
                points.push([at, value]);
              }
            }
            return { id: id!, points };
          }),
        );
      },
    }),
    ...given,
  });
  return {
    context,
    sent,
    asked,
    pass: (milliseconds: number) => (now += milliseconds),
    now: () => now,
  };
}

test('an outage is found before the first percent, and nobody asks for figures', async () => {
  const world = fleet((slot) =>
    slot === 'green' ? { failure: 'connection refused', milliseconds: 2 } : well,
  );
  const [check] = createChecks([settings], world.context);
  expect(check!.stages).toEqual(['before', 'after']);
  const results = [await check!.evaluate(before), await check!.evaluate(before)];
  expect(results.map(({ status }) => status)).toEqual(['inconclusive', 'fail']);
  expect(results[1]!.reason).toBe(
    'synthetic: green: regression, by its error share after 100 requests to each slot',
  );
  expect([world.sent.length, world.asked.length]).toEqual([200, 0]);
});

test('a healthy slot passes after as many pairs as the settings want; later steps do not wait again', async () => {
  const world = fleet(() => well);
  const [check] = createChecks(
    [{ 'cloudWatch.comparison': { synthetic: { rate: 10, before: '20s' } } }],
    world.context,
  );
  expect((await check!.evaluate(before)).status).toBe('inconclusive');
  expect((await check!.evaluate(before)).status).toBe('pass');
  const later = { ...before, writes: after.writes };
  expect((await check!.evaluate(later)).status).toBe('pass');
  expect(world.sent).toHaveLength(400);
});

test('without visitors a step passes by own requests, whose figures are none of visitors', async () => {
  const world = fleet(() => well);
  const [check] = createChecks([settings], world.context);
  let last;
  for (let look = 0; look < 40; look += 1) {
    last = await check!.evaluate({ ...after, to: world.now() });
    world.pass(5_000);
  }
  expect(last).toMatchObject({
    status: 'pass',
    reason: expect.stringMatching(/^visitors: .*; synthetic: green: no regression so far/),
  });
  const figures = last!.figures.map(({ name, slot, value }) => [name, slot, value]);
  expect(figures).toContainEqual(['error share', 'green', null]);
  expect(figures).toContainEqual(['synthetic requests', 'green', 2_000]);
});

test('other checks on the same figures see visitors alone, too', async () => {
  const world = fleet((slot) => (slot === 'green' ? { ...well, status: 503 } : well));
  const checks = createChecks([settings, { 'cloudWatch.errorShare': { max: 0.01 } }], world.context);
  for (let look = 0; look < 20; look += 1) {
    await checks[0]!.evaluate({ ...after, to: world.now() });
    world.pass(5_000);
  }
  const result = await checks[1]!.evaluate({ ...after, to: world.now() });
  expect(result).toMatchObject({ status: 'inconclusive' });
  expect(result.reason).toMatch(/0 of at least 100 requests/);
});

test('figures without the own requests are no figures: the preview leads elsewhere', async () => {
  const world = fleet(() => well, { counted: false });
  const [check] = createChecks([settings], world.context);
  let failure: unknown;
  for (let look = 0; look < 30; look += 1) {
    failure = await check!.evaluate({ ...after, to: world.now() }).catch((error: unknown) => error);
    world.pass(5_000);
  }
  expect(failure).toMatchObject({
    name: 'SourceError',
    message: expect.stringMatching(
      /^the figures have 0 requests of \w+ in a time in which \d+ synthetic ones were answered/,
    ),
  });
});

test('own requests fail a step also where the source of the figures does', async () => {
  const down = { metricData: () => ({ query: () => Promise.reject(new Error('down')) }) };
  const world = fleet((slot) => (slot === 'green' ? { ...well, status: 500 } : well), { given: down });
  const [check] = createChecks([settings], world.context);
  await expect(check!.evaluate(after)).rejects.toThrow('down');
  expect(await check!.evaluate(after)).toMatchObject({ status: 'fail' });
});

describe('requests that never leave this machine or its proxy', () => {
  const lost: ProbeResult = { failure: 'the proxy refuses', ours: true, milliseconds: 2 };

  test('are no outage of the slot: nothing is known, and it is said', async () => {
    const world = fleet((slot) => (slot === 'green' ? lost : well));
    const [check] = createChecks([settings], world.context);
    for (let look = 0; look < 3; look += 1) {
      await expect(check!.evaluate(before)).rejects.toMatchObject({
        name: 'SourceError',
        message: 'synthetic: green: 50 requests never left this machine or its proxy: the proxy refuses',
      });
    }
    expect(world.context.ownRequests.all.every(({ slot }) => slot === 'blue')).toBe(true);
  });

  test('hide no failure of those that did', async () => {
    let number = 0;
    const world = fleet((slot) => {
      number += slot === 'green' ? 1 : 0;
      return slot === 'blue' ? well : number % 10 === 0 ? lost : { ...well, status: 500 };
    });
    const [check] = createChecks([settings], world.context);
    await expect(check!.evaluate(before)).rejects.toThrow(/never left this machine/);
    const result = await check!.evaluate(before);
    expect(result).toMatchObject({ status: 'fail' });
    expect(result.reason).toMatch(
      /^synthetic: green: regression, .*; synthetic: green: \d+ requests never left/,
    );
  });
});

test('a header that is not there is said by its name', async () => {
  const world = fleet(() => well, { given: { env: { blue: 'of-blue' } } });
  const [check] = createChecks([settings], world.context);
  await expect(check!.evaluate(before)).rejects.toThrow(/the variable green is not set or empty/);
});

test('says what it sends, and wants a preview of each slot', () => {
  const [check] = createChecks(
    [{ 'cloudWatch.comparison': { synthetic: { rate: 2, paths: ['/', '/healthz'], before: '1m' } } }],
    contextOf({ subject: previewed, metricData: () => ({ query: () => Promise.resolve([]) }) }),
  );
  expect(check!.sends).toBe(
    'synthetic requests, 2 a second to each of blue, green by its preview: GET /, /healthz; 1m before the first percent, then at each look',
  );
  expect(() =>
    createChecks(
      [settings],
      contextOf({ subject: alone, metricData: () => ({ query: () => Promise.resolve([]) }) }),
    ),
  ).toThrow(/slots\.blue\.preview.*slots\.green\.preview/s);
});

test.each<[string, object, RegExp]>([
  ['a rate that is too high', { rate: 51 }, /synthetic\.rate: .*from 0\.5 to 50/],
  ['a URL for a path', { paths: ['//elsewhere.example/'] }, /synthetic\.paths\[0\]/],
  ['no path', { paths: [] }, /synthetic\.paths/],
  ['a long time-out', { timeout: '1m' }, /synthetic\.timeout/],
  ['a short round', { round: '500ms' }, /synthetic\.round: .*from 1s to 10s/],
  ['a long round', { round: '11s' }, /synthetic\.round: .*from 1s to 10s/],
  ['a status that is none', { expectedStatus: [42] }, /synthetic\.expectedStatus\[0\]/],
  ['inQueries of CloudWatch', { inQueries: true }, /inQueries/],
])('refuses %s', (_, synthetic, message) => {
  expect(() =>
    createChecks([{ 'cloudWatch.comparison': { synthetic } }], contextOf({ subject: previewed })),
  ).toThrow(message);
});

test.each([
  ['told apart', true, 'inconclusive'],
  ['not told apart: the control', false, 'pass'],
])('requests of another check are no visitors: %s', async (_name, isNoted, status) => {
  const { context } = fleet(() => well);
  const { clock, sendProbe, ownRequests } = context;
  for (let number = 0; number < 600; number += 1) {
    for (const slot of ['blue', 'green']) {
      await sendProbe({ headers: { 'x-slot': `of-${slot}` } } as never);
      if (isNoted) {
        ownRequests.note({ slot, at: clock.now(), failed: false, slow: false });
      }
    }
    await clock.sleep(1_000);
  }
  const [check] = createChecks([{ 'cloudWatch.comparison': {} }], context);
  const writes = [{ at: start, weights: { blue: 50, green: 50 } }];
  const window = { ...after, from: start, startedAt: start, writes, to: clock.now() + 3 * minute };
  expect(await check!.evaluate(window)).toMatchObject({ status });
});
