import * as fc from 'fast-check';
import type { CheckStatus, Figure, ShiftRun, ShiftSettings } from '../../../lib/shift/engine';
import { shiftFeed } from '../../../lib/shift/notify';
import type { FleetEvent } from '../../../lib/shift/notify';
import { expositionText, metrics, nextExposition, noSeries } from '../../../lib/shift/notify/exposition';
import { check, result, World } from '../engine/world';
import { answered, ended, step } from './events';
import { readExposition, valuesOf } from './read-exposition';
import type { ReadExposition } from './read-exposition';

const origin = { by: 'alex@laptop', route: 'traffic', source: 'plan.yaml' };

/** The series after each event of a real shift in simulated time. */
async function seriesOf(
  settings: ShiftSettings,
  changes: Partial<ShiftRun> = {},
): Promise<readonly (readonly [FleetEvent, ReadExposition])[]> {
  let series = noSeries;
  const seen: (readonly [FleetEvent, ReadExposition])[] = [];
  const observer = shiftFeed({
    origin,
    emit: (event) => {
      series = nextExposition(series, event);
      seen.push([event, readExposition(expositionText(series.values()))]);
    },
  });
  await new World().run(settings, { ...changes, observer });
  return seen;
}

function textOf(...events: readonly FleetEvent[]): string {
  return expositionText(events.reduce((series, event) => nextExposition(series, event), noSeries).values());
}

function withFigures(figures: readonly Figure[], status: CheckStatus = 'pass'): FleetEvent {
  const event = answered(1);
  return event.type === 'checkAnswered' ? { ...event, check: { ...event.check, status, figures } } : event;
}

test('a shift that completes: weights, steps and writes as they go, then the verdict', async () => {
  const seen = await seriesOf({ step: 50, every: '1m', bake: '1m' });
  const steps = seen.filter(([{ type }]) => type !== 'checkAnswered');
  const after = steps.map(([event, read]) => [
    event.type,
    valuesOf(read, 'cluster_canary_shift_weight_ratio'),
    valuesOf(read, 'cluster_canary_shift_step')[''],
    valuesOf(read, 'cluster_canary_shift_writes_total')['step'],
  ]);
  expect(after).toEqual([
    ['started', { blue: 1, green: 0 }, 0, 0],
    ['stepWritten', { blue: 0.5, green: 0.5 }, 1, 1],
    ['stepWritten', { blue: 0, green: 1 }, 2, 2],
    ['ended', { blue: 0, green: 1 }, 2, 2],
  ]);
  const [, first] = seen[0]!;
  const [, last] = seen.at(-1)!;
  expect(valuesOf(first, 'cluster_canary_shift_steps')).toEqual({ '': 2 });
  expect(valuesOf(first, 'cluster_canary_shift_wanted_weight_ratio')).toEqual({ blue: 0, green: 1 });
  expect(valuesOf(first, 'cluster_canary_shift_verdict')).toEqual({});
  expect(valuesOf(last, 'cluster_canary_shift_verdict')).toEqual({
    ...{ completed: 1, rolledBack: 0, held: 0, aborted: 0 },
  });
  expect(valuesOf(last, 'cluster_canary_shift_phase')).toMatchObject({ ended: 1, shifting: 0 });
  const began = valuesOf(last, 'cluster_canary_shift_start_timestamp_seconds')['']!;
  expect(began).toBe(Date.UTC(2030, 0, 1) / 1_000);
  expect(valuesOf(last, 'cluster_canary_shift_end_timestamp_seconds')['']! - began).toBe(180);
  expect(
    last.series.every(({ labels }) => labels['fleet'] === 'plan.yaml' && labels['route'] === 'traffic'),
  ).toBe(true);
});

test('a failed check: its status, its figures with bounds, and that the traffic goes back', async () => {
  const failing = check(({ live }) => ({
    ...result(live.green! > 0 ? 'fail' : 'pass'),
    figures: [
      { name: 'error share', slot: 'green', value: live.green! > 0 ? 0.5 : 0, unit: 'share', max: 0.01 },
    ],
  }));
  const seen = await seriesOf({ step: 50, every: '1m', bake: '1m' }, { checks: [failing] });
  const [, last] = seen.at(-1)!;
  expect(valuesOf(last, 'cluster_canary_check_status')).toEqual({
    ...{ 'errors pass': 0, 'errors inconclusive': 0, 'errors fail': 1 },
  });
  expect(valuesOf(last, 'cluster_canary_check_answers_total')['errors fail']).toBe(1);
  expect(valuesOf(last, 'cluster_canary_check_figure_ratio')).toEqual({ 'errors error share green': 0.5 });
  expect(valuesOf(last, 'cluster_canary_check_bound_ratio')).toEqual({
    'errors error share green max': 0.01,
  });
  expect(valuesOf(last, 'cluster_canary_check_beyond')).toEqual({ 'errors error share green': 1 });
  expect(valuesOf(last, 'cluster_canary_shift_rollbacks_total')).toEqual({ '': 1 });
  expect(valuesOf(last, 'cluster_canary_shift_writes_total')).toEqual({ step: 1, rollback: 1 });
  expect(valuesOf(last, 'cluster_canary_shift_verdict')).toMatchObject({ rolledBack: 1 });
  const back = seen.find(([{ type }]) => type === 'rollingBack')!;
  expect(valuesOf(back[1], 'cluster_canary_shift_phase')).toMatchObject({ rollingBack: 1, shifting: 0 });
});

