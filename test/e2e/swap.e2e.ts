import { swapWorld } from './bench/swap-world';
import type { SwapWorld } from './bench/swap-world';

let world: SwapWorld;

beforeAll(async () => {
  world = await swapWorld({
    'talk:apps': { blue: '1.33' },
    'talk:weights': { blue: 100 },
    'talk:hubs': { blue: '1.35' },
    'talk:activeHub': 'blue',
  });
}, 120_000);

test('the fleet as it is: one cluster', async () => {
  console.log(await world.pulumi('up', '--yes', '--skip-preview', '--suppress-outputs'));
  expect(await world.clusters()).toEqual({ 'apps-blue': '1.33', 'hub-blue': '1.35' });
  await world.argo.synced('apps-blue-podinfo');
}, 180_000);
