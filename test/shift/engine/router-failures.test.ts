import type { ShiftRecord, Weights } from '../../../lib/shift/engine';
import { runShift } from '../../../lib/shift/engine';
import type { Fault } from './world';
import { all, check, minute, World } from './world';

const second = 1000;

describe('a router that fails', () => {
  const settings = { step: 50, every: '1m', bake: '1m' } as const;
  const reads = (faults: Record<number, Fault>) => (call: number) => faults[call];

  test.each(['throttled', 'unreachable', 'lost'] as const)(
    '%s is tried again: writes repeat, and never change',
    async (fault) => {
      const world = new World();
      world.rule.onWrite = (call) => (call % 3 < 2 ? fault : undefined);
      world.rule.onRead = (call) => (call % 4 === 1 && fault !== 'lost' ? fault : undefined);
      const outcome = await world.run(settings);
      expect(outcome).toMatchObject({ verdict: 'completed', final: all('green') });
      expect(world.rule.green).toEqual([50, 100]);
      expect(outcome.writes.map(({ weights }) => weights.green)).toEqual([50, 100]);
    },
  );

  test('waits between tries, twice as long each time, spread at random', async () => {
    const waits = async (random: number) => {
      const world = new World();
      world.rule.onRead = (call) => (call < 3 ? 'throttled' : undefined);
      await world.run(settings, { random: () => random });
      return world.clock.now() - world.start - 3 * minute;
    };
    expect(await waits(1)).toBe(7 * second);
    expect(await waits(0)).toBe(3.5 * second);
  });

  test('waits at once for as long as it has to, also where it fails for minutes before the first look', async () => {
    const world = new World();
    world.rule.onRead = (call) => {
      world.clock.advance(call < 6 ? 30 * second : 0);
      return call < 6 ? 'unreachable' : undefined;
    };
    const sleep = jest.spyOn(world.clock, 'sleep');
    expect(await world.run(settings)).toMatchObject({ verdict: 'completed' });
    expect(sleep.mock.calls.length).toBeLessThan(30);
  });

  test('that is throttled for ever ends the shift, without a word about a cluster', async () => {
    const world = new World();
    world.rule.onWrite = (call) => (call > 0 ? 'throttled' : undefined);
    const outcome = await world.run(settings);
    expect(outcome).toMatchObject({ verdict: 'aborted', final: { blue: 50, green: 50 } });
    expect(outcome.reason).toContain('throttled again and again');
    world.rule.onWrite = () => undefined;
    expect(await world.run(settings)).toMatchObject({ verdict: 'completed', from: all('blue') });
  });

  test.each([
    ['denied', 'The router refuses'],
    ['notFound', 'vanished during the shift'],
    ['unfit', 'not what this shift can work on'],
  ] as const)('%s ends it at once, at a read and at a write', async (fault, text) => {
    for (const at of ['read', 'write']) {
      const world = new World();
      world.rule.onRead = reads(at === 'read' ? { 2: fault } : {});
      world.rule.onWrite = (call) => (at === 'write' && call === 1 ? fault : undefined);
      const outcome = await world.run(settings);
      expect(outcome).toMatchObject({ verdict: 'aborted', reason: expect.stringContaining(text) });
      expect(world.rule.writeCalls).toBe(at === 'read' ? 1 : 2);
      expect(world.rule.green).toEqual([50]);
    }
  });

  test('before the shift began says that nothing was written', async () => {
    const world = new World();
    world.rule.onRead = () => 'notFound';
    const outcome = await world.run(settings);
    expect(outcome).toMatchObject({ verdict: 'aborted', from: null, final: null });
    expect(outcome.reason).toBe('read failed: notFound.\nThis run wrote nothing.');
  });

  test('with live weights that are not of the slots is not written to', async () => {
    for (const live of [
      { blue: 50, red: 50 },
      { blue: 50, green: 40 },
      { blue: 99.5, green: 0.5 },
    ] as Weights[]) {
      const world = new World(live);
      expect(await world.run(settings)).toMatchObject({ verdict: 'aborted', final: live });
      expect(world.rule.writeCalls).toBe(0);
    }
  });

  test('throttled during a rollback is tried again for long', async () => {
    const world = new World();
    let tries = 0;
    world.rule.onWrite = (_call, weights) =>
      weights.green === 0 && (tries += 1) < 20 ? 'throttled' : undefined;
    expect(await world.run(settings, { checks: [check(() => 'fail')] })).toMatchObject({
      verdict: 'rolledBack',
      final: all('blue'),
    });
    expect(world.rule.green).toEqual([50, 0]);
  });

  test('whose rollback does not show at first is read until it does', async () => {
    const world = new World();
    const write = world.rule.write.bind(world.rule);
    world.rule.write = async (weights) => {
      const before = world.rule.weights;
      await write(weights);
      if (weights.green === 0) {
        world.rule.weights = before;
        void world.clock.sleep(5 * second).then(() => (world.rule.weights = weights));
      }
    };
    expect(await world.run(settings, { checks: [check(() => 'fail')] })).toMatchObject({
      verdict: 'rolledBack',
      final: all('blue'),
    });
    expect(world.rule.green).toEqual([50, 0]);
    // The check fails after a quarter of a minute.
    expect(world.clock.now() - world.start).toBeGreaterThanOrEqual(minute / 4 + 5 * second);
    expect(world.rule.weights).toEqual(all('blue'));
  });

  test('that refuses the rollback is said loudly, with the live weights and what to run', async () => {
    const world = new World();
    world.rule.onWrite = (_call, weights) => (weights.green === 0 ? 'denied' : undefined);
    const outcome = await world.run(settings, {
      checks: [check(() => 'fail')],
      runAgain: 'cluster-canary shift plan.yaml',
    });
    expect(outcome).toMatchObject({ verdict: 'aborted', final: { blue: 50, green: 50 } });
    expect(outcome.reason).toMatch(/^THE TRAFFIC IS NOT BACK at blue 100, green 0: The router refuses/);
    expect(outcome.reason).toMatch(
      /Live: blue 50, green 50\.\nTo finish the rollback: cluster-canary shift plan\.yaml$/,
    );
    world.rule.onWrite = () => undefined;
    expect(await world.run(settings)).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
    expect(await world.run(settings)).toMatchObject({ verdict: 'completed' });
  });

  test('that throws something else is taken for one that does not answer', async () => {
    const world = new World();
    const read = world.rule.read.bind(world.rule);
    let calls = 0;
    world.rule.read = () => ((calls += 1) === 2 ? Promise.reject(new Error('socket hang up')) : read());
    const outcome = await world.run(settings);
    expect(outcome.verdict).toBe('completed');
    expect(outcome.log).toContainEqual(expect.objectContaining({ text: 'rule: socket hang up' }));
  });
});

