import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { Xoshiro128 } from '../../lib/core/random';
import { timeBefore } from '../../lib/cli/actions/watch';
import { recordLines } from '../../lib/cli/actions/watch-record';
import type { LeaseLook, ShiftRecord } from '../../lib/shift/engine';
import type { ShiftStatus } from '../../lib/shift/watch';
import { samples } from '../shift/notify/events';
import { WeightedProxy } from '../../lib/shift/demo/weighted-proxy';
import { ApiServer } from '../core/kubernetes/api-server';
import type { Result } from './run-cli';
import { clusterCanary, main, root, scratch } from './run-cli';

jest.setTimeout(60_000);

const isOutcome = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(root, 'schemas/shift.json'), 'utf8')),
);
const env = { AWS_REGION: '', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: '' };
const plan = join(scratch, 'plan.yaml');
const closed = join(scratch, 'closed.yaml');
let server: ApiServer;
let proxy: WeightedProxy;
let leases: Map<string, any>;

beforeAll(async () => {
  server = await ApiServer.start();
  writeFileSync(join(scratch, 'hub.json'), server.kubeconfig());
});
afterAll(() => server.stop());
beforeEach(async () => {
  leases = new Map();
  let version = 0;
  server.script(({ method, path, body }) => {
    if (path === '/apis/coordination.k8s.io/v1') {
      const resources = [{ name: 'leases', kind: 'Lease', namespaced: true }];
      return { json: { kind: 'APIResourceList', groupVersion: 'coordination.k8s.io/v1', resources } };
    }
    const name = body?.metadata?.name ?? path.split('/').at(-1);
    if (method !== 'GET') {
      version += 1;
      leases.set(name, { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } });
    }
    return leases.has(name)
      ? { json: leases.get(name) }
      : { status: 404, json: { kind: 'Status', reason: 'NotFound', message: 'leases not found' } };
  });
  const upstreams = { blue: () => 1, green: () => 1 };
  proxy = new WeightedProxy({ upstreams, weights: { blue: 100, green: 0 }, random: Xoshiro128.fromSeed(1) });
  await proxy.start();
  const text = `router: { httpProxy: { address: "${proxy.adminUrl}" } }
slots: { blue: , green: }
weights: { green: 100 }
shift: { step: [10, 50], every: 1ms, bake: 0s, pause: [10], checkEvery: 1h }
lease: { kubernetes: { namespace: apps, kubeconfig: hub.json } }
`;
  writeFileSync(closed, text);
  writeFileSync(plan, `${text}watch: true\n`);
});
afterEach(() => proxy.stop());

/** A shift of another process, which waits at its pause. */
async function paused() {
  const child = spawn(process.execPath, [main, 'shift', plan, '--json'], {
    cwd: scratch,
    env: { ...process.env, ...env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', _: '' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const isSaid = (): boolean =>
    [...leases].some(
      ([name, lease]) => name.startsWith('shift-status-') && /pausedAt\W+10/.test(JSON.stringify(lease)),
    );
  while (!isSaid()) {
    if (child.exitCode !== null) {
      throw new Error(stderr);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, ended, outcome: () => JSON.parse(stdout), said: () => stderr };
}

const watch = (...args: readonly string[]): Promise<Result> =>
  clusterCanary(['watch', plan, ...args], { env, cwd: scratch });

test('it is followed to its end, and continues once another machine says so', async () => {
  const shift = await paused();
  const following = watch('--json');
  const { status, stdout } = await watch('--continue');
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Requested to continue, in Lease apps\/shift-answers-.*; the run reads it within seconds\.\n$/,
    ),
  ]);
  expect(await shift.ended).toBe(0);
  const approvals = [
    { place: 10, by: expect.stringMatching(/@.* \(watch --continue\)$/), at: expect.any(String) },
  ];
  expect(shift.outcome()).toMatchObject({ verdict: 'completed', approvals });
  expect(shift.said()).toContain('watch plan.yaml --continue'.replace('plan.yaml', plan));
  const seen = await following;
  const document = JSON.parse(seen.stdout);
  expect([isOutcome(document), isOutcome.errors]).toEqual([true, null]);
  expect(document).toMatchObject({
    ...{ verdict: 'completed', from: { blue: 100, green: 0 }, final: { blue: 0, green: 100 }, approvals },
    writes: expect.arrayContaining([expect.objectContaining({ weights: { blue: 0, green: 100 } })]),
  });
  expect(seen.status).toBe(0);
  expect(seen.stderr).toMatch(/From blue 100, green 0 to blue 0, green 100 in 3 steps/);
  expect(seen.stderr).toMatch(/Paused at 10 % of the way/);
  // What was asked of this shift is not asked of the next one.
  expect(await watch('--continue')).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('No shift runs'),
  });
  expect(await watch()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Completed:/) });
});

