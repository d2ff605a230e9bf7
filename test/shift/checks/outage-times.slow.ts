import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckSettings, MetricData } from '../../../lib/shift/checks';
import { cloudWatch, createChecks, datadog, prometheus } from '../../../lib/shift/checks';
import type { Check, CheckWindow } from '../../../lib/shift/engine';
import { contextOf, minute, start, subject, window } from './metric-samples';

/** Requests in a second of all slots, and what green has of them. */
const perSecond = 1000;
const greens = 0.25;
/** How often checks are asked, in milliseconds. */
const checkEveryMs = 15_000;

/** Green gets its requests from the write on, and fails all of them from the outage on; the old slot is well. */
interface World {
  readonly writtenAt: number;
  readonly outageAt: number;
  /** Who counts what fails: targets that answer 5XX, the load balancer for those that don't answer, or nobody. */
  readonly countedBy?: 'target' | 'balancer' | 'nobody';
}

/** Requests of a slot, or its failures, between two times. */
function count({ writtenAt, outageAt }: World, slot: string, what: string, from: number, to: number): number {
  const seconds = (since: number): number => Math.max(0, to - Math.max(from, since)) / 1000;
  if (slot === 'green') {
    return perSecond * greens * seconds(what === 'requests' ? writtenAt : outageAt);
  }
  return what === 'requests' ? perSecond * (1 - greens) * seconds(0) : 0;
}

/** An ALB's counts, each minute at once. */
function balancer(world: World): MetricData {
  return {
    query: (queries, from, to) =>
      Promise.resolve(
        queries.map(({ Id, MetricStat }) => {
          const { MetricName, Dimensions } = MetricStat!.Metric;
          const group = Dimensions!.find(({ Name }) => Name === 'TargetGroup')?.Value;
          const points: [number, number][] = [];
          const { countedBy = 'target' } = world;
          for (let at = Math.ceil(from / minute) * minute; at < to; at += minute) {
            const slot = group?.split('/')[1];
            const of = (what: string): number => count(world, slot ?? 'green', what, at, at + minute);
            const values: Record<string, number> =
              slot === undefined
                ? { HTTPCode_ELB_5XX_Count: countedBy === 'balancer' ? of('errors') : 0 }
                : {
                    RequestCount: of('requests'),
                    HTTPCode_Target_2XX_Count: of('requests') - of('errors'),
                    HTTPCode_Target_5XX_Count: countedBy === 'target' ? of('errors') : 0,
                  };
            const value = values[MetricName];
            points.push(...(value ? [[at, value] as [number, number]] : []));
          }
          return { id: Id, points };
        }),
      ),
  };
}

/** Datadog and Prometheus: a query is `requests SLOT SECONDS` or `errors SLOT SECONDS`. */
function answer(world: World, url: URL): unknown {
  const { pathname, searchParams } = url;
  const [what, slot, seconds] = searchParams.get('query')!.split(' ');
  const periodMs = Number.parseInt(seconds!, 10) * 1000;
  if (pathname === '/api/v1/query') {
    const [from, to] = ['from', 'to'].map((name) => Number(searchParams.get(name)) * 1000);
    const pointlist: [number, number][] = [];
    for (let at = Math.floor(from! / periodMs) * periodMs; at < to!; at += periodMs) {
      pointlist.push([at, count(world, slot!, what!, at, Math.min(at + periodMs, to!))]);
    }
    return { status: 'ok', series: [{ interval: periodMs / 1000, pointlist }] };
  }
  const [from, to] = ['start', 'end'].map((name) => Number(searchParams.get(name)) * 1000);
  const values: [number, string][] = [];
  for (let at = from!; at <= to!; at += periodMs) {
    values.push([at / 1000, String(count(world, slot!, what!, at - periodMs, at))]);
  }
  return { status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } };
}

function checkOf(settings: CheckSettings, world: World): Check {
  const send = ({ url }: { url: URL }) =>
    Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(answer(world, url)) });
  const [check] = createChecks(
    [settings],
    contextOf({
      subject,
      metricData: () => balancer(world),
      http: { send },
      env: { DATADOG_API_KEY: 'a', DATADOG_APPLICATION_KEY: 'b' },
    }),
  );
  return check!;
}

/** From the begin of an outage until the check fails, in seconds. */
async function foundAfter(settings: CheckSettings, world: World): Promise<number> {
  const check = checkOf(settings, world);
  const { writtenAt, outageAt } = world;
  const live = { blue: 100 - 100 * greens, green: 100 * greens };
  const shift: CheckWindow = {
    ...window,
    from: writtenAt,
    startedAt: writtenAt,
    live,
    writes: [{ at: writtenAt, weights: live }],
  };
  for (let to = writtenAt; to < outageAt + 15 * minute; to += checkEveryMs) {
    const { status } = await check.evaluate({ ...shift, to });
    if (status === 'fail') {
      return (to - outageAt) / 1000;
    }
  }
  throw new Error('the outage is never found');
}

