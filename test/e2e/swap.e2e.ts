import { swapWorld } from './bench/swap-world';
import type { SwapWorld } from './bench/swap-world';

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
}, 180_000);

test('one file, one command: from 1.33 by 1.34 to 1.35, and each old cluster is gone', async () => {
  expect(await world.clusters()).toEqual({ 'apps-blue': '1.33', 'hub-blue': '1.35' });
  await world.argo.synced('apps-blue-podinfo');
  const file = world.swapFile({ via: ['1.34'], to: '1.35' });
  const dry = await world.start('swap', file, '--dry-run').result;
  console.log(dry.stdout, dry.stderr);
  const run = world.start('swap', file);
  const timer = setInterval(
    () => void process.stderr.write(run.printed.stderr.slice(-300) + '\n---\n'),
    15_000,
  );
  const { status, stdout, stderr } = await run.result;
  clearInterval(timer);
  console.log(stdout, stderr);
  expect(status).toBe(0);
  expect(await world.clusters()).toEqual({ 'apps-blue': '1.35', 'hub-blue': '1.35' });
}, 300_000);
