import { eventually } from './bench/eventually';
import { descendants, runningProcesses } from './bench/listeners';
import type { SwapWorld } from './bench/swap-world';
import { swapWorld } from './bench/swap-world';

/** The nightly part is killed in every phase of two swaps. */
const nightly = Number(process.env.CLUSTER_CANARY_E2E_SWAP_KILLS ?? 1) > 1;

/** The tests are the life of one stack, in this order. */
let world: SwapWorld;

beforeAll(async () => {
  world = await swapWorld({
    'talk:apps': { blue: '1.33' },
    'talk:weights': { blue: 100 },
    'talk:hubs': { blue: '1.35' },
    'talk:activeHub': 'blue',
  });
  await world.pulumi('up', '--yes', '--skip-preview');
  await world.argo.synced('apps-blue-podinfo');
}, 180_000);

/** Starts a swap, and kills it with the engine that it runs once it has said this. */
async function killAt(file: string, words: RegExp): Promise<void> {
  const run = world.start('swap', file);
  await eventually(`"${words.source}"`, () => words.test(run.printed.stderr), { within: 400_000, every: 20 });
  const all = runningProcesses();
  const engines = descendants(process.pid, all).filter(({ command }) =>
    /\/bin\/pulumi (up|preview) /.test(command),
  );
  run.kill();
  for (const { pid } of engines.flatMap((engine) => [...descendants(engine.pid, all), engine])) {
    process.kill(pid, 'SIGKILL');
  }
  expect((await run.result).status).toBeNull();
  await world.letLeaseExpire();
}

async function swapTo(file: string): Promise<void> {
  const { status, stdout, stderr } = await world.start('swap', file).result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
}

test('a dry run shows the way, and changes nothing', async () => {
  const before = world.aws.proxy.changes().length;
  const { status, stdout } = await world.start('swap', world.swapFile({ to: '1.34' }), '--dry-run').result;
  expect(stdout).toMatch(
    /From blue \(1\.33\) to green \(1\.34\):\n {2}ready +within 10m[^]*delete +within 1h\n[^]*create eks:index:Cluster [^\n]*apps-green\n/,
  );
  expect(status).toBe(0);
  expect(world.aws.proxy.changes()).toHaveLength(before);
  expect(world.configuration['talk:apps']).toEqual({ blue: '1.33' });
}, 120_000);

const phases = nightly
  ? [
      'creating aws:eks\\/cluster:Cluster',
      'create has passed',
      'Step 1 of 2',
      'shift has passed',
      'drain: ',
      'delete: ',
    ]
  : ['Step 1 of 2'];

test(`one file, one command, killed ${phases.length} times: the new cluster has all traffic, the old one is gone`, async () => {
  const file = world.swapFile({ to: '1.34' });
  for (const words of phases) {
    await killAt(file, new RegExp(words));
    expect(Object.keys(await world.clusters())).toContain('apps-blue');
  }
  await swapTo(file);
  expect(await world.clusters()).toEqual({ 'apps-green': '1.34', 'hub-blue': '1.35' });
  expect(world.configuration).toMatchObject({
    'talk:apps': { green: '1.34' },
    'talk:weights': { green: 100 },
  });
  expect(await world.weights()).toEqual({ 'apps-green-web': 100 });
  await world.argo.synced('apps-green-podinfo');
  expect(await world.pulumi('preview')).not.toMatch(/ListenerRule.*update/);
}, 900_000);

test('where nothing is to be done, it says so', async () => {
  const { status, stdout } = await world.start('swap', world.swapFile({ to: '1.34' })).result;
  expect([status, stdout]).toEqual([
    0,
    'Completed: green (1.34) has all traffic, and there is no other cluster.\n',
  ]);
}, 60_000);

test('history has the swap', async () => {
  const { status, stdout } = await world.start('history', '--plan', world.swapFile({ to: '1.34' })).result;
  expect([status, stdout]).toEqual([0, expect.stringMatching(/1\.33.*1\.34.*completed/)]);
}, 60_000);

test('two fleets of one stack in waves: one has its version, the other one is killed, and goes on', async () => {
  const pulumi = (keys: object): object => ({ pulumi: { stack: 'production', ...keys } });
  const file = world.swapFile({
    ...{ fleet: undefined, program: undefined, to: '1.35' },
    fleets: {
      apps: { fleet: 'apps', program: pulumi({ slots: 'talk:apps', weights: 'talk:weights' }) },
      hub: {
        ...{ fleet: 'hub', moves: 'hub' },
        program: pulumi({ slots: 'talk:hubs', active: 'talk:activeHub' }),
      },
    },
    waves: [['hub'], ['apps']],
  });
  await killAt(file, /apps: Step 1 of 2/);
  const { status, stdout, stderr } = await world.start('swap', file, '--json').result;
  expect({ status, said: status === 0 ? '' : stderr }).toEqual({ status: 0, said: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: 'completed',
    fleets: { hub: { verdict: 'completed', unchanged: true }, apps: { verdict: 'completed' } },
  });
  expect(await world.clusters()).toEqual({ 'apps-blue': '1.35', 'hub-blue': '1.35' });
  expect(await world.weights()).toEqual({ 'apps-blue-web': 100 });
}, 900_000);
