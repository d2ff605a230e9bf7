import type { PhaseApproval, SwapAction } from '../../../../lib/operate/swap';
import { hour, minute, planOf, playWell, seenOf, t0 } from './plans';
import type { Fed } from './plans';

const blue = seenOf({ blue: ['1.35', 100] });
const tenMinutes = { timeoutMs: 10 * minute } as const;

function planWith(
  onTimeout: PhaseApproval['onTimeout'],
  windows?: Parameters<typeof planOf>[0],
): ReturnType<typeof planOf> {
  return planOf(windows, { delete: { approval: { ...tenMinutes, onTimeout } } });
}

const silent = (action: SwapAction): Fed | undefined =>
  action.type === 'ask' ? { type: 'notAnswered' } : undefined;

test('a person agrees: the record says who', () => {
  const { played, done } = playWell(planWith('hold'), blue);
  expect(done.slice(-2)).toEqual(['ask delete', 'deploy delete']);
  expect(played.state.record!.done.at(-1)).toMatchObject({ phase: 'delete', approvedBy: 'bo' });
  expect(played.state.record).not.toHaveProperty('askedAt');
  expect(played.state.record).not.toHaveProperty('approvedBy');
});

test('a person who refuses after an approval, while it looks, is heard', () => {
  let asked = 0;
  const { played, done } = playWell(planWith('hold'), blue, {}, ({ type }) => {
    if (type !== 'ask') {
      return undefined;
    }
    asked += 1;
    return asked === 1 ? { type: 'approved', approvedBy: 'bo' } : { type: 'refused', refusedBy: 'kim' };
  });
  expect([asked, done.includes('deploy delete')]).toEqual([2, false]);
  expect(played.state.end).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining('kim refuses delete.'),
  });
});

test('what was agreed to does not begin while it can not be read whether that still holds', () => {
  let asked = 0;
  const { done, played } = playWell(planWith('hold'), blue, {}, ({ type }) => {
    if (type !== 'ask') {
      return undefined;
    }
    asked += 1;
    return asked === 2 ? { type: 'notAnswered', isUnread: true } : { type: 'approved', approvedBy: 'bo' };
  });
  expect(done.filter((text) => text === 'ask delete')).toHaveLength(4);
  expect(played.state.end!.verdict).toBe('completed');
});

test('a person refuses: it goes back, although the old cluster has been drained', () => {
  const { played, seen, done } = playWell(planWith('hold'), blue, {}, ({ type }) =>
    type === 'ask' ? { type: 'refused', refusedBy: 'bo' } : undefined,
  );
  expect(done.slice(-6)).toEqual([
    'ask delete',
    'run drain blue back',
    'deploy drain back',
    'run deliver blue back',
    'run prescale blue back',
    'deploy shift back',
  ]);
  expect(played.state.end).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining('bo refuses delete.'),
  });
  expect(seen).toEqual(seenOf({ blue: ['1.35', 100], green: ['1.36', 0] }));
});

test.each<[PhaseApproval['onTimeout'], verdict: string, last: string]>([
  ['hold', 'held', 'ask delete'],
  ['back', 'rolledBack', 'deploy shift back'],
  ['goOn', 'completed', 'deploy delete'],
])('nobody answers, and the plan says %s', (onTimeout, verdict, last) => {
  const { played, done } = playWell(planWith(onTimeout), blue, {}, silent);
  // Every ten seconds, from the first time on to the last moment; once more before it begins.
  expect(done.filter((text) => text === 'ask delete')).toHaveLength(onTimeout === 'goOn' ? 62 : 61);
  expect(done.at(-1)).toBe(last);
  expect(played.state.end!.verdict).toBe(verdict);
});

test('a run after one that nobody answered asks anew', () => {
  const { played, seen } = playWell(planWith('hold'), blue, {}, silent);
  expect(played.state.record).not.toHaveProperty('askedAt');
  const again = playWell(planWith('hold'), seen, { record: played.state.record! });
  expect(again.done).toEqual(['ask delete', 'ask delete', 'deploy delete']);
});

