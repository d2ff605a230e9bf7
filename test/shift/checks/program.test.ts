import { settingsProblems } from '../../../lib/shift/checks';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../lib/core/process/run-program';
import { program, readProgramOutput } from '../../../lib/shift/checks/program';
import { SourceError } from '../../../lib/shift/engine';
import { contextOf, subject, windowOf } from './health-samples';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'program-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const next = windowOf({ blue: 99, green: 1 }, { blue: 98, green: 2 });
const context = contextOf({ runProgram, env: process.env });
const shell = (script: string, more: object = {}) =>
  program.kind.create('script', { command: ['sh', '-c', script], ...more }, context);

test.each([
  [0, 'pass'],
  [1, 'fail'],
  [2, 'inconclusive'],
])('status %d: %s', async (code, status) => {
  expect(await shell(`exit ${code}`).evaluate(next)).toEqual({
    status,
    reason: `program "sh" ended with status ${code}`,
    figures: [],
  });
});

test.each([
  ['another status', shell('exit 3'), /"sh" ended with status 3/],
  ['a signal', shell('kill -9 $$'), /ended with a signal/],
  [
    'no such program',
    program.kind.create('x', { command: ['no-such-program'] }, context),
    /could not be started: ENOENT/,
  ],
  ['too slow', shell('sleep 5', { timeout: '30ms' }), /did not end within 30ms/],
])('%s is a failing source', async (_name, check, message) => {
  const error: Error = await check.evaluate(next).catch((each) => each);
  expect(error).toBeInstanceOf(SourceError);
  expect(error.message).toMatch(message);
});

test('it learns about the step from variables and stdin, and its words and figures are taken over', async () => {
  const seen = join(folder, 'seen');
  const check = shell(
    `env | grep ^CLUSTER_CANARY_ | sort > ${seen}; cat >> ${seen}; echo '{"reason":"two in the queue","figures":[{"name":"queue","value":2,"max":10}]}'`,
  );
  expect(await check.evaluate(next)).toEqual({
    status: 'pass',
    reason: 'two in the queue',
    figures: [{ name: 'queue', value: 2, max: 10 }],
  });
  const [input, ...variables] = readFileSync(seen, 'utf8').trim().split('\n').reverse();
  expect(variables.reverse()).toEqual([
    'CLUSTER_CANARY_FROM=1970-01-01T00:16:40.000Z',
    'CLUSTER_CANARY_LIVE=blue=99,green=1',
    'CLUSTER_CANARY_NEXT=blue=98,green=2',
    'CLUSTER_CANARY_ORIGIN=blue=100,green=0',
    'CLUSTER_CANARY_SLOTS=green',
    'CLUSTER_CANARY_STAGE=before',
    'CLUSTER_CANARY_TO=1970-01-01T00:17:40.000Z',
    'CLUSTER_CANARY_WANTED=blue=0,green=100',
  ]);
  expect(JSON.parse(input!)).toEqual({ schemaVersion: 1, window: next, evaluated: ['green'], subject });
});

test('a program that does not read its input, and words that are no JSON', async () => {
  const quick = program.kind.create('true', { command: ['true'] }, context);
  expect((await quick.evaluate(next)).status).toBe('pass');
  const chatty = await shell('echo password=hunter2').evaluate(next);
  expect(chatty.reason).toBe('program "sh" ended with status 0');
});

test('arguments are taken as they are', async () => {
  const echo = join(folder, 'arguments');
  const command = ['sh', '-c', `printf '%s|' "$@" > ${echo}`, 'sh', 'a b', '$HOME', '; false'];
  await program.kind.create('x', { command }, context).evaluate(next);
  expect(readFileSync(echo, 'utf8')).toBe('a b|$HOME|; false|');
});

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
  } catch {
    return false;
  }
};

