import type { CheckStatus } from '../../../lib/shift/engine';
import { shiftPlan } from '../../../lib/shift/engine';
import {
  failureIn,
  checkVerdict,
  lookFrom,
  noteUnsure,
} from '../../../lib/shift/engine/machine/check-verdict';
import { minute } from './world';

const plan = shiftPlan(['blue', 'green'], { green: 100 }, { inconclusiveLimit: '10m', checkEvery: '30s' });
const dueAt = 100 * minute;

type Results = Parameters<typeof checkVerdict>[2];
const say = (answers: Readonly<Record<string, CheckStatus>>): Results =>
  Object.entries(answers).map(([name, status]) => ({ name, status, reason: 'it says so.', figures: [] }));

const look = (own: Partial<ReturnType<typeof lookFrom>> = {}) => ({ ...lookFrom(dueAt), ...own });
const verdict = (answers: Readonly<Record<string, CheckStatus>>, minutes: number, before = look()) =>
  checkVerdict(plan, before, say(answers), dueAt + minutes * minute).verdict;

test.each<[string, Readonly<Record<string, CheckStatus>>, number, string]>([
  ['no checks, before it is due', {}, -1, 'wait'],
  ['no checks', {}, 0, 'pass'],
  ['all pass, a moment before it is due', { a: 'pass', b: 'pass' }, -1 / 60_000, 'wait'],
  ['all pass', { a: 'pass', b: 'pass' }, 0, 'pass'],
  ['one fails before it is due', { a: 'pass', b: 'fail' }, -50, 'fail'],
  ['one fails beside one that is unsure', { a: 'inconclusive', b: 'fail' }, 0, 'fail'],
  ['one is unsure', { a: 'pass', b: 'inconclusive' }, 0, 'wait'],
])('%s', (_, answers, minutes, expected) => {
  expect(verdict(answers, minutes)).toBe(expected);
});

test('who passed is remembered once it is due, and not before', () => {
  const early = checkVerdict(plan, look(), say({ a: 'pass', b: 'inconclusive' }), dueAt - 1);
  expect(early).toMatchObject({ verdict: 'wait', look: { passed: [] } });
  const first = checkVerdict(plan, look(), say({ a: 'pass', b: 'inconclusive' }), dueAt);
  expect(first).toMatchObject({
    verdict: 'wait',
    look: { passed: ['a'], unsure: [{ name: 'b', since: dueAt }] },
  });
  const again = checkVerdict(plan, look({ passed: ['a'] }), say({ a: 'pass', b: 'inconclusive' }), dueAt + 1);
  expect(again).toMatchObject({ verdict: 'wait', look: { passed: ['a'] } });
  // Flaky in turn.
  expect(verdict({ a: 'inconclusive', b: 'pass' }, 1, look({ passed: ['a'] }))).toBe('pass');
});

describe('a check that stays inconclusive', () => {
  const unsure = (minutes: number) => look({ unsure: [{ name: 'a', since: dueAt + minutes * minute }] });

  test.each([
    [0, 10 - 1 / 60_000, 'wait'],
    [0, 10, 'fail'],
    [5, 14, 'wait'],
    [5, 15, 'fail'],
    // What it said before its time does not count.
    [-30, 9, 'wait'],
    [-30, 10, 'fail'],
  ])('since minute %d, at minute %d: %s', (since, at, expected) => {
    expect(verdict({ a: 'inconclusive' }, at, unsure(since))).toBe(expected);
  });

  test('keeps the time since when it is; another one has its own, and one that answered is forgotten', () => {
    const before = look({
      unsure: [
        { name: 'a', since: dueAt },
        { name: 'gone', since: dueAt },
      ],
    });
    expect(
      checkVerdict(plan, before, say({ a: 'inconclusive', b: 'inconclusive' }), dueAt + minute),
    ).toMatchObject({
      look: {
        unsure: [
          { name: 'a', since: dueAt },
          { name: 'b', since: dueAt + minute },
        ],
      },
    });
    expect(checkVerdict(plan, before, say({ a: 'pass' }), dueAt - 1)).toMatchObject({ look: { unsure: [] } });
  });

  test('counts from a later time where there is one', () => {
    const later = { ...unsure(0), limitFrom: dueAt + 20 * minute };
    expect(verdict({ a: 'inconclusive' }, 29, later)).toBe('wait');
    expect(checkVerdict(plan, later, say({ a: 'inconclusive' }), dueAt + 30 * minute)).toEqual({
      verdict: 'fail',
      why: 'a was inconclusive for 10m, which counts as failed: it says so.',
      details: ['a: it says so.'],
      failed: ['a'],
      holds: false,
    });
  });

  test('is named, not its neighbours', () => {
    const answers = say({ b: 'pass', a: 'inconclusive' });
    expect(checkVerdict(plan, unsure(0), answers, dueAt + 10 * minute)).toMatchObject({
      why: expect.stringMatching(/^a was inconclusive/),
    });
  });
});

describe('the line of the log', () => {
  const one = (since: number, passed: readonly string[] = []) =>
    look({ unsure: [{ name: 'a', since }], passed });
  const note = (before: ReturnType<typeof look>, at: number) =>
    noteUnsure(plan, before, say({ b: 'pass', a: 'inconclusive' }), at);

  test('comes at the first look after the time, and when a check is newly unsure', () => {
    expect(note(one(dueAt - minute), dueAt - 1)).toBeUndefined();
    expect(note(one(dueAt - minute), dueAt)).toBe('Not yet: a: it says so.');
    expect(note(one(dueAt - minute), dueAt + 30_000 - 1)).toMatch(/^Not yet: a/);
    expect(note(one(dueAt - minute), dueAt + 30_000)).toBeUndefined();
    expect(note(one(dueAt + 5 * minute), dueAt + 5 * minute)).toMatch(/^Not yet: a/);
  });

  test('does not come where nobody is unsure, or the one has passed before', () => {
    expect(note(look(), dueAt)).toBeUndefined();
    expect(note(one(dueAt, ['a']), dueAt)).toBeUndefined();
  });
});

test('only those that failed are named', () => {
  expect(failureIn(say({ a: 'pass', b: 'fail', c: 'inconclusive' }))?.why).toBe('b: it says so.');
  expect(failureIn(say({ a: 'fail', b: 'pass', c: 'fail' }))).toEqual({
    why: 'a: it says so; also failed: c.',
    details: ['a: it says so.', 'c: it says so.'],
    failed: ['a', 'c'],
    holds: false,
  });
  expect(failureIn(say({ a: 'pass', b: 'inconclusive' }))).toBeUndefined();
});

test('several that say nothing yet stand in one line', () => {
  const before = look({
    unsure: [
      { name: 'a', since: dueAt },
      { name: 'b', since: dueAt },
    ],
  });
  expect(noteUnsure(plan, before, say({ a: 'inconclusive', b: 'inconclusive' }), dueAt)).toBe(
    'Not yet: a: it says so.; b: it says so.',
  );
});

test('a look that tells nothing new is the same one', () => {
  const waiting = checkVerdict(plan, lookFrom(dueAt), say({ a: 'pass' }), dueAt - 1);
  expect(waiting).toEqual({ verdict: 'wait', look: lookFrom(dueAt) });
});
