import type { SwapPlan, SwapRecord, SwapSeen } from '../../../../lib/operate/swap';
import { planOf, playWell, seenOf, t0 } from './plans';

const blue = seenOf({ blue: ['1.35', 100] });

describe('after a swap that went back', () => {
  /** The record of a swap whose try has failed. */
  const wentBack = (): SwapRecord => {
    const { played } = playWell(planOf(), blue, {}, (action) =>
      action.type === 'run' && action.phase === 'try'
        ? { type: 'notPassed', reason: 'errors', final: true }
        : undefined,
    );
    return played.state.record!;
  };
  const kept = seenOf({ blue: ['1.35', 100], green: ['1.36', 0] });

  test('a run begins no other one as it was, and says how', () => {
    const record = wentBack();
    const { played, done } = playWell(planOf(), kept, { record, id: 'swap-2' });
    expect(done).toEqual([]);
    expect(played.actions.map(({ type }) => type)).toEqual(['look', 'log']);
    expect(played.state.end).toEqual({
      verdict: 'rolledBack',
      unchanged: true,
      reason: `Swap swap-1 from blue (1.35) to green (1.36) went back at ${new Date(t0).toISOString()}: try has not passed: errors
It does not begin again by itself: run it with --retry. Nothing was changed.`,
    });
  });

  test.each<[what: string, plan: Partial<SwapPlan>, seen: SwapSeen, start: { retry?: true }]>([
    ['somebody retries it', {}, kept, { retry: true }],
    ['the plan has another version', { versions: ['1.37'] }, blue, {}],
    ['the plan has other settings', { versions: [{ version: '1.36', nodes: 3 }] }, blue, {}],
    ['the old cluster has another version', {}, seenOf({ blue: ['1.34', 100] }), {}],
  ])('another one begins where %s', (_, plan, seen, start) => {
    const { played } = playWell(planOf(plan), seen, { record: wentBack(), id: 'swap-2', ...start });
    expect(played.state.record).toMatchObject({ id: 'swap-2', ended: { verdict: 'completed' } });
  });

  test('what a person has begun since is taken over', () => {
    const half = seenOf({ blue: ['1.35', 60], green: ['1.36', 40] });
    const { done } = playWell(planOf(), half, { record: wentBack(), id: 'swap-2', adopt: true });
    expect(done[0]).toBe('deploy shift');
  });

  test('one that was given up by --forget on its way back is one', () => {
    const record: SwapRecord = { ...wentBack(), ended: { at: t0, verdict: 'forgotten' } };
    expect(playWell(planOf(), kept, { record, id: 'swap-2' }).played.state.end).toMatchObject({
      verdict: 'rolledBack',
      unchanged: true,
    });
  });

  test('one that was given up by --forget on its way forward is no such swap', () => {
    const { back: _, ...forward } = wentBack();
    const record: SwapRecord = { ...forward, ended: { at: t0, verdict: 'forgotten' } };
    expect(playWell(planOf(), kept, { record, id: 'swap-2' }).done[0]).toBe('run ready green');
  });
});