test('an abort ends it, and what it has started', async () => {
  const pids = join(folder, 'pids');
  const abort = new AbortController();
  const reason = new Error('enough');
  const running = shell(`sleep 30 & echo $! $$ > ${pids}.new; mv ${pids}.new ${pids}; wait`).evaluate(
    next,
    abort.signal,
  );
  running.catch(() => undefined);
  let written = '';
  while (written === '') {
    await new Promise((resolve) => setTimeout(resolve, 5));
    try {
      written = readFileSync(pids, 'utf8').trim();
    } catch {
      // Not yet.
    }
  }
  abort.abort(reason);
  await expect(running).rejects.toBe(reason);
  // Both got the signal; the system ends them one after the other.
  const left = () => written.split(' ').map(Number).filter(alive);
  for (let tries = 0; left().length > 0 && tries < 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(left()).toEqual([]);
  await expect(shell('exit 0').evaluate(next, abort.signal)).rejects.toBe(reason);
});

test('more output than a check takes is thrown away', async () => {
  const figures = 'echo \'{"reason":"two"}\'';
  expect((await shell(`${figures}; yes | head -c 300000 >&2`).evaluate(next)).reason).toBe('two');
  const flood = await shell(`${figures}; head -c 300000 /dev/zero | tr '\\0' x`).evaluate(next);
  expect(flood).toMatchObject({ status: 'pass', reason: 'program "sh" ended with status 0' });
});

test('a time-out beyond the longest timer is none at once', async () => {
  expect((await shell('sleep 0.1', { timeout: '1000h' }).evaluate(next)).status).toBe('pass');
});

test('a descendant in a session of its own does not hold up the time-out', async () => {
  const began = performance.now();
  await expect(shell('setsid sleep 9 & sleep 9', { timeout: '50ms' }).evaluate(next)).rejects.toThrow(
    'did not end within 50ms',
  );
  expect(performance.now() - began).toBeLessThan(8_000);
});

test.each([
  ['text', '"1"', 'inconclusive'],
  ['null', 'null', 'inconclusive'],
  ['NaN, as Python writes it', 'NaN', 'inconclusive'],
  ['-Infinity', '-Infinity', 'inconclusive'],
  ['1e999', '1e999', 'inconclusive'],
  ['a number', '1', 'pass'],
])('a pass by a figure with a bound: %s', async (_name, value, status) => {
  const output = `{"reason":"NaN is fine","figures":[{"name":"errors","value":${value},"max":2}]}`;
  const result = await shell(`echo '${output}'`).evaluate(next);
  expect([result.status, result.reason]).toEqual([
    status,
    status === 'pass' ? 'NaN is fine' : expect.stringContaining('errors'),
  ]);
  expect((await shell(`echo '${output}'; exit 1`).evaluate(next)).status).toBe('fail');
});

test.each([
  ['nothing', '', { figures: [] }],
  ['a list', '[1]', { figures: [] }],
  ['no words', '{"reason":" "}', { figures: [] }],
  ['many lines', '{"reason":"a\\nb"}', { reason: 'a b', figures: [] }],
  [
    'figures of all kinds',
    JSON.stringify({
      figures: [
        { name: 'a', value: null },
        { name: 'b', value: 0.5, unit: 'share', slot: 'green', min: 0, max: 1, secret: 'hunter2' },
        { name: 'c', value: 1, unit: 'furlongs' },
        { name: 'd', value: '1' },
        { value: 1 },
        7,
      ],
    }),
    {
      figures: [
        { name: 'a', value: null },
        { name: 'b', value: 0.5, unit: 'share', slot: 'green', min: 0, max: 1 },
        { name: 'c', value: 1 },
      ],
    },
  ],
  ['infinity', '{"figures":[{"name":"a","value":1e999}]}', { figures: [] }],
])('output: %s', (_name, text, expected) => {
  expect(readProgramOutput(text)).toEqual(expected);
});

test('long words are cut, and a report has room for fifty figures', () => {
  const figures = Array.from({ length: 60 }, (_, each) => ({ name: `f${each}`, value: each }));
  const read = readProgramOutput(JSON.stringify({ reason: 'x'.repeat(1000), figures }));
  expect(read.reason).toHaveLength(200);
  expect(read.figures).toHaveLength(50);
});

test('what it takes', () => {
  const paths = (args: object) =>
    settingsProblems(program.kind, args as never, subject).map(({ path }) => path);
  expect(paths({ command: ['x', ''], timeout: '10s', stages: ['before', 'after'] })).toEqual([]);
  expect(paths({})).toEqual(['command']);
  expect(paths({ command: 'curl x | sh', timeout: 10, stages: [], env: {} })).toEqual([
    'env',
    'command',
    'timeout',
    'stages',
  ]);
  expect(paths({ command: [''] })).toEqual(['command[0]']);
  expect(paths({ command: ['x', '--token=a', '--password', 'a', 'https://a:b@c', '--region=a'] })).toEqual([
    ...['command[1]', 'command[3]', 'command[4]'],
  ]);
  expect(shell('', { stages: ['before'] }).stages).toEqual(['before']);
  expect(shell('').stages).toEqual(['after']);
});
