import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { Result } from './run-cli';
import { clusterCanary, main, root, scratch } from './run-cli';
import { env, leases, plan, proxy } from './watch-world';

const isOutcome = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(root, 'schemas/shift.json'), 'utf8')),
);
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
