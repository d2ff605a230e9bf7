import * as fc from 'fast-check';
import type { CheckStatus, ShiftRun, ShiftSettings } from '../../../lib/shift/engine';
import { shiftFeed } from '../../../lib/shift/notify';
import type { FleetEvent } from '../../../lib/shift/notify';
import { nextTrace, noTrace } from '../../../lib/shift/notify/trace';
import type { TraceCall } from '../../../lib/shift/notify/trace';
import { check, result, World } from '../engine/world';

const origin = { by: 'alex@laptop', route: 'traffic', source: 'plan.yaml' };

async function callsOf(
  settings: ShiftSettings,
  changes: Partial<ShiftRun> = {},
): Promise<readonly TraceCall[]> {
  let state = noTrace;
  const calls: TraceCall[] = [];
  const emit = (event: FleetEvent): void => {
    const [next, more] = nextTrace(state, event);
    state = next;
    calls.push(...more);
  };
  await new World().run(settings, { ...changes, observer: shiftFeed({ origin, emit }) });
  expect(state).toEqual(noTrace);
  return calls;
}

const lines = (calls: readonly TraceCall[]): string[] =>
  calls
    .filter((call) => !(call.type === 'note' && call.name === 'check'))
    .map((call) => {
      const fate = call.type === 'end' ? (call.error ?? (call.isOk === true ? 'ok' : 'unset')) : call.name;
      return `${call.type} ${call.span}: ${fate}`;
    });

test('a shift that completes', async () => {
  const calls = await callsOf({ step: 50, every: '1m', bake: '1m' });
  expect(lines(calls)).toEqual([
    'start shift: shift traffic',
    'note shift: started',
    'start step: step 1 of 2',
    'end step: ok',
    'start step: step 2 of 2',
    'end step: ok',
    'end shift: ok',
  ]);
  expect(calls[0]).toMatchObject({
    attributes: {
      'cicd.pipeline.run.id': expect.stringMatching(/^20300101T000000Z-/),
      'cluster_canary.by': 'alex@laptop',
    },
  });
  expect(calls.at(-1)).toMatchObject({
    attributes: { 'cluster_canary.verdict': 'completed', 'cluster_canary.final.green': 100 },
  });
});

test('a check that fails is an event of its step, whose span has the reason of the rollback', async () => {
  const failing = check(({ live }) => ({
    ...result(live.green! > 0 ? 'fail' : 'pass', 'green: 12 of 90 requests failed'),
    figures: [{ name: 'error share', slot: 'green', value: 12 / 90, unit: 'share', max: 0.01 }],
  }));
  const calls = await callsOf({ step: 50, every: '1m', bake: '1m' }, { checks: [failing] });
  const reason = expect.stringContaining('green: 12 of 90 requests failed');
  expect(lines(calls)).toEqual([
    'start shift: shift traffic',
    'note shift: started',
    'start step: step 1 of 2',
    'note step: rollingBack',
    expect.stringMatching(/^end step: .*12 of 90 requests failed/),
    'start step: rollback',
    'end step: ok',
    expect.stringMatching(/^end shift: .*12 of 90 requests failed/),
  ]);
  expect(calls.filter((call) => call.type === 'note' && call.name === 'check').at(-1)).toMatchObject({
    span: 'step',
    attributes: {
      'cluster_canary.check': 'errors',
      'cluster_canary.check.status': 'fail',
      'cluster_canary.check.reason': reason,
      'cluster_canary.check.figures': ['error share of green 13.33 % (at most 1 %)'],
    },
  });
});

test('a run that can not begin has a span alone, which says why', () => {
  const event: FleetEvent = {
    ...{ schemaVersion: 1, id: 'r/1', shift: 'r', at: '2030-01-01T00:00:00.000Z', ...origin },
    ...{ weights: null, wanted: {}, type: 'ended', verdict: 'aborted', reason: 'No right.\nGrant it.' },
    ...{ from: null, startedAt: '2030-01-01T00:00:00.000Z', writes: 0, failed: [] },
  };
  const [state, calls] = nextTrace(noTrace, event);
  expect([state, lines(calls)]).toEqual([noTrace, ['start shift: shift traffic', 'end shift: No right.']]);
});

