import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import type { SharedCheck } from '../../../lib/manifests/shift-checks';
import { cloudWatch, createChecks, datadog, prometheus } from '../../../lib/shift/checks';
import type { CheckWindow } from '../../../lib/shift/engine';
import type { Service } from '../../shift/checks/metric-samples';
import {
  contextOf,
  metricsOf,
  minute,
  serve,
  start,
  subject,
  window,
} from '../../shift/checks/metric-samples';
import { flaggerOf, metricOf } from './analysis-world';
import { verdictOf } from './expr';
import type { Leaf } from './promql';
import { evaluateQuery } from './promql';

/** What a minute of the new version has: a number, or no figure; `NaN` is what Prometheus makes of 0 / 0. */
type Minutes = readonly (number | null)[];

/**
 * Where the shift, and the analysis, look from: eight minutes and some seconds after the weights changed. Templates take
 * silence of errors for zero, which a shift does where its check says so.
 */
const now = start + 8 * minute + 40_000;
const shifted: CheckWindow = { ...window, from: start, to: now, startedAt: start };

const services: Service[] = [];
afterAll(() => Promise.all(services.map((service) => service.close())));

async function shiftSays(check: SharedCheck, given: object = {}): Promise<string> {
  const [made] = createChecks([check], contextOf(given));
  return (await made!.evaluate(shifted)).status;
}

/** Queries of Prometheus about counts: those of a minute stand where it ends. */
function countsOf(table: Readonly<Record<string, Minutes>>): Leaf {
  return (query, at) => {
    const value = table[/^\w+/.exec(query)![0]]?.[(at * 1000 - start) / minute - 1];
    return value === null || value === undefined ? [] : [value];
  };
}

/** A Prometheus over such queries. */
async function prometheusOver(leaf: Leaf): Promise<Service> {
  const text = (value: number): string => (value === Infinity ? '+Inf' : String(value));
  const service = await serve(({ pathname, searchParams: asked }) => {
    const query = asked.get('query')!;
    if (pathname.endsWith('/query')) {
      const at = Number(asked.get('time'));
      const result = leaf(query, at).map((value) => ({ metric: {}, value: [at, text(value)] }));
      return { body: { status: 'success', data: { resultType: 'vector', result } } };
    }
    const [from, to, step] = ['start', 'end', 'step'].map((name) => Number(asked.get(name)));
    const values: [number, string][] = [];
    for (let at = from!; at <= to!; at += step!) {
      values.push(...leaf(query, at).map((value): [number, string] => [at, text(value)]));
    }
    const result = values.length > 0 ? [{ metric: {}, values }] : [];
    return { body: { status: 'success', data: { resultType: 'matrix', result } } };
  });
  services.push(service);
  return service;
}

/** What Flagger makes of an answer: the last series, and nothing, or what is no number, halts the canary. */
function flaggerSays({ query, metric }: any, leaf: Leaf): string {
  const value = evaluateQuery(query.replaceAll('{{ target }}', 'green'), leaf, now / 1000).at(-1);
  const { min = -Infinity, max = Infinity } = metric.thresholdRange;
  if (value === undefined || Number.isNaN(value)) {
    return 'halted';
  }
  return value >= min && value <= max ? 'pass' : 'fail';
}

/** What all three say, where "halted" is what Flagger knows for "inconclusive". */
async function prometheusVerdicts(leaf: Leaf, check: (address: string) => SharedCheck): Promise<string[]> {
  const { address } = await prometheusOver(leaf);
  const emitted = metricOf(check(address), { slot: 'green' });
  const vector = evaluateQuery(emitted.provider.prometheus.query, leaf, now / 1000);
  return [
    await shiftSays(check(address)),
    verdictOf(emitted, vector),
    flaggerSays(flaggerOf(check(address)), leaf).replace('halted', 'inconclusive'),
  ];
}

const share = { requests: 'requests{v="{{slot}}",p="{{period}}"}', max: 0.02 };
const errorShare =
  (more: object = {}) =>
  (address: string) =>
    prometheus.errorShare({
      address,
      ...share,
      errors: 'errors{v="{{slot}}",p="{{period}}"}',
      missing: 'zero',
      ...more,
    });

