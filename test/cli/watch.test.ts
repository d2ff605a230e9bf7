import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { Xoshiro128 } from '../../lib/core/random';
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
    expect.stringMatching(/^Asked it to continue, in Lease apps\/shift-answers-.*seconds\.\n$/),
  ]);
  expect(await shift.ended).toBe(0);
  const approvals = [{ place: 10, by: expect.stringMatching(/@.*, by watch$/), at: expect.any(String) }];
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
  expect([verdict, reason]).toEqual([
    'rolledBack',
    expect.stringMatching(/, by watch asked for the way back\./),
  ]);
  expect(proxy.weights).toEqual({ blue: 100, green: 0 });
  expect(await watch()).toMatchObject({ status: 1, stdout: expect.stringMatching(/^Rolled back:/) });
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

test('a plan that lets no one watch, flags that do not go together: 2', async () => {
  const refused = async (file: string, ...flags: readonly string[]) => {
    const { status, stderr } = await clusterCanary(['watch', file, ...flags], { env, cwd: scratch });
    expect(status).toBe(2);
    return stderr;
  };
  expect(await refused(closed)).toContain('watch: false: must be true: without it');
  expect(await refused(plan, '--hold', '--back')).toContain('--hold: must be without --back');
  expect(await refused(plan, '--hold', '--json')).toContain('--hold: must be without --json');
  expect(await watch()).toMatchObject({ status: 2, stdout: 'No shift of this plan has run yet.\n' });
});
