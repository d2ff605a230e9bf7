import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DemoWorld } from '../../lib/shift/demo/world';
import { previewHeader } from '../../lib/shift/demo/weighted-proxy';
import { sinkContext } from '../../lib/shift/notify/notifier';
import { openSinks } from '../../lib/shift/notify/settings';
import { dashboard, dashboardQueries } from '../shift/notify/dashboard';
import { answered, ended, step } from '../shift/notify/events';
import { readExposition, valuesOf } from '../shift/notify/read-exposition';
import { onCleanUp } from './bench/clean-up';
import type { CommandResult } from './bench/command';
import { startCommand } from './bench/command';
import { eventually } from './bench/eventually';
import { collectorProgram, prometheusProgram, pushgatewayProgram } from './bench/metrics-programs';
import type { CollectedSpan, PrometheusProgram } from './bench/metrics-programs';
import { freePort, temporaryFolder } from './bench/temporary';

const minutes = 60_000;

let listen: string;
let prometheus: PrometheusProgram;
let gateway: string;
let collector: Awaited<ReturnType<typeof collectorProgram>>;

/** Seconds since 1970. */
const now = (): number => Date.now() / 1_000;

/** A check of one's own, whose figures have the units that a proxy does not count. */
const ownCheck = `console.log(JSON.stringify({ reason: 'all is well', figures: [
  { name: 'slowest answer', slot: 'green', value: 0.2, unit: 'seconds', max: 1 },
  { name: 'messages', slot: 'green', value: 40, unit: 'perSecond', min: 10 },
  { name: 'queue', slot: 'green', value: 3, unit: 'count', max: 50 },
] }))`;

/** Runs a real shift of the command between two fleets behind a proxy; green breaks with a tenth of the traffic. */
async function shift(): Promise<{
  readonly result: CommandResult;
  readonly from: number;
  readonly until: number;
}> {
  const world = new DemoWorld({ seed: 1, visitorsPerSecond: 100 });
  onCleanUp(() => world.stop());
  await world.start();
  const { url, adminUrl } = world.proxy;
  const preview = (slot: string) => ({ preview: { url, headers: { [previewHeader]: slot } } });
  const plan = join(temporaryFolder('metrics'), 'plan.yaml');
  const settings = {
    router: { httpProxy: { address: adminUrl } },
    slots: { blue: preview('blue'), green: preview('green') },
    weights: { green: 100 },
    shift: {
      ...{ step: [1, 10, 50], every: '4s', checkEvery: '500ms', bake: '3s', inconclusiveLimit: '1m' },
      checks: [
        {
          'httpProxy.comparison': {
            ...{ address: adminUrl, period: '1s', history: '10s', warmUp: '1s', slowAbove: '250ms' },
            synthetic: { rate: 10, before: '1s', round: '1s', timeout: '20s' },
          },
        },
        { program: { name: 'own', command: [process.execPath, '-e', ownCheck] } },
      ],
    },
    notify: [
      { prometheus: { listen, fleet: 'shop' } },
      { pushgateway: { url: `http://${gateway}`, fleet: 'shop' } },
      { openTelemetry: { endpoint: collector.url } },
    ],
  };
  writeFileSync(plan, JSON.stringify(settings));
  const from = now();
  const running = startCommand({}, 'shift', plan, '--json');
  let isOver = false;
  const end = running.result.finally(() => (isOver = true));
  await eventually('a tenth of the traffic', () => isOver || (world.proxy.weights['green'] ?? 0) >= 10, {
    within: minutes,
  });
  world.breakGreen('errors');
  const result = await end;
  return { result, from, until: now() };
}

let run: Awaited<ReturnType<typeof shift>>;

beforeAll(async () => {
  listen = `127.0.0.1:${await freePort()}`;
  gateway = await pushgatewayProgram();
  collector = await collectorProgram();
  prometheus = await prometheusProgram({ shift: listen, pushgateway: gateway });
  run = await shift();
}, 3 * minutes);

