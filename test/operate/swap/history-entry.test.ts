import { swapHistory, unfinishedSwap } from '../../../lib/operate/swap';
import type { SwapRecord } from '../../../lib/operate/swap';
import { longestRecord, record } from './records';

const apps = { fleet: 'apps', region: 'eu-west-1' };
const hour = 3_600_000;
const support = { '1.35': 'extended', '1.36': 'standard' } as const;

const phase = (name: 'create' | 'delete', from: number, to: number, verdict = 'passed') =>
  ({ phase: name, startedAt: from * hour, endedAt: to * hour, verdict }) as SwapRecord['done'][number];
const ended = (
  verdict: 'completed' | 'rolledBack' | 'forgotten',
  done = [phase('create', 1, 2)],
): SwapRecord => ({
  ...record,
  done,
  ended: { at: 25 * hour, verdict },
});

test('a swap that has not ended is no history, and an ended one does not run', () => {
  expect(swapHistory(record, apps)).toBeUndefined();
  expect(unfinishedSwap(ended('completed'), apps)).toBeUndefined();
  const stopped = { at: 2_000, by: 'kim', verdict: 'held', reason: 'drain has not passed' } as const;
  expect(unfinishedSwap({ ...record, stopped }, apps)).toMatchObject({ stopped: 'drain has not passed' });
  expect(unfinishedSwap({ ...record, back: { why: 'w', then: 'keep', step: 'shift' } }, apps)).toMatchObject({
    ...{ kind: 'swap', ...apps, verdict: 'unfinished', phase: 'shift', why: 'w' },
    phases: [{ phase: 'ready' }, { phase: 'create', approvedBy: 'kim' }],
  });
});

test('an ended swap: who, what, when, phases and approvals', () => {
  expect(swapHistory({ ...record, ended: { at: 9_000, verdict: 'completed' } }, apps)).toEqual({
    ...{ id: record.id, kind: 'swap', ...apps, by: 'alex@laptop', startedAt: 1_000, endedAt: 9_000 },
    old: { name: 'blue', version: '1.35' },
    new: { name: 'green', version: '1.36' },
    verdict: 'completed',
    phases: record.done,
    cost: { hours: 0 },
  });
  expect(swapHistory(longestRecord(), apps)).toMatchObject({
    why: expect.any(String),
    phases: { length: 18 },
  });
});

test.each([
  ['completed: the old control plane was one too many', ended('completed'), 60],
  ['rolled back: the new one was', ended('rolledBack'), 10],
  ['forgotten: the new one was', ended('forgotten'), 10],
])('%s', (_what, swap, centsAnHour) => {
  expect(swapHistory(swap, apps, support)!.cost).toEqual({ hours: 24, centsAnHour });
});

test.each([
  ['a version that EKS does not know', {}],
  ['a version without support', { '1.35': 'none' }],
] as const)('%s has hours and no price', (_what, known) => {
  expect(swapHistory(ended('completed'), apps, known)!.cost).toEqual({ hours: 24 });
});

test('where no cluster was made, there is no cost', () => {
  expect(swapHistory(ended('rolledBack', []), apps, support)).not.toHaveProperty('cost');
});
