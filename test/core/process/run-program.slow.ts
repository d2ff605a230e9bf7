import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramCall } from '../../../lib/core/process/run-program';
import { runProgram } from '../../../lib/core/process/run-program';
import { node, scratch } from '../../cli/run-cli';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'programs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const all = { bytes: 1_000_000, beyond: 'stop' } as const;

async function shell(script: string, more: Partial<ProgramCall> = {}) {
  const { stdout, stderr, ...end } = await runProgram({
    program: 'sh',
    args: ['-c', script],
    env: { PATH: process.env.PATH },
    timeoutMs: 20_000,
    stdout: all,
    stderr: all,
    ...more,
  });
  return { ...end, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** How long something takes, in milliseconds, and what it answers. */
async function timed<Answer>(run: Promise<Answer>): Promise<readonly [Answer, number]> {
  const began = performance.now();
  const answer = await run;
  return [answer, performance.now() - began];
}

/** A process that has ended can still be listed, until its parent has taken note. */
const alive = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Ids that a script has written. */
async function pidsIn(name: string): Promise<number[]> {
  const file = join(folder, name);
  while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n')) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return readFileSync(file, 'utf8').trim().split(/\s+/).map(Number);
}

async function gone(...pids: readonly number[]): Promise<boolean> {
  for (let tries = 0; pids.some(alive) && tries < 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return !pids.some(alive);
}

test('a program: its streams apart, its status, its signal, its whole lines', async () => {
  const lines: string[] = [];
  const onLine = (line: string) => void lines.push(line);
  const end = await shell('echo out; echo err >&2; exit 3', { onLine });
  expect(end).toEqual({ how: 'exited', status: 3, stdout: 'out\n', stderr: 'err\n' });
  expect(lines.sort()).toEqual(['err', 'out']);
  expect(await shell('kill -9 $$')).toMatchObject({ how: 'signalled', signal: 'SIGKILL' });
});

test('a line is told when it is whole, in however many pieces it comes', async () => {
  const lines: string[] = [];
  const script =
    "printf 'the token is h\\303'; sleep 0.05; printf '\\244nter2\\r\\n\\nlast'; sleep 0.05; printf ' line'";
  await shell(script, { onLine: (line) => lines.push(line) });
  expect(lines).toEqual(['the token is hänter2', 'last line']);
});

test('arguments are taken as they are, and the environment is what is given and nothing else', async () => {
  const args = [
    '-c',
    'printf "%s|" "$@"; env | grep -v "^PWD=\\|^_=\\|^SHLVL="',
    'sh',
    'a b',
    '$HOME',
    '; false',
  ];
  const end = await shell('', { args, env: { PATH: process.env.PATH, ONLY: 'this', NOT: undefined } });
  expect(end.stdout.split('|').slice(0, 3)).toEqual(['a b', '$HOME', '; false']);
  expect(end.stdout.split('|')[3]!.trim().split('\n').sort()).toEqual(
    ['ONLY=this', `PATH=${process.env.PATH}`].sort(),
  );
});

test('stdin: what is given, then its end; nothing where nothing is given; and a program that does not read', async () => {
  const long = 'x'.repeat(500_000);
  expect((await shell('wc -c', { input: long })).stdout.trim()).toBe('500000');
  expect((await shell('cat; echo end')).stdout).toBe('end\n');
  expect(await shell('exec <&-; exit 4', { input: long })).toMatchObject({ how: 'exited', status: 4 });
});

test('a program that closes its streams is awaited all the same', async () => {
  const [end, took] = await timed(shell('exec >&- 2>&-; sleep 0.3; exit 5'));
  expect(end).toMatchObject({ how: 'exited', status: 5 });
  expect(took).toBeGreaterThan(250);
});

test('one that takes too long gets a signal, and may say so before it ends', async () => {
  const script = `trap 'echo cleaned up; exit 0' TERM; echo begun; while :; do sleep 0.02; done`;
  const end = await shell(script, { timeoutMs: 200 });
  expect(end).toMatchObject({ how: 'timedOut', stdout: 'begun\ncleaned up\n' });
});

test('one that ignores the signal is killed after its grace, and what it has started, too', async () => {
  const script = `trap '' TERM; (trap '' TERM; sleep 20) & echo $! $$ > ${folder}/pids; sleep 20; sleep 20`;
  const [end, took] = await timed(shell(script, { timeoutMs: 300, graceMs: 200 }));
  expect(end.how).toBe('timedOut');
  expect(took).toBeGreaterThan(480);
  expect(took).toBeLessThan(10_000);
  expect(await gone(...(await pidsIn('pids')))).toBe(true);
});

describe('a descendant that leaves the group and holds the streams open', () => {
  const escapee = `setsid sh -c 'echo $$ > ${'$'}PIDS; exec sleep 20' &`;
  const env = () => ({ PATH: process.env.PATH, PIDS: join(folder, 'pids') });
  // It is out of reach of the group; the test ends it.
  const end = async () => process.kill((await pidsIn('pids'))[0]!, 'SIGKILL');

  test('does not hold up the time-out', async () => {
    const run = shell(`${escapee} sleep 20`, { env: env(), timeoutMs: 500, graceMs: 3_000 });
    const [{ how }, took] = await timed(run);
    expect(how).toBe('timedOut');
    // The escapee goes on for 20 s.
    expect(took).toBeLessThan(10_000);
    await end();
  });

  test('nor the time-out of a program that ignores the signal', async () => {
    const run = shell(`trap '' TERM; ${escapee} sleep 20; sleep 20`, {
      env: env(),
      timeoutMs: 500,
      graceMs: 200,
    });
    const [{ how }, took] = await timed(run);
    expect(how).toBe('timedOut');
    expect(took).toBeLessThan(10_000);
    await end();
  });

  test('nor a cancellation', async () => {
    const abort = new AbortController();
    const run = timed(shell(`${escapee} sleep 20`, { env: env(), signal: abort.signal }));
    await pidsIn('pids');
    abort.abort();
    const [{ how }, took] = await run;
    expect(how).toBe('cancelled');
    expect(took).toBeLessThan(10_000);
    await end();
  });

  test('nor the end of the program, whose status and words are kept', async () => {
    const [answer, took] = await timed(
      shell(`${escapee} sleep 0.2; echo said; exit 6`, { env: env(), graceMs: 300 }),
    );
    expect(answer).toEqual({ how: 'exited', status: 6, stdout: 'said\n', stderr: '' });
    expect(took).toBeLessThan(10_000);
    await end();
  });
});

test('what runs in the background may write for a while, and is ended then', async () => {
  const script = `(sleep 0.1; echo late; exec sleep 20) & echo $! > ${folder}/pids; echo early`;
  const end = await shell(script, { graceMs: 700 });
  expect(end).toMatchObject({ how: 'exited', status: 0, stdout: 'early\nlate\n' });
  expect(await gone(...(await pidsIn('pids')))).toBe(true);
  const silent = `sleep 20 >/dev/null 2>&1 & echo $! > ${folder}/silent`;
  const [, took] = await timed(shell(silent));
  expect(took).toBeLessThan(10_000);
  expect(await gone(...(await pidsIn('silent')))).toBe(true);
});

test('a cancellation while only the streams are awaited', async () => {
  const abort = new AbortController();
  const run = shell('sleep 20 & echo done', {
    graceMs: 20_000,
    signal: abort.signal,
    onLine: () => setTimeout(() => abort.abort(), 100),
  });
  const [end, took] = await timed(run);
  expect(end).toMatchObject({ how: 'cancelled', stdout: 'done\n' });
  expect(took).toBeLessThan(10_000);
});

test('a call that is cancelled already starts nothing', async () => {
  const end = await shell(`touch ${folder}/started`, { signal: AbortSignal.abort() });
  expect(end).toEqual({ how: 'cancelled', stdout: '', stderr: '' });
  expect(existsSync(join(folder, 'started'))).toBe(false);
});

test.each(['stdout', 'stderr'] as const)('a flood on %s stops the program', async (stream) => {
  const flood = `yes ${stream === 'stderr' ? '>&2' : ''}`;
  const [end, took] = await timed(shell(flood, { [stream]: { bytes: 10_000, beyond: 'stop' } }));
  expect(end).toMatchObject({ how: 'tooMuch', stream });
  expect(end[stream]).toHaveLength(10_000);
  expect(took).toBeLessThan(10_000);
});

test('of a flood that may go on, the start or the end is kept', async () => {
  const script = 'i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done';
  const start = await shell(script, { stdout: { bytes: 100, beyond: 'keepStart' } });
  expect(start.stdout).toMatch(/^line 0\n/);
  expect(start.stdout).toHaveLength(100);
  const end = await shell(script, { stdout: { bytes: 105, beyond: 'keepEnd' } });
  expect(end.stdout).toMatch(/^line \d{4}\n[^]*line 2999\n$/);
  expect(end.stdout.length).toBeGreaterThan(90);
  expect([start.how, end.how]).toEqual(['exited', 'exited']);
  expect((await shell('echo x', { stdout: { bytes: 0, beyond: 'keepStart' } })).stdout).toBe('');
});

test('a program that can not be started is said by the code of the system, without its arguments', async () => {
  writeFileSync(join(folder, 'plain'), '#!/bin/sh\n');
  const none = { how: 'notStarted', stdout: '', stderr: '' };
  expect(await shell('', { program: 'no-such-program' })).toEqual({ ...none, code: 'ENOENT' });
  expect(await shell('', { cwd: '/no/such/folder' })).toEqual({ ...none, code: 'ENOENT' });
  expect(await shell('', { program: join(folder, 'plain') })).toEqual({ ...none, code: 'EACCES' });
  expect(await shell('', { program: '' })).toEqual({ ...none, code: 'ERR_INVALID_ARG_VALUE' });
  expect(await shell('', { args: ['secret\0'] })).toEqual({ ...none, code: 'ERR_INVALID_ARG_VALUE' });
  expect(await shell('', { env: { A: 'secret\0' } })).toEqual({ ...none, code: 'ERR_INVALID_ARG_VALUE' });
  expect(await shell('', { args: ['x'.repeat(4_000_000)] })).toEqual({ ...none, code: 'E2BIG' });
});

test('a time-out longer than any timer is none at once', async () => {
  expect((await shell('sleep 0.1; echo x', { timeoutMs: 2 ** 40 })).how).toBe('exited');
});

test('a run leaves no listener behind', async () => {
  const { signal } = new AbortController();
  const added = jest.spyOn(signal, 'addEventListener');
  const removed = jest.spyOn(signal, 'removeEventListener');
  const listeners = () =>
    ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
  const before = listeners();
  await Promise.all(Array.from({ length: 5 }, () => shell('exit 0', { signal })));
  expect(listeners()).toEqual(before);
  expect(removed.mock.calls).toHaveLength(added.mock.calls.length);
});

describe('a process takes its programs with it', () => {
  const run = (then: string) =>
    node([
      '-e',
      `
    const { existsSync } = require('node:fs');
    const { runProgram } = require(${JSON.stringify(join(scratch, 'dist/core/process/run-program'))});
    const limit = { bytes: 10, beyond: 'stop' };
    const args = ['-c', 'sleep 20 & echo $! $$ > ${folder}/new; mv ${folder}/new ${folder}/pids; wait'];
    runProgram({ program: 'sh', args, env: process.env, timeoutMs: 20000, stdout: limit, stderr: limit });
    const waits = setInterval(() => { if (existsSync('${folder}/pids')) { clearInterval(waits); ${then} } }, 10);
  `,
    ]);

  test('where it exits', async () => {
    expect((await run('process.exit(7)')).status).toBe(7);
    expect(await gone(...(await pidsIn('pids')))).toBe(true);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('where %s ends it', async (signal) => {
    expect((await run(`process.kill(process.pid, '${signal}')`)).status).toBeNull();
    expect(await gone(...(await pidsIn('pids')))).toBe(true);
  });

  test('not where it listens to the signal, and goes on', async () => {
    const { status, stdout } = await run(
      `process.on('SIGTERM', () => {
        const [sleep] = require('node:fs').readFileSync('${folder}/pids', 'utf8').split(' ');
        process.kill(Number(sleep), 0);
        console.log('goes on');
        process.exit(0);
      });
      process.kill(process.pid, 'SIGTERM');`,
    );
    expect([status, stdout.trim()]).toEqual([0, 'goes on']);
  });
});
