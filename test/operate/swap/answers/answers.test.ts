import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  answerFor,
  boundTo,
  swapAnswerRecords,
  withAnswer,
} from '../../../../lib/operate/swap/answers/answer-record';
import type { SwapAnswerNote, SwapAnswers } from '../../../../lib/operate/swap/answers/answer-record';
import { answersIn, leftApprovals } from '../../../../lib/operate/swap/answers/answers';
import type { FileAnswer } from '../../../../lib/operate/swap/answers/answers';
import { Problems } from '../../../../lib/core/validation';
import { memoryLeaseOf } from '../../../../lib/shift/leases/memory';

const day = 24 * 3_600_000;

const now = 100 * day;

const swapA = { id: 'a', startedAt: now };

const answer = (more: Partial<SwapAnswerNote> = {}): SwapAnswerNote => ({
  phase: 'delete',
  agrees: true,
  by: 'alex@laptop',
  at: now,
  ...more,
});

const all = (...answers: readonly SwapAnswerNote[]): SwapAnswers =>
  answers.reduce<SwapAnswers>(withAnswer, { answers: [] });

const signal = new AbortController().signal;

test.each<[string, SwapAnswers, boolean | undefined]>([
  ['none', all(), undefined],
  ['to this swap', all(answer({ swap: 'a' })), true],
  ['to another swap', all(answer({ swap: 'b' })), undefined],
  ['to another phase', all(answer({ swap: 'a', phase: 'shift' })), undefined],
  ['to the next swap', all(answer()), true],
  ['to the next swap, of a week ago', all(answer({ at: now - 8 * day })), undefined],
  ['the later one', all(answer({ swap: 'a' }), answer({ swap: 'a', agrees: false, at: now + 1 })), false],
  ['the newest to the next one', all(answer({ agrees: false, at: now + 1 }), answer({ at: now })), true],
  [
    'to this one before one to the next one, by whatever clock',
    all(answer({ at: now + 300_000 }), answer({ agrees: false, swap: 'a' })),
    false,
  ],
])('an answer: %s', (_, answers, agrees) => {
  expect(answerFor(answers, { phase: 'delete', swap: 'a', now })?.agrees).toBe(agrees);
});

test('an answer to the next swap is bound to the first that asks', () => {
  const note = answer();
  const bound = boundTo(all(note, answer({ phase: 'shift' })), note, 'a');
  expect(answerFor(bound, { phase: 'delete', swap: 'a', now })).toEqual({ ...note, swap: 'a' });
  expect(answerFor(bound, { phase: 'delete', swap: 'b', now })).toBeUndefined();
  expect(answerFor(bound, { phase: 'shift', swap: 'b', now })).toBeDefined();
});

test('the newest answers are kept, with names of people of a bounded length', () => {
  const many = all(
    ...Array.from({ length: 50 }, (_, at) => answer({ swap: `s${at}`, by: 'x'.repeat(5_000) })),
  );
  expect(many.answers).toHaveLength(18);
  expect(many.answers.at(-1)).toMatchObject({ swap: 's49', by: 'x'.repeat(100) });
});

test.each<[string, object, boolean]>([
  ['answers', all(answer(), answer({ swap: 'a' })), true],
  ['a phase that there is not', { answers: [answer({ phase: 'deleted' as never })] }, false],
  ['text in place of a decision', { answers: [{ ...answer(), agrees: 'yes' }] }, false],
])('what is stored is checked: %s', (_, stored, isRight) => {
  const problems = new Problems('answers');
  swapAnswerRecords.check(stored as never, problems);
  expect(problems.all.length === 0).toBe(isRight);
});

test('what is stored and no list of answers answers nothing, and an answer writes over it', async () => {
  const written: (SwapAnswers | undefined)[] = [];
  const broken = {
    ...memoryLeaseOf(swapAnswerRecords, { holder: 'a' }),
    acquire: () => Promise.resolve({ problem: 'no JSON' }),
    look: () => Promise.resolve({ problem: 'no JSON' }),
    release: (record?: SwapAnswers) => Promise.resolve(void written.push(record)),
  };
  const store = answersIn(broken, undefined, () => now);
  expect(await store.take('delete', 'a', signal)).toBeUndefined();
  expect(written).toEqual([]);
  await store.give(answer());
  expect(written).toEqual([{ answers: [answer()] }]);
});