test('phases: it waits, is paused, goes on, goes back; answers after the end change none', () => {
  const common = { ...step(1), id: 'r1/x' };
  const events: readonly FleetEvent[] = [
    { ...common, type: 'started', from: { blue: 100, green: 0 }, steps: 7 },
    { ...common, type: 'waiting', checks: [] },
    step(1),
    { ...common, type: 'paused', place: 50 },
    { ...common, type: 'resumed', place: 50 },
    { ...common, type: 'rollingBack', reason: 'it fails', failed: [] },
    { ...common, type: 'stepWritten', step: 1, steps: 7, rollback: true },
    ended(2),
    answered(3),
  ];
  const seen = events.map((_, index) => {
    const read = readExposition(textOf(...events.slice(0, index + 1)));
    const phases = Object.entries(valuesOf(read, 'cluster_canary_shift_phase'));
    expect(phases).toHaveLength(5);
    return phases.filter(([, value]) => value === 1).map(([phase]) => phase);
  });
  expect(seen.flat()).toEqual([
    ...['shifting', 'waiting', 'shifting', 'paused', 'shifting', 'rollingBack', 'rollingBack'],
    ...['ended', 'ended'],
  ]);
  const last = readExposition(textOf(...events));
  expect(valuesOf(last, 'cluster_canary_shift_verdict')).toMatchObject({ completed: 1 });
  expect(valuesOf(last, 'cluster_canary_check_answer_timestamp_seconds')).toEqual({
    targetHealth: Date.parse('2031-05-06T07:08:09.000Z') / 1_000,
  });
});

test('what is not known has no series: steps before the start, weights that can not be read', () => {
  const read = readExposition(textOf({ ...ended(1), weights: null }));
  for (const name of ['step', 'steps', 'weight_ratio', 'start_timestamp_seconds']) {
    expect([name, valuesOf(read, `cluster_canary_shift_${name}`)]).toEqual([name, {}]);
    expect(read.types).not.toHaveProperty(`cluster_canary_shift_${name}`);
  }
  expect(valuesOf(read, 'cluster_canary_shift_phase')).toMatchObject({ ended: 1 });
});

test('each unit has metrics of its own, and what a source does not know is left out', () => {
  const figures: readonly Figure[] = [
    { name: 'share', value: 0.25, unit: 'share', slot: 'green' },
    { name: 'time', value: 0.5, unit: 'seconds' },
    { name: 'rate', value: 12, unit: 'perSecond' },
    { name: 'pods', value: 3, unit: 'count', min: 2 },
    { name: 'index', value: -1.5 },
    { name: 'unknown', value: null, unit: 'share' },
    { name: 'nothing', value: NaN, unit: 'share' },
    { name: 'endless', value: Infinity, unit: 'seconds' },
    // A count is a number as well: one series has one value.
    { name: 'index', value: 4, unit: 'count' },
  ];
  const read = readExposition(textOf(withFigures(figures)));
  const shown = Object.fromEntries(
    ['_ratio', '_seconds', '_per_second', ''].map((suffix) => [
      suffix,
      valuesOf(read, `cluster_canary_check_figure${suffix}`),
    ]),
  );
  expect(shown).toEqual({
    _ratio: { 'targetHealth share green': 0.25 },
    _seconds: { 'targetHealth time ': 0.5 },
    _per_second: { 'targetHealth rate ': 12 },
    '': { 'targetHealth pods ': 3, 'targetHealth index ': -1.5 },
  });
  expect(valuesOf(read, 'cluster_canary_check_bound')).toEqual({ 'targetHealth pods  min': 2 });
});