/** The longest time of many moments at which the weights are written and at which the outage begins. */
async function longest(settings: CheckSettings, countedBy?: World['countedBy']): Promise<number> {
  const worlds = Array.from({ length: 60 }, (_none, second): World[] => {
    const writtenAt = start + second * 1000;
    return [0, 127, 213, 301].map((later) => ({
      writtenAt,
      outageAt: writtenAt + later * 1000 + 37 * second,
      countedBy,
    }));
  });
  const times = await Promise.all(worlds.flat().map((world) => foundAfter(settings, world)));
  return Math.max(...times);
}

const queries = { requests: 'requests {{slot}} {{period}}', errors: 'errors {{slot}} {{period}}' };
const address = 'https://prometheus.example.com';

/** The check, what it is set to, and its delay and period in seconds. */
const rows: [string, string, CheckSettings, number, number][] = [
  ['cloudWatch.errorShare', 'defaults: `delay: 2m`', cloudWatch.errorShare({ max: 0.02 }), 120, 60],
  ['cloudWatch.errorShare', '`delay: 30s`', cloudWatch.errorShare({ max: 0.02, delay: '30s' }), 30, 60],
  [
    'prometheus.errorShare',
    'defaults: `period: 1m`, `delay: 15s`',
    prometheus.errorShare({ ...queries, address, max: 0.02 }),
    15,
    60,
  ],
  [
    'prometheus.errorShare',
    '`period: 20s`, `delay: 15s`',
    prometheus.errorShare({ ...queries, address, max: 0.02, period: '20s' }),
    15,
    20,
  ],
  [
    'datadog.errorShare',
    'defaults: `period: 20s`, `delay: 30s`',
    datadog.errorShare({ ...queries, max: 0.02 }),
    30,
    20,
  ],
  [
    'datadog.errorShare',
    '`period: 1m`, `delay: 30s`',
    datadog.errorShare({ ...queries, max: 0.02, period: '1m' }),
    30,
    60,
  ],
  [
    'datadog.errorShare',
    '`period: 10s`, `delay: 20s`',
    datadog.errorShare({ ...queries, max: 0.02, period: '10s', delay: '20s' }),
    20,
    10,
  ],
];

const page = readFileSync(join(__dirname, '../../../docs/checks.md'), 'utf8');

test.each(rows)('%s, %s: as the page says', async (kind, set, settings, delay, period) => {
  const seconds = await longest(settings);
  // A look may come as late as the next one, and the first second of an outage may be within the bound.
  expect(seconds).toBeLessThanOrEqual(delay + period + checkEveryMs / 1000 + 3);
  const requests = (perSecond * greens * Math.ceil(seconds)).toLocaleString('en-US');
  const row = `| \`${kind}\` | ${set} | ${Math.ceil(seconds)} s | ${requests} |`;
  expect([row, page.includes(`${row}\n`)]).toEqual([row, true]);
});

test.each([
  ['target', 0],
  ['balancer', 0],
  ['nobody', 60],
] as const)('CloudWatch, where %s counts what fails: %i s more', async (countedBy, more) => {
  const seconds = await longest(cloudWatch.errorShare({ max: 0.02 }), countedBy);
  // Of what the load balancer counts, a tenth of a minute is needed.
  const least = countedBy === 'balancer' ? 6 : 3;
  expect(seconds).toBeLessThanOrEqual(180 + more + checkEveryMs / 1000 + least);
  expect(seconds).toBeGreaterThan(180 + more);
});

test('a bad figure is not found sooner than figures are there', async () => {
  const world = { writtenAt: start, outageAt: start };
  expect(await foundAfter(cloudWatch.errorShare({ max: 0.02 }), world)).toBeGreaterThanOrEqual(180);
});

test('a comparison finds an outage that begins with the weights as soon', async () => {
  const kinds: [CheckSettings, number][] = [
    [cloudWatch.comparison(), 180],
    [prometheus.comparison({ ...queries, address }), 75],
    [datadog.comparison(queries), 90],
  ];
  for (const [settings, bound] of kinds) {
    const worlds = Array.from({ length: 60 }, (_none, second) => start + second * 1000);
    const times = await Promise.all(
      worlds.map((at) => foundAfter(settings, { writtenAt: at, outageAt: at })),
    );
    expect(Math.max(...times)).toBeLessThanOrEqual(bound + checkEveryMs / 1000);
  }
});