describe('a share by Prometheus: shift, Argo Rollouts and Flagger say the same', () => {
  const good = [100, 100, 100, 100, 100, 100, 100, 100];
  test.each<[string, Record<string, Minutes>, object, string]>([
    ['no errors', { requests: good, errors: [] }, {}, 'pass'],
    ['at the bound', { requests: good, errors: [2, 2, 2, 2, 2, 2, 2, 2] }, {}, 'pass'],
    ['above it', { requests: good, errors: [2, 2, 2, 2, 2, 2, 3, 2] }, {}, 'fail'],
    ['one request short', { requests: [0, 0, 0, 0, 0, 0, 99], errors: [9] }, {}, 'inconclusive'],
    ['just enough', { requests: [0, 0, 0, 0, 0, 0, 100], errors: [] }, {}, 'pass'],
    ['nobody came', { requests: [], errors: [] }, {}, 'inconclusive'],
    ['errors before the time that counts', { requests: good, errors: [99, 99, 0, 0, 0, 0, 0] }, {}, 'pass'],
    ['errors in the first minute of it', { requests: good, errors: [0, 0, 0, 99, 0, 0, 0] }, {}, 'fail'],
    [
      'errors in the minute that is not over',
      { requests: good, errors: [0, 0, 0, 0, 0, 0, 0, 0, 99] },
      {},
      'pass',
    ],
    [
      'errors in a minute whose figures are not there yet',
      { requests: good, errors: [0, 0, 0, 0, 0, 0, 0, 99] },
      { delay: '50s' },
      'pass',
    ],
    ['no number in a minute', { requests: good, errors: [0, 0, 0, 0, NaN, 0, 0, 50] }, {}, 'fail'],
    ['a shorter time', { requests: good, errors: [0, 0, 0, 0, 0, 99, 0, 0] }, { over: '2m' }, 'pass'],
    ['none may fail', { requests: good, errors: [0, 0, 0, 0, 0, 0, 0, 1] }, { max: 0 }, 'fail'],
    [
      'another least number',
      { requests: [0, 0, 0, 0, 0, 0, 0, 4], errors: [1] },
      { minRequests: 5 },
      'inconclusive',
    ],
  ])('%s', async (_name, table, more, verdict) => {
    expect(await prometheusVerdicts(countsOf(table), errorShare(more))).toEqual([verdict, verdict, verdict]);
  });

  test('what is no number in a minute is inconclusive in a shift, and nothing in a template', async () => {
    for (const strange of [NaN, Infinity]) {
      const errors = [0, 0, 0, 0, strange, 0, 0, 0];
      const verdicts = await prometheusVerdicts(countsOf({ requests: good, errors }), errorShare());
      expect(verdicts).toEqual(['inconclusive', 'pass', 'pass']);
    }
  });

  test('silence of errors is inconclusive in a shift that does not take it for zero', async () => {
    const check = errorShare({ missing: 'inconclusive' });
    const verdicts = await prometheusVerdicts(countsOf({ requests: good, errors: [] }), check);
    expect(verdicts).toEqual(['inconclusive', 'pass', 'pass']);
  });

  test('whatever is counted', async () => {
    const minutes = fc.array(fc.option(fc.integer({ min: 0, max: 60 })), { minLength: 6, maxLength: 9 });
    const settings = fc.record({
      max: fc.constantFrom(0, 0.02, 0.1),
      minRequests: fc.constantFrom(1, 50, 100),
      over: fc.constantFrom('1m', '150s', '5m'),
      delay: fc.constantFrom('0s', '30s', '1m'),
    });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(minutes, minutes, settings, async (requests, failed, more) => {
        // What is missing beside requests is 0; errors without requests are another matter.
        const errors = failed.map((each, index) =>
          (requests[index] ?? null) === null ? null : each && Math.min(each % 5, requests[index]!),
        );
        const [shift, ...others] = await prometheusVerdicts(countsOf({ requests, errors }), errorShare(more));
        seen.add(shift!);
        expect(others).toEqual([shift, shift]);
      }),
      { numRuns: 80 },
    );
    expect([...seen].sort()).toEqual(['fail', 'inconclusive', 'pass']);
  });

  test.each(['pass', 'fail', 'inconclusive'] as const)('what no figures mean: %s', async (onNoData) => {
    const [shift, argo, flagger] = await prometheusVerdicts(countsOf({}), errorShare({ onNoData }));
    expect([shift, argo]).toEqual([onNoData, onNoData]);
    expect(flagger).toBe(onNoData === 'pass' ? 'pass' : 'inconclusive');
  });
});