describe('a lease', () => {
  const settings = { step: 50, every: '10m', bake: '1m' } as const;

  test('is kept during long waits', async () => {
    const world = new World();
    const run = world.process(settings);
    const keeps: number[] = [];
    const lease = {
      ...run.lease,
      keep: (record: ShiftRecord) => (keeps.push(world.minutes), run.lease.keep(record)),
    };
    expect(await runShift({ ...run, lease })).toMatchObject({ verdict: 'completed' });
    expect(keeps.slice(0, 4)).toEqual([0, 1, 2, 3]);
  });

  test('that somebody took over stops the shift', async () => {
    const world = new World();
    const theft = check(() => {
      world.memory.holder = 'thief';
      world.memory.expiresAt = world.clock.now() + 60 * minute;
      return 'pass';
    });
    const outcome = await world.run(settings, { checks: [theft] });
    expect(outcome).toMatchObject({
      verdict: 'aborted',
      reason: expect.stringContaining('thief runs a shift'),
    });
    expect(world.rule.green).toEqual([50]);
    expect(world.memory.holder).toBe('thief');
  });

  test('that can not be reached lets nothing new be written, and takes the traffic back', async () => {
    const world = new World();
    const run = world.process(settings);
    const keep = (record: ShiftRecord) =>
      world.rule.writes.length > 0 ? Promise.reject(new Error('no network')) : run.lease.keep(record);
    expect(await runShift({ ...run, lease: { ...run.lease, keep } })).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringContaining('could not be put on record: lease in memory: no network'),
    });
    expect(world.rule.green).toEqual([50, 0]);
  });

  test('that is short is kept before it expires', async () => {
    const world = new World();
    const { lease, ...run } = world.process(settings);
    const gaps: number[] = [];
    let last = world.clock.now();
    const keep = (record: ShiftRecord) => {
      gaps.push(world.clock.now() - last);
      last = world.clock.now();
      return lease.keep(record);
    };
    await runShift({ ...run, lease: { ...lease, durationMs: 30_000, keep } });
    expect(Math.max(...gaps)).toBe(10_000);
    // The control: one that says nothing is kept once a minute.
    gaps.length = 0;
    last = world.clock.now();
    world.rule.weights = all('blue');
    await runShift({ ...run, lease: { ...lease, durationMs: undefined, keep } });
    expect(Math.max(...gaps)).toBe(60_000);
  });

  test('that can not be taken or given back says so', async () => {
    const world = new World();
    const run = world.process(settings);
    const broken = () => Promise.reject(new Error('no right to ssm:PutParameter'));
    expect(await runShift({ ...run, lease: { ...run.lease, acquire: broken } })).toMatchObject({
      verdict: 'aborted',
      reason: expect.stringContaining('ssm:PutParameter'),
      writes: [],
    });
    const outcome = await runShift({ ...run, lease: { ...run.lease, release: broken } });
    expect(outcome.verdict).toBe('completed');
    expect(outcome.leaseProblem).toContain('could not be marked as ended');
    expect(outcome.log.at(-1)!.text).toBe(outcome.leaseProblem);
  });
});
