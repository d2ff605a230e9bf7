import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { CheckRecord, ShiftOutcome } from '../../../lib/shift/engine';
import { Problems } from '../../../lib/core/validation/problems';
import type { InvalidInput } from '../../../lib/core/validation/problems';
import { memoryLeaseOf } from '../../../lib/shift/leases/memory';
import { newAnswers, shiftAnswerRecords, withAnswer } from '../../../lib/shift/watch/answer-record';
import type { ShiftAnswer } from '../../../lib/shift/watch/answer-record';
import { followShift, giveAnswer, outcomeOf } from '../../../lib/shift/watch/follow';
import { shiftStatusRecords, statusOf } from '../../../lib/shift/watch/status-record';
import { WatchedRun } from '../../../lib/shift/watch/watched-run';
import { progress, start } from '../page/request';

const times = { writeEvery: 5, readEvery: 5, callTimeout: 200 };
const at = new Date(start).toISOString();
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
const answer = (more: Partial<ShiftAnswer> = {}): ShiftAnswer => ({
  what: 'hold',
  by: 'kim',
  at: 1,
  shift: start,
  ...more,
});

function world() {
  const [status, answers] = [{}, {}];
  const open = (holder: string) => ({
    status: memoryLeaseOf(shiftStatusRecords, { memory: status, holder }),
    answers: memoryLeaseOf(shiftAnswerRecords, { memory: answers, holder }),
  });
  const heard: ShiftAnswer[] = [];
  const said: string[] = [];
  const start = (stores = open('run')): WatchedRun =>
    new WatchedRun({ stores, times, onAnswer: (each) => heard.push(each), say: (line) => said.push(line) });
  return { open, start, heard, said };
}

test('another machine sees each step and the end, and is heard once', async () => {
  const { open, start: begin, heard, said } = world();
  const run = begin();
  const seen: string[] = [];
  run.observer.progress!(progress());
  const controller = new AbortController();
  const followed = followShift(
    open('watcher').status,
    { observer: { written: ({ weights }) => seen.push(JSON.stringify(weights)) }, say: () => {}, everyMs: 5 },
    controller.signal,
  );
  await sleep(60);
  await giveAnswer(open('watcher').answers, answer());
  await sleep(60);
  await giveAnswer(open('watcher').answers, answer({ what: 'rollBack', shift: 5, at: 2 }));
  run.observer.progress!(progress({ weights: { blue: 95, green: 5 } }));
  await sleep(60);
  run.observer.progress!(progress({ weights: { blue: 0, green: 100 }, verdict: 'completed' }));
  run.observer.ended!(outcome);
  await run.end();
  await expect(followed).resolves.toMatchObject({ verdict: 'completed', reason: 'Done.' });
  expect(seen).toEqual(['{"blue":98,"green":2}', '{"blue":95,"green":5}', '{"blue":0,"green":100}']);
  expect([heard, said]).toEqual([[answer()], []]);
});

test('who joins late reads how often it has written, when, and since when it waits', async () => {
  const { open, start: begin } = world();
  const run = begin();
  const [at, later] = ['2031-05-06T07:08:09.000Z', '2031-05-06T07:09:00.000Z'];
  run.observer.written!({ at: '2031-05-06T07:00:00.000Z', weights: { blue: 99, green: 1 } });
  run.observer.written!({ at, weights: { blue: 98, green: 2 } });
  for (const now of [later, '2031-05-06T08:00:00.000Z']) {
    run.observer.progress!(progress({ activity: 'paused', pausedAt: 10, at: Date.parse(now) }));
  }
  await sleep(60);
  const soFarNow = async () => (await open('watcher').status.look())?.record?.soFar;
  const written = { writes: 2, writtenAt: Date.parse(at) };
  expect(await soFarNow()).toEqual({ ...written, pausedSince: Date.parse(later) });
  run.observer.progress!(progress());
  run.observer.ended!(outcome);
  await run.end();
  expect(await soFarNow()).toEqual(written);
});

test('answers that were there before the run are none of it; later ones are, once', async () => {
  const { open, start: begin, heard } = world();
  await giveAnswer(open('watcher').answers, answer());
  const run = begin();
  run.observer.progress!(progress());
  await sleep(60);
  await giveAnswer(open('watcher').answers, answer({ what: 'continue', place: 10, at: 3 }));
  await sleep(60);
  await run.close();
  expect(heard).toEqual([answer({ what: 'continue', place: 10, at: 3 })]);
});