describe('a value by Prometheus: shift, Argo Rollouts and Flagger say the same', () => {
  const query = 'value{v="{{slot}}"}';
  test.each<[string, number[], object, string]>([
    ['within', [0.5], { max: 0.8 }, 'pass'],
    ['at the bound', [0.8], { max: 0.8 }, 'pass'],
    ['beyond it', [0.81], { max: 0.8 }, 'fail'],
    ['0 / 0 is no figure', [NaN], { max: 0.8 }, 'inconclusive'],
    ['no series', [], { max: 0.8 }, 'inconclusive'],
    ['the worst of several', [0.1, 0.9, 0.2], { max: 0.8 }, 'fail'],
    ['the worst of several, from below', [0.9, 0.1, 0.9], { min: 0.8 }, 'fail'],
    ['two bounds', [1, 2, 3], { min: 1, max: 3 }, 'pass'],
    ['below the lower of two', [1, 2, 0], { min: 1, max: 3 }, 'fail'],
    ['above the upper of two', [4, 2, 1], { min: 1, max: 3 }, 'fail'],
    ['a bound of 0', [0], { max: 0 }, 'pass'],
  ])('%s', async (_name, values, bounds, verdict) => {
    const check = (address: string) => prometheus.query({ address, query, ...bounds });
    expect(await prometheusVerdicts(() => values, check)).toEqual([verdict, verdict, verdict]);
  });

  test.each<[string, number[], object, string]>([
    ['1 / 0', [Infinity], { max: 0.8 }, 'fail'],
    ['-1 / 0', [-Infinity], { min: 0.8 }, 'fail'],
    ['no number among others', [NaN, 0.5], { max: 0.8 }, 'pass'],
  ])('%s is inconclusive in a shift', async (_name, values, bounds, verdict) => {
    const check = (address: string) => prometheus.query({ address, query, ...bounds });
    expect(await prometheusVerdicts(() => values, check)).toEqual(['inconclusive', verdict, verdict]);
  });

  test.each([
    [[200], 'fail'],
    [[100, 100], 'fail'],
    [[199], 'inconclusive'],
    [[], 'inconclusive'],
  ])('requests: %j', async (requests, verdict) => {
    const check = (address: string) =>
      prometheus.query({ address, query, max: 0.8, requests: 'count{v="{{slot}}"}', minRequests: 200 });
    const leaf: Leaf = (asked) => (asked.startsWith('count') ? requests : [1]);
    expect(await prometheusVerdicts(leaf, check)).toEqual([verdict, verdict, verdict]);
  });
});