test('the shift went back, and all sinks took all that they were given', () => {
  const { status, stdout, stderr } = run.result;
  const outcome = JSON.parse(stdout);
  expect([status, outcome.verdict, stderr]).toEqual([1, 'rolledBack', expect.any(String)]);
  expect(outcome.notifications ?? []).toEqual(
    ['prometheus', 'pushgateway', 'openTelemetry'].map((name) =>
      expect.objectContaining({ sink: expect.stringContaining(name), undelivered: 0 }),
    ),
  );
});

test('Prometheus has asked the shift itself, and has seen how it ended', async () => {
  const weights = 'cluster_canary_shift_weight_ratio{job="shift",slot="green"}';
  // The last answer holds until the next one, which fails.
  const [series] = await prometheus.queryRange(weights, run.from, run.until + 2);
  expect(series!.metric).toMatchObject({ fleet: 'shop', route: 'traffic', instance: listen });
  const seen = new Set(series!.values.map(([, value]) => value));
  expect([...seen]).toEqual(expect.arrayContaining(['0', '0.1']));
  const verdict = 'last_over_time(cluster_canary_shift_verdict{job="shift"}[10m]) == 1';
  expect((await prometheus.query(verdict)).map(({ metric }) => metric['verdict'])).toEqual(['rolledBack']);
});

test.each(dashboardQueries)('the dashboard shows data: %s', async (_, { expr, instant = false }) => {
  const query = expr
    .replaceAll('$fleet', '.+')
    .replaceAll('$route', '.+')
    .replaceAll('$__rate_interval', '10s')
    .replaceAll('$__range', '10m');
  expect(query).not.toContain('$');
  const series = await eventually('series', async () => {
    const found = instant
      ? await prometheus.query(query)
      : await prometheus.queryRange(query, run.from, now());
    return found.length > 0 && found;
  });
  const values = series.flatMap((each) => each.values.map(([, value]) => Number(value)));
  expect(values.filter(Number.isNaN)).toEqual([]);
  expect(values.length).toBeGreaterThan(instant ? 0 : 3);
});

test('the variables of the dashboard offer the fleet and the route', async () => {
  const offered: Record<string, string[]> = {};
  for (const { name, query } of dashboard.templating.list) {
    const text = typeof query === 'string' ? query : query.query;
    const [, metric, label] = /^label_values\((.+), (\w+)\)$/.exec(text.replaceAll('$fleet', '.+')) ?? [];
    if (label !== undefined) {
      offered[name] = await prometheus.labelValues(label, metric!);
    }
  }
  expect(offered).toEqual({ fleet: ['shop'], route: ['traffic'] });
});

test('Prometheus understands both: no address had a wrong answer while it was there', async () => {
  const rejected = 'max_over_time(prometheus_target_scrapes_sample_duplicate_timestamp_total[10m]) > 0';
  expect(await prometheus.query(rejected)).toEqual([]);
  const targets = await prometheus.targets();
  expect(targets.find(({ job }) => job === 'pushgateway')).toMatchObject({ health: 'up', lastError: '' });
  const [up] = await prometheus.query('max_over_time(up{job="shift"}[10m])');
  expect(up!.values[0]![1]).toBe('1');
});

test('the Pushgateway keeps how it ended, in the group of the fleet and the route', async () => {
  const text = await (await fetch(`http://${gateway}/metrics`)).text();
  const pushed = text.split('\n').filter((line) => line.startsWith('cluster_canary_shift_verdict{'));
  expect(pushed.filter((line) => line.endsWith(' 1'))).toEqual([
    expect.stringMatching(/fleet="shop".*job="cluster-canary".*route="traffic".*verdict="rolledBack"/),
  ]);
  const query = 'cluster_canary_shift_verdict{job="cluster-canary"} == 1';
  const series = await eventually('series of the Pushgateway', async () => {
    const found = await prometheus.query(query);
    return found.length > 0 && found;
  });
  expect(series[0]!.metric).toMatchObject({ fleet: 'shop', route: 'traffic', verdict: 'rolledBack' });
});