test('answers that wait are read in the order of phases, and nothing is bound or written', async () => {
  const lease = memoryLeaseOf(swapAnswerRecords, { holder: 'a' });
  const store = answersIn(lease, undefined, () => now);
  const phases = ['create', 'shift', 'delete'] as const;
  expect(await store.waiting({ phases }, signal)).toEqual([]);
  const [next, bound, other] = [answer(), answer({ phase: 'shift', swap: 'a' }), answer({ phase: 'soak' })];
  for (const each of [next, bound, other, answer({ phase: 'create', at: now - 8 * day })]) {
    await store.give(each);
  }
  const before = JSON.stringify(await lease.look());
  expect(await store.waiting({ phases, swap: 'a' }, signal)).toEqual([bound, next]);
  // The next swap finds those alone that are for no other one.
  expect(await store.waiting({ phases }, signal)).toEqual([next]);
  expect(JSON.stringify(await lease.look())).toBe(before);
});

test('an answer that was given is taken, once', async () => {
  const lease = memoryLeaseOf(swapAnswerRecords, { holder: 'a' });
  const store = answersIn(lease, undefined, () => now);
  expect(await store.take('delete', 'a', signal)).toBeUndefined();
  await store.give(answer());
  expect(await store.take('delete', 'a', signal)).toMatchObject({ agrees: true });
  expect(await store.take('delete', 'a', signal)).toMatchObject({ agrees: true, swap: 'a' });
  expect(await store.take('delete', 'b', signal)).toBeUndefined();
});

test('an answer to the next swap goes with it, where that one did not come to ask', async () => {
  const lease = memoryLeaseOf(swapAnswerRecords, { holder: 'a' });
  const store = answersIn(lease, undefined, () => now);
  await store.give(answer({ at: now - 2 }));
  await store.give(answer({ swap: 'a', phase: 'shift', at: now - 2 }));
  await store.drop(now - 1, signal);
  expect(await store.take('delete', 'b', signal)).toBeUndefined();
  expect(await store.take('shift', 'a', signal)).toMatchObject({ agrees: true });
  // What was said after its end is for the one after it.
  await store.give(answer());
  await store.drop(now - 1, signal);
  expect(await store.take('delete', 'b', signal)).toMatchObject({ agrees: true });
});

test.each<[string | undefined, object | undefined]>([
  [undefined, undefined],
  ['', { approvedBy: 'the file /run/go-delete' }],
  ['yes', { approvedBy: 'the file /run/go-delete' }],
  ['no', { refusedBy: 'the file /run/go-delete' }],
  ['N', { refusedBy: 'the file /run/go-delete' }],
  ['No,', { refusedBy: 'the file /run/go-delete' }],
  ['never', { refusedBy: 'the file /run/go-delete' }],
])('a file with %j', async (content, expected) => {
  const read = (path: string): FileAnswer | undefined =>
    path === '/run/go-delete' && content !== undefined ? { word: content, at: now } : undefined;
  const places = {
    store: { take: () => Promise.resolve(undefined) },
    command: () => 'c',
    files: '/run/go',
    read,
  };
  expect(await leftApprovals(places).answer('delete', swapA, signal)).toEqual(expected);
});

test('a file that is older than the swap answered another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'answers-'));
  const file = join(folder, 'go-delete');
  const store = { take: () => Promise.resolve(undefined) };
  const approvals = leftApprovals({ store, command: () => 'c', files: join(folder, 'go') });
  const answered = (startedAt: number) => approvals.answer('delete', { id: 'a', startedAt }, signal);
  try {
    writeFileSync(file, 'yes\n');
    const written = statSync(file).mtimeMs;
    expect(await answered(written - 60_000)).toEqual({ approvedBy: `the file ${file}` });
    expect(await answered(written + 60_000)).toBeUndefined();
    utimesSync(file, new Date(), new Date(written + 61_000));
    expect(await answered(written + 60_000)).toEqual({ approvedBy: `the file ${file}` });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('of a file that agrees and a command that refuses, the command counts', async () => {
  const places = { command: () => 'c', files: '/run/go', read: () => ({ word: '', at: now }) };
  const refused = { take: () => Promise.resolve(answer({ agrees: false })) };
  expect(await leftApprovals({ ...places, store: refused }).answer('delete', swapA, signal)).toEqual({
    refusedBy: 'alex@laptop',
  });
});

test('a person is told how to answer', () => {
  const store = { take: () => Promise.resolve(answer({ agrees: false })) };
  const approvals = leftApprovals({ store, command: (phase) => `swap --approve ${phase}` });
  expect(approvals.how('shift')).toBe('swap --approve shift');
  return expect(approvals.answer('delete', swapA, signal)).resolves.toEqual({ refusedBy: 'alex@laptop' });
});