describe('CloudWatch: shift and Argo Rollouts say the same', () => {
  const targetGroup = 'targetgroup/green/83e2d6bc24d8a068';
  const delay = '30s';
  const args = { slot: 'green', targetGroup, loadBalancer: 'app/edge/50dc6c495c0c9188' };

  /** What `GetMetricData` answers to the template's queries: the newest point first, unfinished minutes among them. */
  const verdicts = async (table: Record<string, Minutes>, check: SharedCheck): Promise<string[]> => {
    const green = Object.fromEntries(Object.entries(table).map(([name, of]) => [`green ${name}`, of]));
    const metrics = metricsOf(green);
    const emitted = metricOf(check, args);
    const { interval, metricDataQueries: queries } = emitted.provider.cloudWatch;
    const from = Math.floor((now - Number(interval.replace('s', '')) * 1000) / minute) * minute;
    const asked = queries.map(({ id, metricStat: { metric, stat, period } }: any) => {
      const Dimensions = metric.dimensions.map(({ name, value }: any) => ({ Name: name, Value: value }));
      return {
        Id: id,
        MetricStat: {
          Metric: { ...metric, MetricName: metric.metricName, Dimensions },
          Period: period,
          Stat: stat,
        },
      };
    });
    const answer = (await metrics.query(asked, from, now)).map(({ id, points }) => {
      const newest = [...points].reverse();
      return { Id: id, Timestamps: newest.map(([at]) => at), Values: newest.map(([, value]) => value) };
    });
    return [await shiftSays(check, { subject, metricData: () => metrics }), verdictOf(emitted, answer, now)];
  };
  const [many, none] = [Array(9).fill(100), []] as Minutes[];
  const counts = (requests: Minutes, ok: Minutes, moved: Minutes = none!): Record<string, Minutes> => ({
    RequestCount: requests,
    HTTPCode_Target_2XX_Count: ok,
    HTTPCode_Target_3XX_Count: moved,
  });

  test.each<[string, Record<string, Minutes>, object, string]>([
    ['all answered', counts(many!, many!), {}, 'pass'],
    ['at the bound', counts(many!, Array(9).fill(98)), {}, 'pass'],
    ['above it', counts(many!, [98, 98, 98, 98, 98, 90, 98, 98]), {}, 'fail'],
    ['redirects are no errors', counts(many!, Array(9).fill(50), Array(9).fill(50)), {}, 'pass'],
    ['nobody came', counts(none!, none!), {}, 'inconclusive'],
    ['one request short', counts([0, 0, 0, 0, 0, 0, 99], none!), {}, 'inconclusive'],
    [
      'a minute that is still being counted',
      counts(many!, [100, 100, 100, 100, 100, 100, 100, 100, 0]),
      {},
      'pass',
    ],
    ['errors before the time that counts', counts(many!, [0, 0, 0, 100, 100, 100, 100, 100]), {}, 'pass'],
    ['errors in its first minute', counts(many!, [0, 0, 100, 0, 100, 100, 100, 100]), {}, 'fail'],
    ['a longer delay', counts(many!, [100, 100, 100, 100, 100, 100, 100, 0]), { delay: '1m' }, 'pass'],
  ])('a share of errors: %s', async (_name, table, more, verdict) => {
    const check = cloudWatch.errorShare({ max: 0.02, delay, ...more });
    expect(await verdicts(table, check)).toEqual([verdict, verdict]);
  });

  test('the newest minute alone is inconclusive in a shift, which asks again', async () => {
    const check = cloudWatch.errorShare({ max: 0.02, delay });
    const table = counts(many!, [100, 100, 100, 100, 100, 100, 100, 0]);
    expect(await verdicts(table, check)).toEqual(['inconclusive', 'fail']);
    const slow = cloudWatch.metric({ ...p99, dimensions, delay });
    const last = { 'TargetResponseTime p99': [0, 0, 0, 0, 0, 0, 0, 0.9] };
    expect(await verdicts(last, slow)).toEqual(['inconclusive', 'fail']);
  });

  test.each([
    [5, 'pass'],
    [6, 'fail'],
  ])('%i of a hundred are slow', async (slow, verdict) => {
    const check = cloudWatch.slowShare({ max: 0.05, above: '500ms', delay });
    const table = {
      'TargetResponseTime SampleCount': many!,
      'TargetResponseTime TC(0.5:100000)': Array(9).fill(slow),
    };
    expect(await verdicts(table, check)).toEqual([verdict, verdict]);
  });

  const p99 = { namespace: 'AWS/ApplicationELB', metric: 'TargetResponseTime', stat: 'p99', max: 0.8 };
  const dimensions = { TargetGroup: '{{targetGroup}}', LoadBalancer: '{{loadBalancer}}' };
  test.each<[string, Minutes, object, string]>([
    ['the last minute', [9, 9, 9, 9, 9, 9, 9, 0.5], {}, 'pass'],
    ['the last minutes, beyond', [0, 0, 0, 0, 0, 0, 0.9, 0.9], {}, 'fail'],
    ['not the minute that is not over', [0, 0, 0, 0, 0, 0, 0, 0.5, 9], {}, 'pass'],
    ['the worst minute', [0, 0, 0, 0, 0.9, 0, 0, 0.5], { aggregate: 'max' }, 'fail'],
    ['the mean', [9, 9, 9, 0.7, 0.7, 0.9, 0.7, 0.7], { aggregate: 'avg' }, 'pass'],
    ['the sum', [9, 9, 9, 9, 0.3, 0.3, 0.3, 0.2], { aggregate: 'sum' }, 'fail'],
    ['the least', [9, 9, 9, 0.7, 9, 9, 9, 9, 9], { aggregate: 'min', over: '6m' }, 'pass'],
    ['a time of less than a minute', [9, 9, 9, 9, 9, 9, 9, 0.5], { over: '10s' }, 'pass'],
    ['no figures', [], {}, 'inconclusive'],
    ['no figures, which is fine', [], { onNoData: 'pass' }, 'pass'],
    ['no figures, which is not', [], { onNoData: 'fail' }, 'fail'],
  ])('a metric: %s', async (_name, values, more, verdict) => {
    const check = cloudWatch.metric({ ...p99, dimensions, delay, ...more } as never);
    expect(await verdicts({ 'TargetResponseTime p99': values }, check)).toEqual([verdict, verdict]);
  });

  test.each([
    [20, 'fail'],
    [19, 'inconclusive'],
  ])('a metric with %i requests a minute', async (requests, verdict) => {
    const check = cloudWatch.metric({ ...p99, dimensions, delay, minRequests: 80 });
    const table = { 'TargetResponseTime p99': Array(9).fill(1), RequestCount: Array(9).fill(requests) };
    expect(await verdicts(table, check)).toEqual([verdict, verdict]);
  });
});