test('a store that fails or hangs is said once, and holds nothing up', async () => {
  const { start: begin, said } = world();
  const broken = memoryLeaseOf(shiftStatusRecords);
  const hangs = new Promise<never>(() => {});
  const run = begin({
    status: { ...broken, acquire: () => Promise.reject(new Error('no right')) },
    answers: { ...memoryLeaseOf(shiftAnswerRecords), look: () => hangs },
  });
  run.observer.progress!(progress());
  await sleep(300);
  await run.end();
  expect(said).toEqual([
    'warning: this shift can not be watched: no right',
    expect.stringMatching(/^warning: this shift does not hear what other machines ask: .*0\.2/),
  ]);
});

test('what is read of others is a status, or refused', () => {
  const problems = (value: any): readonly unknown[] => {
    const found = new Problems('x');
    shiftStatusRecords.check(value, found);
    try {
      found.throwIfAny();
      return [];
    } catch (error) {
      return (error as InvalidInput).problems;
    }
  };
  const check: CheckRecord = {
    at,
    name: 'a',
    stage: 'after',
    status: 'pass',
    reason: 'b'.repeat(900),
    figures: [{ name: 'x', value: 1 }],
  };
  const many = progress({
    checks: Array.from({ length: 30 }, () => check),
    rollbackReason: 'c'.repeat(5_000),
  });
  const status = JSON.parse(JSON.stringify(statusOf(many, outcome)));
  expect(problems(status)).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(4_096);
  expect(problems({ ...status, more: 1, progress: { ...status.progress, more: 1 } })).toEqual([]);
  expect(problems({ progress: { ...status.progress, weights: { blue: 101 } } })).toHaveLength(1);
  expect(problems({ progress: { ...status.progress, activity: 'flies' } })).toHaveLength(1);
  fc.assert(fc.property(fc.object(), (value) => void problems(value)));
});

test('ten answers are kept, those to earlier shifts go, and each is new once', () => {
  let all = { answers: [answer({ shift: 5 })] as readonly ShiftAnswer[] };
  for (let count = 0; count < 15; count += 1) {
    all = withAnswer(all, answer({ at: count, by: 'k'.repeat(150) }));
  }
  expect(all.answers.map((each) => each.at)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  expect(all.answers[0]!.by).toHaveLength(100);
  const known = new Set<string>();
  expect(newAnswers(all, start, known)).toHaveLength(10);
  expect(newAnswers(withAnswer(all, answer({ at: 99 })), start, known)).toMatchObject([{ at: 99 }]);
  expect(newAnswers(all, start + 1, new Set())).toEqual([]);
});

test('where calls hang, a second interrupt and an error end it at once', async () => {
  const hangs = () => new Promise<never>(() => undefined);
  const lease = { name: 'SSM', look: hangs, acquire: hangs, keep: hangs, release: hangs, seize: hangs };
  const said: string[] = [];
  const begin = (): WatchedRun => {
    const times = { writeEvery: 5, readEvery: 5, callTimeout: 600_000 };
    const stores = { status: lease, answers: lease };
    const run = new WatchedRun({ stores, times, onAnswer: () => {}, say: (line) => said.push(line) });
    run.observer.progress!(progress());
    return run;
  };
  const killed = begin();
  await sleep(30);
  const kill = new AbortController();
  const ends = killed.end(kill.signal);
  kill.abort();
  await ends;
  await begin().end(AbortSignal.abort());
  const broken = begin();
  await sleep(30);
  await broken.close();
  expect(said).toEqual(Array(2).fill('warning: this shift can not be watched: it was interrupted'));
});

test('what else a status has at its end is no part of the outcome', () => {
  const ended = { verdict: 'held', reason: 'Stopped.', failed: 5, noRecord: true, pausedAt: 'x' } as const;
  const { verdict, reason, failed, noRecord, pausedAt } = outcomeOf({ progress: progress(), ended }, []);
  expect([verdict, reason, failed, noRecord, pausedAt]).toEqual(['held', 'Stopped.', ...Array(3)]);
});
