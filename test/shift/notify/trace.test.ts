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