test('a figure that its check fails by is beyond, also beside another of its name that is not', () => {
  const figures: readonly Figure[] = [
    { name: 'load', slot: 'green', value: 1.2, unit: 'share', max: 1 },
    { name: 'load', slot: 'green', value: 3, unit: 'count' },
    { name: 'load', slot: 'blue', value: 0.2, unit: 'share', max: 1 },
    { name: 'pods', value: 0, unit: 'count', failed: true },
    { name: 'jobs', value: null, unit: 'count', min: 1 },
  ];
  const read = readExposition(textOf(withFigures(figures, 'fail')));
  expect(valuesOf(read, 'cluster_canary_check_beyond')).toEqual({
    ...{ 'targetHealth load green': 1, 'targetHealth load blue': 0 },
    ...{ 'targetHealth pods ': 1, 'targetHealth jobs ': 0 },
  });
});

test('a check with thousands of figures, some of them twice, has a hundred series', () => {
  const figures = Array.from({ length: 5_000 }, (_, index): Figure => ({
    ...{ name: `pod ${Math.floor(index / 2)}`, value: index, unit: 'count' },
  }));
  const read = readExposition(textOf(withFigures(figures)));
  const values = Object.entries(valuesOf(read, 'cluster_canary_check_figure'));
  expect(values).toHaveLength(100);
  expect(values[1]).toEqual(['targetHealth pod 1 ', 2]);
});

test('routes and fleets have series of their own, also where their names look alike', () => {
  const events = [
    ['eu', undefined],
    ['us', undefined],
    ['eu', 'shop'],
  ].map(([route, fleet], index): FleetEvent => ({
    ...step(index),
    route: route!,
    ...(fleet !== undefined && { fleet }),
  }));
  const { series } = readExposition(textOf(...events));
  const info = series.filter(({ name }) => name === 'cluster_canary_shift_info');
  expect(info.map(({ labels }) => labels)).toEqual([
    { fleet: 'plan.yaml', route: 'eu' },
    { fleet: 'plan.yaml', route: 'us' },
    { fleet: 'shop', route: 'eu' },
  ]);
});

test('a second shift of a route starts anew, and counts go on', () => {
  const started: FleetEvent = {
    ...{ ...step(3), id: 'r2/1', type: 'started', from: { blue: 1, green: 99 }, steps: 5 },
  };
  const read = readExposition(textOf(step(1), ended(2), started));
  expect(valuesOf(read, 'cluster_canary_shift_verdict')).toEqual({});
  expect(valuesOf(read, 'cluster_canary_shift_end_timestamp_seconds')).toEqual({});
  expect(valuesOf(read, 'cluster_canary_shift_phase')).toMatchObject({ shifting: 1, ended: 0 });
  expect(valuesOf(read, 'cluster_canary_shift_writes_total')['step']).toBe(1);
});

test('names and labels are those that Prometheus takes, and counters alone end in _total', () => {
  for (const [name, { type, help, labels }] of Object.entries(metrics)) {
    expect(name).toMatch(/^cluster_canary_[a-z]+(_[a-z]+)*$/);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect(name).not.toMatch(/_(count|sum|bucket)$/);
    expect(help).toMatch(/^[A-Z][^\n\\]*\.$/);
    expect(new Set([...labels, 'fleet', 'route']).size).toBe(labels.length + 2);
  }
});

test('whatever names and values are: the text is read back as it was meant', () => {
  const name = fc.oneof(
    fc.fullUnicodeString(),
    fc.stringOf(fc.constantFrom('\\', '"', '\n', 'n', ',', '}', ' ')),
  );
  const figure = fc.record({
    name,
    slot: name,
    value: fc.oneof(fc.double(), fc.constant(null)),
    unit: fc.constantFrom('share' as const, 'count' as const, undefined),
  });
  fc.assert(
    fc.property(name, name, fc.array(figure, { maxLength: 20 }), (fleet, route, given) => {
      const figures = given.map(({ unit, ...rest }): Figure => ({ ...rest, ...(unit && { unit }) }));
      const read = readExposition(textOf({ ...withFigures(figures), fleet, route }));
      for (const { labels } of read.series) {
        expect([labels['fleet'], labels['route']]).toEqual([fleet, route]);
      }
      const shares = read.series.filter((each) => each.name === 'cluster_canary_check_figure_ratio');
      const known = figures.filter(({ unit }) => unit === 'share');
      const first = new Map<string, number | null>();
      known.forEach(({ name: called, slot, value }) => {
        const key = JSON.stringify([called, slot]);
        first.set(key, first.has(key) ? first.get(key)! : value);
      });
      const wanted = [...first].filter(([, value]) => value !== null && Number.isFinite(value));
      expect(
        shares.map(({ labels, value }) => [JSON.stringify([labels['figure'], labels['slot']]), value]),
      ).toEqual(wanted.map(([key, value]) => [key, value === 0 ? 0 : value]));
    }),
  );
});