test('it goes back once another machine says so; what it waits for not, is refused', async () => {
  const shift = await paused();
  expect(await watch('--back')).toMatchObject({ status: 0 });
  expect(await shift.ended).toBe(1);
  const { verdict, reason } = shift.outcome();
  expect([verdict, reason]).toEqual(['rolledBack', expect.stringMatching(/@\S+ \(watch --back\) /)]);
  expect(proxy.weights).toEqual({ blue: 100, green: 0 });
  expect(await watch()).toMatchObject({ status: 1, stdout: expect.stringMatching(/^Rolled back:/) });
});

test.each([
  ['known', true],
  ['not known, of an earlier release', false],
])('who joins late sees when it was: %s', async (_, isKnown) => {
  const shift = await paused();
  expect(await watch('--back')).toMatchObject({ status: 0 });
  await shift.ended;
  // As it was while it waited, an hour ago.
  const [name, lease] = [...leases].find(([each]) => each.startsWith('shift-status-'))!;
  const [annotation, text] = Object.entries<string>(lease.metadata.annotations).find(([, value]) =>
    value.includes('"progress"'),
  )!;
  const record = JSON.parse(text);
  const status = record.record ?? record;
  const [startedAt, writtenAt, pausedSince] = ['01:02:03', '01:03:04', '01:04:05'].map((time) =>
    Date.parse(`2031-05-06T${time}Z`),
  );
  const from = { blue: 100, green: 0 };
  Object.assign(status.progress, { startedAt, at: Date.parse('2031-05-06T02:00:00Z'), steps: 3, from });
  status.soFar = isKnown ? { writes: 2, writtenAt, pausedSince } : undefined;
  lease.metadata.annotations[annotation] = JSON.stringify(record);
  leases.set(name, lease);
  const { stdout, stderr } = await watch();
  expect(stderr).toMatch(/^01:02:03 From blue 100, green 0 to/m);
  expect(stdout).toMatch(isKnown ? /\n {2}2 writes in 57m/ : /\n {2}took {4}57m/);
  expect(stdout.includes('writes')).toBe(isKnown);
});

test.each<[string, Partial<ShiftStatus['soFar']> | undefined, readonly (string | undefined)[]]>([
  ['known', { writtenAt: 1_000, pausedSince: 2_000 }, ['00:00:00', '00:00:01', '00:00:02']],
  ['not known', undefined, ['00:00:00', undefined, undefined]],
])('the time of what was there before it is watched: %s', (_, soFar, expected) => {
  const status = { progress: { startedAt: 0 }, ...(soFar && { soFar }) } as ShiftStatus;
  const { started, stepWritten, paused } = samples;
  expect([started, stepWritten, paused].map((event) => timeBefore(event, status)?.slice(11, 19))).toEqual(
    expected,
  );
  expect(timeBefore(samples.checkAnswered, status)).toBe(samples.checkAnswered.at);
});

test('on a page, too', async () => {
  const shift = await paused();
  const child = spawn(process.execPath, [main, 'watch', plan, '--serve', '127.0.0.1:0'], {
    cwd: scratch,
    env: { ...process.env, ...env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', _: '' },
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (!/token=\S+/.test(said)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const address = /http:\S+token=\S+/.exec(said)![0];
  const { origin } = new URL(address);
  const cookie = (await fetch(address, { redirect: 'manual' })).headers.get('set-cookie')!.split(';')[0]!;
  let body = '';
  while (!body.includes('>Continue</button>')) {
    body = await (await fetch(origin, { headers: { cookie } })).text();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const form = /<form [^>]*action="\/continue"[^]*?<\/form>/.exec(body)![0];
  const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    value!,
  ]);
  const { status } = await fetch(`${origin}/continue`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) },
    headers: { cookie, origin },
  });
  expect(status).toBe(303);
  expect(await shift.ended).toBe(0);
  expect(shift.outcome().approvals).toMatchObject([
    { place: 10, by: expect.stringMatching(/, on the page$/) },
  ]);
  expect(await ended).toBe(0);
});

test('a shift that was killed is said to be', async () => {
  const shift = await paused();
  shift.child.kill('SIGKILL');
  await shift.ended;
  for (const lease of leases.values()) {
    lease.spec.renewTime = '2020-01-01T00:00:00.000000Z';
  }
  expect(await watch()).toMatchObject({ status: 2, stdout: 'No shift runs: the last one was killed.\n' });
  expect(await watch('--hold')).toMatchObject({ status: 2 });
});

test('a plan without a lease, flags that do not go together: 2', async () => {
  const refused = async (file: string, ...flags: readonly string[]) => {
    const { status, stderr } = await clusterCanary(['watch', file, ...flags], { env, cwd: scratch });
    expect(status).toBe(2);
    return stderr;
  };
  expect(await refused(plan, '--hold', '--back')).toContain('--hold: must be without --back');
  expect(await refused(plan, '--hold', '--json')).toContain('--hold: must be without --json');
  expect(await watch()).toMatchObject({
    status: 2,
    stdout: 'No shift of this plan has been recorded yet.\n',
  });
  const alone = join(scratch, 'alone.yaml');
  writeFileSync(alone, readFileSync(closed, 'utf8').replace(/lease: .*/, ''));
  expect(await refused(alone)).toContain('lease: must be a lease: without one a shift is known to its own');
});

