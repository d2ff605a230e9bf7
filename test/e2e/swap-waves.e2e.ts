import { killMoment, killSwap } from './bench/swap-kill';
import type { SwapWorld } from './bench/swap-world';
import { deployedWorld } from './bench/swap-world';

let world: SwapWorld;

beforeAll(async () => {
  const planes = { 'apps-blue': ['1.33'], 'apps-green': ['1.34'], 'hub-blue': ['1.35'] };
  world = await deployedWorld(planes);
});

test('two fleets of one stack in waves: one has its version, the other one is killed, and goes on', async () => {
  const pulumi = (keys: object): object => ({ pulumi: { stack: 'production', ...keys } });
  const file = world.swapFile({
    ...{ fleet: undefined, program: undefined, to: '1.34' },
    fleets: {
      apps: { fleet: 'apps', program: pulumi({ slots: 'talk:apps', weights: 'talk:weights' }) },
      hub: {
        ...{ fleet: 'hub', moves: 'hub' },
        ...{ to: '1.35', program: pulumi({ slots: 'talk:hubs', active: 'talk:activeHub' }) },
      },
    },
    waves: [['hub'], ['apps']],
  });
  const run = world.start('swap', file);
  expect(await killMoment(run, { said: [/apps: Step 1 of 2/] })).toBe(0);
  await killSwap(world, run, 'both');
  const { status, stdout, stderr } = await world.start('swap', file, '--json').result;
  expect({ status, said: status === 0 ? '' : stderr }).toEqual({ status: 0, said: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: 'completed',
    fleets: { hub: { verdict: 'completed', unchanged: true }, apps: { verdict: 'completed' } },
  });
  expect(await world.clusters()).toEqual({ 'apps-green': '1.34', 'hub-blue': '1.35' });
  expect(await world.weights()).toEqual({ 'apps-green-web': 100 });
}, 900_000);