const known = {
  schemaVersion: 1,
  shift: 'r',
  at: '2030-01-01T00:00:00.000Z',
  weights: { blue: 90, green: 10 },
  wanted: { blue: 0, green: 100 },
  ...origin,
} as const;

test('what else happens is an event in words, where it happens', () => {
  const events: readonly FleetEvent[] = [
    { ...known, id: 'r/1', fleet: 'shop', type: 'started', from: { blue: 100, green: 0 }, steps: 2 },
    { ...known, id: 'r/2', type: 'waiting', checks: [] },
    { ...known, id: 'r/3', type: 'stepWritten', step: 1, steps: 2 },
    { ...known, id: 'r/4', type: 'paused', place: 50 },
    { ...known, id: 'r/5', type: 'resumed', place: 50, by: 'sam' },
  ];
  let state = noTrace;
  const calls = events.flatMap((event) => {
    const [next, more] = nextTrace(state, event);
    state = next;
    return more;
  });
  expect(state).toEqual({ open: ['shift', 'step'] });
  expect(calls.map((call) => [call.span, call.type === 'end' ? '' : call.name])).toEqual([
    ...[
      ['shift', 'shift traffic'],
      ['shift', 'started'],
      ['shift', 'waiting'],
    ],
    ...[
      ['step', 'step 1 of 2'],
      ['step', 'paused'],
      ['step', 'resumed'],
    ],
  ]);
  expect(calls.map((call) => call.attributes)).toEqual([
    {
      ...{ 'cicd.pipeline.name': 'traffic', 'cicd.pipeline.run.id': 'r', 'cluster_canary.route': 'traffic' },
      ...{ 'cluster_canary.source': 'plan.yaml', 'cluster_canary.by': 'alex@laptop' },
      'cluster_canary.fleet': 'shop',
    },
    {
      ...{ 'cluster_canary.from.blue': 100, 'cluster_canary.from.green': 0, 'cluster_canary.steps': 2 },
      ...{ 'cluster_canary.wanted.blue': 0, 'cluster_canary.wanted.green': 100 },
    },
    { 'cluster_canary.text': 'Waits for .' },
    {
      ...{ 'cluster_canary.step': 1, 'cluster_canary.steps': 2 },
      ...{ 'cluster_canary.weight.blue': 90, 'cluster_canary.weight.green': 10 },
    },
    { 'cluster_canary.text': 'Paused at 50 % of the way.' },
    { 'cluster_canary.text': 'Continues beyond 50 % of the way: sam agrees.' },
  ]);
});

test('a shift that is held has gone neither well nor wrong', () => {
  const [, calls] = nextTrace(noTrace, {
    ...{ ...known, id: 'r/1', type: 'ended', verdict: 'held', reason: 'Held.', from: null },
    ...{ startedAt: known.at, writes: 0, failed: [] },
  });
  expect(lines(calls)).toEqual(['start shift: shift traffic', 'end shift: unset']);
});

test('whatever checks answer: each span starts and ends once, a step within its shift, and notes are in an open span', async () => {
  const status = fc.constantFrom<CheckStatus>('pass', 'pass', 'pass', 'inconclusive', 'fail');
  await fc.assert(
    fc.asyncProperty(fc.array(status, { maxLength: 30 }), async (answers) => {
      const given = [...answers];
      const calls = await callsOf(
        { step: 25, every: '1m', bake: '1m', inconclusiveLimit: '5m' },
        { checks: [check(() => given.shift() ?? 'pass', ['before', 'after'])] },
      );
      const open: string[] = [];
      for (const { type, span } of calls) {
        if (type === 'start') {
          expect(open).toEqual(span === 'shift' ? [] : ['shift']);
          open.push(span);
        } else if (type === 'end') {
          expect(open.pop()).toBe(span);
        } else {
          expect(open.at(-1)).toBe(span);
        }
      }
      expect(open).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