test('without watch: true, what its lease knows is printed once; nothing is asked or written', async () => {
  const look = (...flags: readonly string[]) =>
    clusterCanary(['watch', closed, ...flags], { env, cwd: scratch });
  expect(await look()).toMatchObject({ status: 2, stdout: 'No shift of this plan has been recorded yet.\n' });
  const shifting = ['shift', closed, '--to-pause'];
  expect(await clusterCanary(shifting, { env, cwd: scratch })).toMatchObject({ status: 0 });
  const before = JSON.stringify([...leases]);
  const paused = await look();
  expect([paused.status, paused.stdout.split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/^From blue 100, green 0 to blue 0, green 100, since 20.*Z\.$/),
      'Last write: blue 90, green 10 (step 1 of 3, 10 % of the way).',
      'The plan pauses there, at 10 % of the way, until a person lets it continue.',
      'No process runs it. Run the same shift again: it continues where it was.',
      'With "watch: true" in the plan, watch also shows checks, follows the shift, and lets people answer.',
      '',
    ],
  ]);
  const refused = async (flag: string) => {
    const { status, stderr } = await look(flag);
    expect(status).toBe(2);
    return stderr;
  };
  const needs = 'must be left out: it needs "watch: true" in the plan; ';
  expect(await refused('--continue')).toContain(
    `--continue: ${needs}to continue beyond a pause, run "shift --resumed PLACE"`,
  );
  expect(await refused('--hold')).toContain(`--hold: ${needs}to hold it, interrupt its process`);
  expect(await refused('--back')).toContain(
    `--back: ${needs}to take the traffic back, run "shift --roll-back REASON"`,
  );
  expect(await refused('--json')).toContain(`--json: ${needs}without it, "watch" prints once`);
  expect(JSON.stringify([...leases])).toBe(before);
  expect([...leases.keys()]).toHaveLength(1);

  const onward = ['shift', closed, '--resumed', '10'];
  expect(await clusterCanary(onward, { env, cwd: scratch })).toMatchObject({ status: 0 });
  const { status, stdout } = await look();
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(
      /\(step 3 of 3, 100 % of the way\)\.\nIt ended 20.*: completed, with blue 0, green 100 live\.\n/,
    ),
  ]);
});

test.each<[string, Partial<ShiftRecord>, Partial<LeaseLook>, RegExp]>([
  [
    'it runs',
    {},
    { holder: 'alex@ci', expiresAt: 60_000 },
    /\nalex@ci runs it, and holds its lease until 1970-01-01T00:01:00.000Z\.\n/,
  ],
  [
    'it holds',
    { heldBy: 'kim' },
    { holder: 'alex@ci' },
    /\nIt holds there, as kim asked\.\n[^]*\nalex@ci runs it\.\n/,
  ],
  [
    'it goes back',
    { rollingBack: true },
    {},
    /green 10 \(step 1 of 3, 10 % of the way\)\.\nIt takes the traffic back\.\nNo process/,
  ],
  [
    'agreed to',
    { approvals: [{ place: 10, by: 'kim', at: 1 }] },
    {},
    /way\)\.\nBeyond 10 % of the way since .*Z, by kim\.\nNo/,
  ],
  ['at its start', { written: { blue: 100, green: 0 } }, {}, /green 0 \(no step of 3\)\./],
  ['beside the steps', { written: { blue: 70, green: 30 } }, {}, /Last write: blue 70, green 30\.\n/],
  ['the plan has changed', { wanted: { blue: 50, green: 50 } }, {}, /Last write: blue 90, green 10\.\n/],
  ['aborted', { ended: { at: 1, verdict: 'aborted', live: null } }, {}, /\nIt ended .*Z: aborted\.\nWith/],
  ['evacuated', { evacuated: { slots: ['green'], by: 'kim' } }, {}, /\nslot green was evacuated by kim\.\n/],
  ['a text from outside', { heldBy: 'a\u001b[31m\nb' }, {}, /as a\\u001b\[31m\\nb asked/],
])('what a lease knows: %s', (_, more, look, expected) => {
  const known = { slots: ['blue', 'green'], weights: { green: 100 } };
  const record: ShiftRecord = {
    ...{ origin: { blue: 100, green: 0 }, wanted: { blue: 0, green: 100 }, written: { blue: 90, green: 10 } },
    ...{ startedAt: 0, ...more },
  };
  const shift = { step: [10, 50], pause: [10] };
  expect(recordLines({ ...known, shift, watch: false }, look, record).join('\n')).toMatch(expected);
});
