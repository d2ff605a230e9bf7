import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedShift } from 'cluster-canary/plan-file';
import type { Writes } from './bench/capacity-access';
import { CapacityAccess } from './bench/capacity-access';
import { CapacityWorld } from './bench/capacity-world';
import { eventually } from './bench/eventually';
import type { ObjectRef } from './bench/kubernetes-api';
import { temporaryFolder } from './bench/temporary';

let world: CapacityWorld;
let access: CapacityAccess;

beforeAll(async () => {
  // An autoscaler that soon takes away what is not needed: what is held is held by its minimum.
  world = await CapacityWorld.start({ peak: 20, start: 15, stabilization: 30 });
  access = await CapacityAccess.start(world);
});

beforeEach(() => world.reset());

const quick: PlannedShift = { step: [50], every: '1s', checkEvery: '500ms', bake: '3s' };
const minimum = { blue: 2, green: 2 };
const back = { blue: 100, green: 0 };
const onGreen = { blue: 0, green: 100 };

/** Fails once this file is there. */
const alarm = () => {
  const file = join(temporaryFolder('alarm'), 'alarm');
  const script = `process.exit(require('node:fs').existsSync(${JSON.stringify(file)}) ? 1 : 0)`;
  return {
    checks: [{ program: { name: 'alarm', command: [process.execPath, '-e', script] } }],
    ring: () => writeFileSync(file, ''),
  };
};

/** Ends as a shift ends that nothing disturbed. */
async function completes(plan: string, since: number): Promise<void> {
  const { status, stdout } = await world.shift.run('shift', plan, '--json');
  const { verdict, reason } = JSON.parse(stdout);
  expect([status, verdict, reason]).toEqual([0, 'completed', expect.anything()]);
  expect(await world.shift.weights()).toEqual(onGreen);
  expect(await world.minimums()).toEqual(minimum);
  expect((await world.shift.lease()).record.raised).toBeUndefined();
  expect(world.mostCpu(since)).toBeLessThanOrEqual(1.1 * world.target);
  expect(world.fewest('blue', since, access.lastWrite('blue'))).toBe(20);
}

test.each<[Writes]>([['AWS'], ['blue'], ['green']])(
  'killed at each write to %s: the next run ends where it would have ended, and gives back',
  async (where) => {
    let kills = 0;
    for (;;) {
      await world.reset();
      const since = Date.now();
      const plan = access.plan(quick);
      const how = await access.killAt(where, kills, plan);
      if (how !== 'killed') {
        expect(how).toBe(0);
        break;
      }
      kills += 1;
      process.stderr.write(`killed at write ${kills} to ${where}\n`);
      await completes(plan, since);
    }
    // Raised and given back at least; to AWS the lease, the record and the weights.
    expect(kills).toBeGreaterThanOrEqual(where === 'AWS' ? 6 : 2);
  },
  1_800_000,
);

test('killed at any time: the next run ends where it would have ended, and gives back', async () => {
  for (let run = 0; run < 10; run += 1) {
    await world.reset();
    const since = Date.now();
    const plan = access.plan(quick);
    const after = 500 + Math.random() * 9_000;
    process.stderr.write(`killed after ${Math.round(after)} ms\n`);
    if ((await access.killWhen(() => sleep(after), plan)) === 'killed') {
      await completes(plan, since);
    }
  }
});

describe('rolled back late', () => {
  const late: PlannedShift = { ...quick, bake: '30s' };
  /** When only the minimum still holds the pods of blue. */
  const shrunk = () => sleep(6_000);

  test('by a check in the bake: the old slot still has its pods', async () => {
    const { checks, ring } = alarm();
    const since = Date.now();
    const running = world.shift.start('shift', access.plan({ ...late, checks }), '--json');
    await world.shift.written(2, since);
    await shrunk();
    ring();
    const { status, stdout } = await running.result;
    expect([status, JSON.parse(stdout).verdict]).toEqual([1, 'rolledBack']);
    expect(await world.shift.weights()).toEqual(back);
    expect(world.fewest('blue', since, access.lastWrite('blue'))).toBe(20);
    expect(world.mostCpu(since)).toBeLessThanOrEqual(1.1 * world.target);
    expect(await world.minimums()).toEqual(minimum);
  });

  test('without access, as a control: the old slot has its minimum left', async () => {
    const { checks, ring } = alarm();
    const since = Date.now();
    const running = world.shift.start('shift', world.shift.plan({ shift: { ...late, checks } }), '--json');
    await world.shift.written(2, since);
    await shrunk();
    ring();
    expect((await running.result).status).toBe(1);
    expect(world.fewest('blue', since)).toBe(2);
    expect(world.mostCpu(since)).toBeGreaterThan(3);
  });

  test('by hand, after a kill in the bake', async () => {
    const since = Date.now();
    const plan = access.plan(late);
    expect(await access.killWhen((begun) => world.shift.written(2, begun), plan)).toBe('killed');
    await shrunk();
    const { status } = await world.shift.run('shift', plan, '--roll-back', 'green is bad');
    expect([status, await world.shift.weights()]).toEqual([0, back]);
    expect(world.fewest('blue', since, access.lastWrite('blue'))).toBe(20);
    expect(world.mostCpu(since)).toBeLessThanOrEqual(1.1 * world.target);
    expect(await world.minimums()).toEqual(minimum);
  });
});