describe('Datadog: shift and Argo Rollouts say the same', () => {
  const env = { DATADOG_API_KEY: 'one', DATADOG_APPLICATION_KEY: 'two' };
  const minutesOf = { sums: {} as Record<string, Minutes> };
  let service: Service;
  beforeAll(async () => {
    service = await serve(({ searchParams }) => {
      const [from, to] = [Number(searchParams.get('from')) * 1000, Number(searchParams.get('to')) * 1000];
      const values = minutesOf.sums[/^sum:(\w+)/.exec(searchParams.get('query')!)![1]!] ?? [];
      const pointlist = values.flatMap((value, index): [number, number][] => {
        const at = start + index * minute;
        return value === null || at < from || at > to ? [] : [[at, value]];
      });
      return { body: { status: 'ok', series: pointlist.length > 0 ? [{ pointlist, interval: 60 }] : [] } };
    });
    services.push(service);
  });

  /** A formula over sums, in which nothing is `null`, as version 2 of the API answers. */
  const formulaOf = (formula: string, requests: number | null, counted: number | null): number | null => {
    if (requests === null) {
      return null;
    }
    const script = formula
      .replaceAll('default_zero(counted)', '(counted ?? 0)')
      .replaceAll('abs(', 'Math.abs(');
    return runInNewContext(script, { requests, counted }) as number;
  };

  test.each<[string, Minutes, Minutes, object, string]>([
    ['no errors', [0, 0, 0, 50, 50], [], {}, 'pass'],
    ['at the bound', [0, 0, 0, 50, 50], [0, 0, 0, 1, 1], {}, 'pass'],
    ['above it', [0, 0, 0, 50, 50], [0, 0, 0, 1, 2], {}, 'fail'],
    ['all of them', [0, 0, 0, 50, 50], [0, 0, 0, 50, 50], {}, 'fail'],
    ['one request short', [0, 0, 0, 50, 49], [0, 0, 0, 50, 49], {}, 'inconclusive'],
    ['nobody came', [], [], {}, 'inconclusive'],
    ['nobody came, which is fine', [], [], { onNoData: 'pass' }, 'pass'],
    ['few came, which is not', [0, 0, 0, 1], [], { onNoData: 'fail' }, 'fail'],
    ['another least number', [0, 0, 0, 3], [], { minRequests: 3 }, 'pass'],
  ])('a share of errors: %s', async (_name, requests, errors, more, verdict) => {
    minutesOf.sums = { requests, errors };
    const count = (name: string) => `sum:${name}{v:{{slot}}}.as_count().rollup(sum, {{period}})`;
    const { address } = service;
    const check = datadog.errorShare({
      address,
      requests: count('requests'),
      errors: count('errors'),
      max: 0.02,
      period: '1m',
      missing: 'zero',
      ...more,
    });
    const emitted = metricOf(check, { slot: 'green' });
    const { formula, queries, aggregator } = emitted.provider.datadog;
    expect([aggregator, queries.counted]).toEqual(['sum', 'sum:errors{v:green}.as_count().rollup(sum, 60)']);
    const sum = (of: Minutes): number | null =>
      of.length > 0 ? of.reduce<number>((total, each) => total + (each ?? 0), 0) : null;
    const result = formulaOf(formula, sum(requests), sum(errors));
    expect([await shiftSays(check, { env }), verdictOf(emitted, result)]).toEqual([verdict, verdict]);
  });

  test.each<[string, number | null, object, string]>([
    ['within', 0.8, { max: 0.8 }, 'pass'],
    ['beyond', 0.81, { max: 0.8 }, 'fail'],
    ['below', 0.1, { min: 0.2 }, 'fail'],
    ['minus one is a figure, too', -1, { max: 0.8 }, 'pass'],
    ['none', null, { max: 0.8 }, 'inconclusive'],
  ])('a value: %s', async (_name, value, bounds, verdict) => {
    minutesOf.sums = { value: value === null ? [] : [0, 0, 0, 0, value] };
    const check = datadog.query({ address: service.address, query: 'sum:value{v:{{slot}}}', ...bounds });
    const emitted = metricOf(check, { slot: 'green' });
    expect(emitted.provider.datadog).toMatchObject({ query: 'sum:value{v:green}', aggregator: 'last' });
    expect([await shiftSays(check, { env }), verdictOf(emitted, value)]).toEqual([verdict, verdict]);
  });
});
