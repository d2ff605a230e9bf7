import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  areLeftOver,
  isAlive,
  locksIn,
  nextMark,
  runMarks,
  thisMachine,
} from '../../../lib/pulumi/swap/locks';

const minute = 60_000;
const started = Date.parse('2026-03-01T08:00:00Z');
const at = Date.parse('2026-03-01T12:00:00Z');
const here = { host: 'runner', user: 'ci', processes: 'pid:[1]', startedAt: started };
const mark = { host: 'runner', user: 'ci', processes: 'pid:[1]', at };
const lock = { host: 'runner', user: 'ci', pid: 77, at: at + minute };

test('the locks that an error tells', () => {
  const error =
    'the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with' +
    ' `pulumi cancel`.\n  s3://states/.pulumi/locks/a.json: created by ci@runner (pid 77) at 2026-03-01T12:01:00Z' +
    '\n  s3://states/.pulumi/locks/b.json: created by ann@laptop.local (pid 8) at 2026-03-01T13:02:00+01:00';
  expect(locksIn(error)).toEqual([
    lock,
    { user: 'ann', host: 'laptop.local', pid: 8, at: Date.parse('2026-03-01T12:02:00Z') },
  ]);
  expect(locksIn(`${error}\n${error}`)).toHaveLength(2);
  expect(locksIn('[409] Conflict: Another update is currently in progress.')).toEqual([]);
});

describe('a lock', () => {
  test.each([
    ['of a killed run', true, {}],
    ['of a process that lives', false, { alive: [77] }],
    ['without a mark of a run', false, { mark: undefined }],
    ['that is not told', false, { locks: [] }],
    ['of another machine', false, { locks: [{ ...lock, host: 'laptop' }] }],
    ['of another user', false, { locks: [{ ...lock, user: 'ann' }] }],
    ['beside one of another machine', false, { locks: [lock, { ...lock, host: 'laptop' }] }],
    ['made before that run', false, { locks: [{ ...lock, at: at - minute }] }],
    ['made in the same second', true, { locks: [{ ...lock, at: at - 999 }] }],
    ['in a container of the same name', false, { mark: { ...mark, processes: 'pid:[2]' } }],
    [
      'in a container, before the machine was started anew',
      true,
      { mark: { ...mark, processes: 'pid:[2]' }, here: { ...here, startedAt: at + 3 * minute } },
    ],
    [
      'before a new start, with a number that another process has',
      true,
      {
        here: { ...here, startedAt: at + 3 * minute },
        alive: [77],
      },
    ],
    ['at a time that is none', false, { locks: [{ ...lock, at: NaN }] }],
  ])('%s is left over: %s', (_name, expected, given) => {
    const { alive, ...all } = { mark, locks: [lock], here, alive: [] as number[], ...given };
    expect(areLeftOver(all.locks, all.mark, all.here, (pid) => alive.includes(pid))).toBe(expected);
  });
});

describe('the mark of a run', () => {
  test.each([
    ['that is alone', undefined, { ...mark, at: at + minute }],
    ['after one that was killed goes back to its time', mark, mark],
    ['beside one of a container', { ...mark, processes: 'pid:[2]' }, undefined],
    ['beside one of another user', { ...mark, user: 'ann' }, { ...mark, at: at + minute }],
    [
      'after one that ended with the machine',
      { ...mark, processes: 'pid:[2]', at: started - 2 * minute },
      { ...mark, at: started - 2 * minute },
    ],
  ])('%s', (_name, killed, expected) => {
    expect(nextMark(killed, here, at + minute)).toEqual(expected);
  });

  test('is kept in a file of this user', () => {
    const state = mkdtempSync(join(tmpdir(), 'swap-marks-'));
    try {
      const marks = runMarks('/infra', 'production', { XDG_STATE_HOME: state });
      expect(marks.read()).toBeUndefined();
      const { startedAt: _, ...machine } = thisMachine();
      marks.write({ ...machine, at });
      expect(marks.read()).toEqual({ ...machine, at });
      expect(runMarks('/infra', 'staging', { XDG_STATE_HOME: state }).read()).toBeUndefined();
      const [name] = readdirSync(join(state, 'cluster-canary'));
      const file = join(state, 'cluster-canary', name!);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      writeFileSync(file, '[');
      expect(marks.read()).toBeUndefined();
      marks.remove();
      expect(readdirSync(join(state, 'cluster-canary'))).toEqual([]);
    } finally {
      rmSync(state, { recursive: true });
    }
  });

  test('that can not be written is no failure', () => {
    const marks = runMarks('/infra', 'production', { XDG_STATE_HOME: '/dev/null/nowhere' });
    marks.write(mark);
    expect(marks.read()).toBeUndefined();
    marks.remove();
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a process that has ended without anybody asking how is not alive', async () => {
  // The shell becomes a program that asks for the end of none of its children, before one of them ends.
  const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 20'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const child = Number(await new Promise((done) => parent.stdout.once('data', done)));
    expect(isAlive(child)).toBe(true);
    for (let tried = 0; tried < 100 && isAlive(child); tried += 1) {
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(process.kill(child, 0)).toBe(true);
    expect(isAlive(child)).toBe(false);
    expect(isAlive(parent.pid!)).toBe(true);
  } finally {
    parent.kill('SIGKILL');
  }
});