test('the collector has one trace: the shift, its steps in order, answers of checks, why it went back', async () => {
  const spans = await eventually('the span of the shift', () => {
    const found = collector.spans();
    return found.some(({ parentSpanId = '' }) => parentSpanId === '') && found;
  });
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const root = spans.find(({ parentSpanId = '' }) => parentSpanId === '')!;
  const steps = spans.filter((span) => span !== root);
  expect(root).toMatchObject({ name: 'shift traffic', status: { code: 2, message: expect.any(String) } });
  expect(steps.map(({ name }) => name)).toEqual(['step 1 of 4', 'step 2 of 4', 'rollback']);
  expect(steps.map(({ status }) => status.code)).toEqual([1, 2, 1]);
  for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano } of steps) {
    expect(parentSpanId).toBe(root.spanId);
    expect(BigInt(startTimeUnixNano) >= BigInt(root.startTimeUnixNano)).toBe(true);
    expect(BigInt(endTimeUnixNano) <= BigInt(root.endTimeUnixNano)).toBe(true);
  }
  const failed = checksOf(steps[1]!).filter(({ status }) => status === 'fail');
  expect(failed.length).toBeGreaterThan(0);
  expect(failed[0]!.name).toContain('httpProxy.comparison');
  expect(steps[1]!.events?.map(({ name }) => name)).toContain('rollingBack');
});

function checksOf({ events = [] }: CollectedSpan): { name: string; status: string }[] {
  return events
    .filter(({ name }) => name === 'check')
    .map(({ attributes }) => {
      const text = (wanted: string): string =>
        (attributes.find(({ key }) => key === wanted)!.value as { stringValue: string }).stringValue;
      return { name: text('cluster_canary.check'), status: text('cluster_canary.check.status') };
    });
}

test('whatever a fleet, a route and a figure are called, the Pushgateway takes them, and deletes them at the end', async () => {
  const names = ['', '..', 'a/b', 'a\\b "c"', 'two\nlines', 'größe', '%2f', '{x="y"}'];
  const answer = answered(1);
  for (const name of names) {
    const [sink] = openSinks(
      [{ pushgateway: { url: `http://${gateway}`, deleteAtEnd: true } }],
      sinkContext('.'),
    );
    const signal = AbortSignal.timeout(10_000);
    const check = answer.type === 'checkAnswered' ? answer.check : undefined;
    const figures = [{ name, value: 1, slot: name }];
    const strange = { fleet: `strange ${name}`, route: name };
    await sink!.deliver({ ...step(0), ...strange }, signal);
    await sink!.deliver(
      { ...answer, ...strange, check: { ...check!, name, figures } } as typeof answer,
      signal,
    );
    await sink!.deliver({ ...ended(2), ...strange }, signal);
    const known = async (): Promise<number[]> => {
      const { data } = await (await fetch(`http://${gateway}/api/v1/metrics`)).json();
      const mine = data.filter(({ labels }: any) => labels.fleet === `strange ${name}`);
      return mine.flatMap((each: any) =>
        each.cluster_canary_check_figure.metrics
          .filter(({ labels }: any) => (labels.figure ?? '') === name && (labels.route ?? '') === name)
          .map(({ value }: any) => Number(value)),
      );
    };
    expect([name, await known()]).toEqual([name, [1]]);
    await sink!.close!(signal);
    expect([name, await known()]).toEqual([name, []]);
  }
  // What the shift has left is not touched.
  const left = await (await fetch(`http://${gateway}/metrics`)).text();
  expect(left).toContain('verdict="rolledBack"');
});

test('our own reader of the text agrees with the real ones about what the shift says', async () => {
  const text = await (await fetch(`http://${gateway}/metrics`)).text();
  const own = text.split('\n').filter((line) => /^(# (HELP|TYPE) )?cluster_canary_/.test(line));
  const values = valuesOf(readExposition(`${own.join('\n')}\n`), 'cluster_canary_shift_rollbacks_total');
  expect(Object.values(values)).toEqual([1]);
});