test('a run that goes on asks on: the time counts from the first question', () => {
  const first = playWell(planWith('back'), blue, { waits: false }, silent);
  expect(first.played.state.end).toMatchObject({ verdict: 'held', again: t0 + 10_000 });
  const record = { ...first.played.state.record!, askedAt: t0 - 10 * minute };
  const late = playWell(planWith('back'), first.seen, { record }, silent);
  expect(late.done[0]).toBe('ask delete');
  expect(late.done.filter((text) => text === 'ask delete')).toHaveLength(1);
  expect(late.played.state.end!.verdict).toBe('rolledBack');
  // An answer that came while no run was there counts.
  const answered = playWell(planWith('back'), first.seen, { record });
  expect(answered.played.state.end!.verdict).toBe('completed');
});

test('what could not be read is no silence: it does not go on before it can be read', () => {
  let asked = 0;
  const { played, done } = playWell(planWith('goOn'), blue, {}, (action) => {
    asked += action.type === 'ask' ? 1 : 0;
    return action.type !== 'ask'
      ? undefined
      : // For a minute longer than a person has.
        asked < 67
        ? { type: 'notAnswered', isUnread: true }
        : { type: 'refused', refusedBy: 'bo' };
  });
  expect(asked).toBe(67);
  expect(done).not.toContain('deploy delete');
  expect(played.state.end!.verdict).toBe('rolledBack');
});

/** Monday from 10:00 to 11:00 in UTC: `t0` is its first minute. */
const windows = [{ days: [1], from: 600, to: 660, timeZone: 'UTC' }];

test('a phase that changes something waits for a window', () => {
  const { done, played } = playWell(planOf({ windows: [{ ...windows[0]!, from: 630 }] }), blue);
  expect(done.slice(0, 3)).toEqual(['run ready green', 'wait window', 'deploy create']);
  expect(played.actions).toContainEqual({ type: 'wait', why: 'window', until: t0 + hour / 2 });
});

test('an approval after the window waits for the next one', () => {
  const plan = planWith('hold', { windows });
  const { done, played } = playWell(plan, blue, {}, (action) =>
    action.type === 'ask' ? { type: 'approved', approvedBy: 'bo', at: t0 + 2 * hour } : undefined,
  );
  expect(done.slice(-2)).toEqual(['ask delete', 'deploy delete']);
  expect(played.state.record!.done.at(-1)).toMatchObject({ approvedBy: 'bo' });
});

test.each<[string, Parameters<typeof planOf>, reason: string, again: number]>([
  ['a window', [{ windows: [{ ...windows[0]!, from: 630 }] }], 'create may begin in a window', t0 + hour / 2],
  [
    'a person',
    [{}, { create: { approval: { ...tenMinutes, onTimeout: 'hold' } } }],
    'create waits until a person agrees',
    t0 + 10_000,
  ],
  ['a soak', [{}, { soak: { leastMs: hour } }], 'soak goes on for 1h', t0 + 5 * minute],
])('a run that is not to wait for %s ends, and says when to run it again', (_, plan, reason, again) => {
  const { played, done } = playWell(planOf(...plan), blue, { waits: false }, silent);
  expect(done.filter((text) => text.startsWith('wait'))).toEqual([]);
  expect(played.state.end).toMatchObject({ verdict: 'held', again, reason: expect.stringContaining(reason) });
});

test('a soak that one run begins and the next one ends lasts as long as it has to', () => {
  const plan = planOf({}, { soak: { leastMs: hour } });
  const first = playWell(plan, blue, { waits: false });
  const record = first.played.state.record!;
  const early = playWell(plan, first.seen, { record, waits: false });
  expect(early.done).toEqual(['run soak green']);
  const due = { ...record, phaseStartedAt: t0 - hour };
  expect(playWell(plan, first.seen, { record: due, waits: false }).played.state.end!.verdict).toBe(
    'completed',
  );
});

test('retries are waited for in any case', () => {
  let tries = 0;
  const { played, done } = playWell(planOf(), blue, { waits: false }, (action) =>
    action.type === 'run' && action.phase === 'deliver' && tries++ < 2
      ? { type: 'notPassed', reason: 'not yet', final: false }
      : undefined,
  );
  expect(done.filter((text) => text === 'wait retry')).toHaveLength(2);
  expect(played.state.end!.verdict).toBe('completed');
});

test('windows that never open hold it', () => {
  const { played } = playWell(planOf({ windows: [{ ...windows[0]!, days: [] }] }), blue);
  expect(played.state.end).toMatchObject({
    verdict: 'held',
    reason: expect.stringContaining('None of the windows ever opens'),
  });
});
