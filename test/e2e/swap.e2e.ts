import { killMoment, killSwap } from './bench/swap-kill';
import type { SwapWorld } from './bench/swap-world';
import { deployedWorld } from './bench/swap-world';

/** The tests are the life of one stack, in this order. Kills at every phase, and other endings, are in nightly parts. */
let world: SwapWorld;

beforeAll(async () => {
  const planes = { 'apps-blue': ['1.33'], 'apps-green': ['1.34'], 'hub-blue': ['1.35'] };
  world = await deployedWorld(planes);
});

test('a dry run shows the way, and changes nothing', async () => {
  const before = world.aws.proxy.changes().length;
  const { status, stdout } = await world.start('swap', world.swapFile({ to: '1.34' }), '--dry-run').result;
  expect(stdout).toMatch(
    /From blue \(1\.33\) to green \(1\.34\):\n {2}ready +within 10m[^]*delete +within 1h\n[^]*create eks:index:Cluster [^\n]*apps-green\n/,
  );
  expect(status).toBe(0);
  expect(world.aws.proxy.changes()).toHaveLength(before);
  expect(world.configuration['talk:apps']).toEqual({ blue: '1.33' });
});

test('one file, one command, killed in its shift: the new cluster has all traffic, the old one is gone', async () => {
  const file = world.swapFile({ to: '1.34' });
  const run = world.start('swap', file);
  expect(await killMoment(run, { said: [/Step 1 of 2/] })).toBe(0);
  await killSwap(world, run, 'both');
  expect(Object.keys(await world.clusters())).toContain('apps-blue');
  const { status, stdout, stderr } = await world.start('swap', file).result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  expect(await world.clusters()).toEqual({ 'apps-green': '1.34', 'hub-blue': '1.35' });
  expect(world.configuration).toMatchObject({
    'talk:apps': { green: '1.34' },
    'talk:weights': { green: 100 },
  });
  expect(await world.weights()).toEqual({ 'apps-green-web': 100 });
  await world.argo.synced('apps-green-podinfo');
  expect(world.faults()).toEqual([]);
  expect(await world.pulumi('preview')).not.toMatch(/ListenerRule.*update/);
}, 900_000);

test('where nothing is to be done, it says so', async () => {
  const { status, stdout } = await world.start('swap', world.swapFile({ to: '1.34' })).result;
  expect([status, stdout]).toEqual([
    0,
    'Completed: green (1.34) has all traffic, and there is no other cluster.\n',
  ]);
});

test('history has the swap', async () => {
  const { status, stdout } = await world.start('history', '--plan', world.swapFile({ to: '1.34' })).result;
  expect([status, stdout]).toEqual([0, expect.stringMatching(/1\.33.*1\.34.*completed/)]);
});