describe('killed at 50 % and never run again', () => {
  const plan = () => access.plan({ ...quick, every: '10s' });

  beforeEach(async () => {
    expect(await access.killWhen((since) => world.shift.written(1, since), plan())).toBe('killed');
    expect((await world.minimums()).blue).toBe(20);
  });

  test('a shift back gives back', async () => {
    const { status } = await world.shift.run('shift', access.plan(quick, back));
    expect([status, await world.shift.weights()]).toEqual([0, back]);
    expect(await world.minimums()).toEqual(minimum);
  });

  test('--forget gives back, and leaves the traffic where it is', async () => {
    const { status } = await world.shift.run('shift', plan(), '--forget');
    expect([status, await world.shift.weights()]).toEqual([0, { blue: 50, green: 50 }]);
    expect(await world.minimums()).toEqual(minimum);
  });

  test('an evacuation leaves it to the next shift', async () => {
    const evacuated = await world.shift.run('evacuate', 'green', '--plan', plan(), '--yes');
    expect([evacuated.status, await world.shift.weights()]).toEqual([0, back]);
    const { status } = await world.shift.run('shift', access.plan(quick, back));
    expect([status, await world.minimums()]).toEqual([0, minimum]);
  });

  test('a rollback gives back', async () => {
    const { status } = await world.shift.run('shift', plan(), '--roll-back', 'green is bad');
    expect([status, await world.shift.weights()]).toEqual([0, back]);
    expect(await world.minimums()).toEqual(minimum);
  });
});

test('an API server that does not answer when minimums are to be given back: it is said, and the next run does', async () => {
  const since = Date.now();
  const plan = access.plan(quick);
  const running = world.shift.start('shift', plan, '--json');
  await world.shift.written(2, since);
  access.proxies.green.fail(503);
  const { stdout, stderr } = await running.result;
  const { verdict } = JSON.parse(stdout);
  expect([verdict, `${stdout}${stderr}`]).toEqual(['completed', expect.stringContaining('green')]);
  expect((await world.minimums()).green).toBe(20);
  access.heal();
  await eventually('given back', async () => {
    await world.shift.run('shift', plan);
    return (await world.minimums()).green === 2;
  });
});

describe('what stops a shift is said, with real words of the cluster', () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'green-1' } };
  const room = (cpu: string) =>
    world.planes.green.api.patch(
      node,
      { status: { capacity: { cpu }, allocatable: { cpu } } },
      { subresource: 'status' },
    );

  afterEach(() => room('1000'));

  test('pods that find no node: it holds, and goes on when there is one', async () => {
    const since = Date.now();
    await room('12');
    const plan = access.plan({ ...quick, inconclusiveLimit: '6s' });
    const { status, stdout } = await world.shift.run('shift', plan, '--json');
    const { verdict, reason } = JSON.parse(stdout);
    expect([status, verdict]).toEqual([1, 'held']);
    expect(reason).toMatch(/green: deployment shop\/web 12 of 20 ready; 8 pending: 0\/1 nodes are available/);
    expect(await world.shift.weights()).toEqual({ blue: 50, green: 50 });
    expect((await world.minimums()).blue).toBe(20);
    await room('1000');
    await completes(access.plan(quick), since);
  });

  const limitTo = async (maxReplicas: number): Promise<void> => {
    const { metadata } = await world.autoscalerOf('green');
    const autoscaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata };
    await world.planes.green.api.patch(autoscaler as ObjectRef, { spec: { maxReplicas } });
  };

  test('a maximum that is reached, without access: no pod gets more than it can take', async () => {
    await limitTo(4);
    const since = Date.now();
    const shift: PlannedShift = {
      ...{ ...quick, inconclusiveLimit: '20s' },
      checks: [{ capacity: { follow: '5s' } }],
    };
    const { status, stdout } = await world.shift.run('shift', world.shift.plan({ shift }), '--json');
    expect([status, JSON.parse(stdout).verdict]).toEqual([1, 'held']);
    expect((await world.shift.weights()).green).toBeGreaterThan(10);
    expect(world.mostCpu(since)).toBeLessThanOrEqual(1);
  });

  test('a maximum below the need: before the first percent', async () => {
    await limitTo(12);
    const since = Date.now();
    const { status, stdout } = await world.shift.run('shift', access.plan(quick), '--json');
    expect([status, JSON.parse(stdout).reason]).toEqual([
      1,
      expect.stringContaining('20 pods needed at 100 %, and maxReplicas of hpa shop/web is 12'),
    ]);
    expect(world.shift.asked(since).filter(({ green }) => green! > 0)).toEqual([]);
    expect(await world.minimums()).toEqual(minimum);
  });
});
