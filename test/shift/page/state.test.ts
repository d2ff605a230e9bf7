import type { CheckRecord, ShiftActivity, ShiftOutcome } from '../../../lib/shift/engine';
import { drawn, nothingSoFar, withNews } from '../../../lib/shift/page/so-far';
import { possible, situationOf } from '../../../lib/shift/page/state';
import { progress, start } from './request';

const at = new Date(start).toISOString();
const check = (more: Partial<CheckRecord> = {}): CheckRecord => ({
  ...{ at, name: 'errors', stage: 'after', status: 'inconclusive', reason: 'few requests', figures: [] },
  ...more,
});
const outcome: ShiftOutcome = {
  ...{
    schemaVersion: 1,
    verdict: 'completed',
    reason: 'Done.',
    from: { a: 100 },
    to: { a: 0 },
    final: { a: 0 },
  },
  ...{ startedAt: at, endedAt: at, writes: [], checks: [], log: [] },
};

test.each<[ShiftActivity, boolean, boolean]>([
  ['starting', false, false],
  ['preparing', true, true],
  ['writing', true, true],
  ['standing', true, true],
  ['baking', false, true],
  ['paused', false, true],
  ['rollingBack', false, false],
  ['ending', false, false],
])('%s: hold %s, back %s', (activity, hold, rollBack) => {
  const soFar = { ...nothingSoFar(at), progress: progress({ activity }) };
  expect(possible(soFar)).toEqual({ hold, rollBack });
  expect(possible({ ...soFar, outcome })).toEqual({ hold: false, rollBack: false });
});

test.each([
  [{ activity: 'standing' }, '● Step 2 of 7', 'Live: blue 98, green 2', start + 80_000],
  [{ activity: 'standing', standsUntil: start + 500 }, '● Step 2 of 7', 'Live: blue 98, green 2', undefined],
  [{ activity: 'preparing' }, '● Step 2 of 7', 'Checks are asked before step 3', undefined],
  [{ activity: 'baking' }, '● Bakes', 'All of it has moved: blue 98, green 2', start + 80_000],
  [{ activity: 'paused', pausedAt: 50 }, '⏸ Paused', 'It waits for a person at 50 % of the way', undefined],
  [
    { activity: 'paused', pausedAt: 5, heldBy: 'kim' },
    '⏸ On hold',
    'kim holds it at 5 % of the way',
    undefined,
  ],
  [{ activity: 'rollingBack', rollbackReason: 'green: bad.\nMore' }, '↩ Goes back', 'green: bad', undefined],
  [{ steps: 0 }, '● Begins', 'The live weights are read', undefined],
] as const)('%j', (so, word, sentence, until) => {
  const { word: shown, sentence: said, until: time } = situationOf(progress(so), start);
  expect([shown, said, time]).toEqual([word, sentence, until]);
});

test('what it waits for is named once its time is over', () => {
  const late = progress({ checks: [check(), check({ name: 'slow', status: 'pass' })], standsUntil: start });
  expect(situationOf(late, start)).toMatchObject({
    more: ['Waits for the checks to pass: errors.'],
    tone: 'waiting',
  });
  expect(situationOf({ ...late, standsUntil: start + 1 }, start).more).toEqual([]);
  const before = progress({ activity: 'preparing', checks: [check({ stage: 'before' })] });
  expect(situationOf(before, start).more).toEqual(['Waits for the checks to pass: errors.']);
});

test('news are added, the newest kept, and the end is the whole', () => {
  let soFar = nothingSoFar(at);
  expect(drawn(soFar, start)).toBeUndefined();
  soFar = withNews(soFar, { type: 'progress', progress: progress() }, at);
  for (let count = 0; count < 2_500; count += 1) {
    soFar = withNews(soFar, { type: 'checked', check: check({ reason: String(count) }) }, at);
  }
  expect([soFar.checks.length, soFar.checks.at(-1)!.reason]).toEqual([2_000, '2499']);
  expect(drawn(soFar, start + 5_000)).toMatchObject({
    ...{ from: { blue: 100, green: 0 }, to: { blue: 0, green: 100 }, final: null },
    endedAt: new Date(start + 5_000).toISOString(),
  });
  soFar = withNews(soFar, { type: 'ended', outcome }, at);
  expect(drawn(soFar, start)).toEqual(outcome);
  const again = withNews(soFar, { type: 'progress', progress: progress() }, at);
  expect([again.outcome, again.checks]).toEqual([undefined, []]);
});
