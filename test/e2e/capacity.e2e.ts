import type { PlannedShift } from 'cluster-canary/plan-file';
import { CapacityAccess } from './bench/capacity-access';
import { CapacityWorld, speed } from './bench/capacity-world';

let world: CapacityWorld;
let access: CapacityAccess;

beforeAll(async () => {
  world = await CapacityWorld.start({ peak: 20, start: 15, stabilization: 60 });
  access = await CapacityAccess.start(world);
});

beforeEach(() => world.reset());

const quick: PlannedShift = { step: [50], every: '1s', checkEvery: '250ms' };
/** The default in the world's time. */
const follow = `${300 / speed}s`;
const minimum = { blue: 2, green: 2 };

test('without access a shift follows the autoscaler, and no pod gets more than it can take', async () => {
  const since = Date.now();
  const plan = world.shift.plan({ shift: { ...quick, bake: '1s', checks: [{ capacity: { follow } }] } });
  const { status, stdout } = await world.shift.run('shift', plan, '--json');
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
  expect(world.mostCpu(since)).toBeLessThanOrEqual(1);
  expect(await world.minimums()).toEqual(minimum);
});

test('with access pods are there before their traffic, and the old ones until the bake is over; killed half-way', async () => {
  const since = Date.now();
  const plan = access.plan({ ...quick, bake: '6s' });
  // After the lease, the record of what is raised, that of the first weights, and these.
  expect(await access.killAt('AWS', 4, plan)).toBe('killed');
  expect(Math.max(...Object.values(await world.minimums()))).toBeGreaterThan(2);
  const { status, stdout, stderr } = await world.shift.run('shift', plan, '--json');
  expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
  expect(stderr).not.toContain('MaxListenersExceededWarning');
  expect(world.mostCpu(since)).toBeLessThanOrEqual(1.1 * world.target);
  expect(world.fewest('blue', since, access.lastWrite('blue'))).toBe(20);
  expect(await world.minimums()).toEqual(minimum);
  await world.settled({ blue: 2, green: 20 });
});
