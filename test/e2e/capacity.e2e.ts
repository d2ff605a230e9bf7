import { setTimeout as sleep } from 'node:timers/promises';
import { CapacityWorld } from './bench/capacity-world';

let world: CapacityWorld;

beforeAll(async () => {
  world = await CapacityWorld.start({ peak: 20 });
}, 120_000);

test('probe', async () => {
  const t = Date.now();
  await world.reset();
  console.log('reset', Date.now() - t, world.now);
  await world.shift.set({ blue: 50, green: 50 });
  for (let i = 0; i < 45; i += 1) {
    await sleep(1000);
    const { ready, cpu } = world.now;
    process.stderr.write(`${i} ${JSON.stringify({ ready, cpu })}\n`);
  }
  console.log(await world.minimums());
  console.log(world.planes.green.process('kube-controller-manager').tail(40));
}, 180_000);
