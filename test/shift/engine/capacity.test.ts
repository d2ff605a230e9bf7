import * as fc from 'fast-check';
import { runWaves } from '../../../lib/shift/engine';
import type { Capacity, CapacityRecord, CapacityRequest, ShiftRun, Weights } from '../../../lib/shift/engine';
import { memoryLease } from '../../../lib/shift/leases';
import { World, all, check, minute, passing } from './world';

/** Two clusters with one workload, whose minimums a shift may raise; pods come a while later. */
class Clusters implements Capacity {
  public readonly minimums: Record<string, number> = { blue: 2, green: 2 };
  public readonly pods: Record<string, number> = { blue: 20, green: 2 };
  public readonly calls: string[] = [];
  /** What was raised by the first call that prepares, and the weights that were live when it was given back. */
  public readonly prepared: (CapacityRecord | undefined)[] = [];
  public readonly givenBackAt: unknown[] = [];
  /** Called before each call that changes or records something. */
  public onCall: (call: string) => void = () => undefined;
  public isDead = false;
  /** Green's weights that were asked for, and those after them. */
  public readonly requests = new Set<string>();
  private readonly asked = new Map<number, number>();

  public async prepare({
    origin,
    next,
    ahead,
    raised,
    remember,
  }: CapacityRequest): ReturnType<Capacity['prepare']> {
    this.refuseDead();
    this.prepared.push(raised);
    this.requests.add(`${next['green']} ${ahead?.['green']}`);
    const need = Math.ceil((20 * next['green']!) / origin['blue']!);
    const wanted = {
      blue: { minimums: { 'hpa/web/web': [2, 20, 20] as const } },
      green: { minimums: { 'hpa/web/web': [2, 2, Math.max(2, need)] as const } },
    };
    if (JSON.stringify(raised) !== JSON.stringify(wanted)) {
      this.call('remember');
      await remember(wanted);
    }
    this.call('hold');
    this.minimums['blue'] = 20;
    this.call('raise');
    this.minimums['green'] = Math.max(2, need);
    const asked = (this.asked.get(need) ?? 0) + 1;
    this.asked.set(need, asked);
    if (asked < 3) {
      return { status: 'inconclusive', reason: 'pods start', figures: [], holds: true };
    }
    this.pods['green'] = Math.max(2, need);
    return { status: 'pass', reason: 'ready', figures: [] };
  }

  public giveBack(
    raised: CapacityRecord,
    _signal?: AbortSignal,
    live?: Weights,
  ): ReturnType<Capacity['giveBack']> {
    this.givenBackAt.push(live);
    for (const [slot, { minimums }] of Object.entries(raised)) {
      this.call(`give back ${slot}`);
      if (this.isDead) {
        return Promise.resolve({ problem: `${slot}: its API server does not answer`, raised });
      }
      this.minimums[slot] = Object.values(minimums)[0]![0]!;
    }
    return Promise.resolve(undefined);
  }

  private refuseDead(): void {
    if (this.isDead) {
      throw new Error('the API server does not answer');
    }
  }

  private call(call: string): void {
    this.calls.push(call);
    this.onCall(call);
  }
}

const plan = { step: [50], every: '2m', bake: '5m', checkEvery: '30s', inconclusiveLimit: '10m' } as const;

test('capacity is there before each write, the old slot keeps its own until the bake is over, and both are given back', async () => {
  const world = new World();
  const clusters = new Clusters();
  const seen: object[] = [];
  const observer = { written: () => void seen.push({ ...clusters.minimums, pods: clusters.pods['green'] }) };
  const outcome = await world.run(plan, { capacity: clusters, observer });
  expect(outcome).toMatchObject({ verdict: 'completed' });
  expect(outcome).not.toHaveProperty('capacityProblem');
  expect(seen).toEqual([
    { blue: 20, green: 10, pods: 10 },
    { blue: 20, green: 20, pods: 20 },
  ]);
  expect(clusters.calls.filter((call) => call.startsWith('give'))).toEqual([
    'give back blue',
    'give back green',
  ]);
  // What the step after the next one needs starts meanwhile.
  expect([...clusters.requests]).toEqual(['50 100', '100 undefined']);
  expect(clusters.minimums).toEqual({ blue: 2, green: 2 });
  expect(world.memory.record).toMatchObject({ ended: { verdict: 'completed' } });
  expect(world.memory.record).not.toHaveProperty('raised');
});

test('nothing is raised that is not on record', async () => {
  const world = new World();
  const clusters = new Clusters();
  const before: unknown[] = [];
  clusters.onCall = (call) =>
    call === 'hold' || call === 'raise' ? before.push(world.memory.record?.raised) : 0;
  await world.run(plan, { capacity: clusters });
  expect(before.length).toBeGreaterThan(4);
  expect(before.every((raised) => raised !== undefined)).toBe(true);
});

test('what can not be recorded is not raised, and holds a shift that has not begun', async () => {
  const world = new World();
  const clusters = new Clusters();
  const process = world.process({ ...plan, inconclusiveLimit: '2m' }, { capacity: clusters });
  const lease = {
    ...process.lease,
    keep: () => Promise.reject(new Error('4,500 bytes are more than 4,096')),
  };
  const outcome = await (await import('../../../lib/shift/engine')).runShift({ ...process, lease });
  expect(outcome.reason).toMatch(/could not be put on record: .*4,500 bytes/);
  expect(clusters.minimums).toEqual({ blue: 2, green: 2 });
  expect(world.rule.writes).toEqual([]);
});

test('a lease that is found lost where capacity is to be put on record ends the shift at once', async () => {
  const world = new World();
  const clusters = new Clusters();
  let lostAt = Infinity;
  clusters.onCall = (call) => {
    if (call === 'remember' && world.rule.green.includes(50) && lostAt === Infinity) {
      lostAt = world.clock.now();
      void memoryLease({ memory: world.memory, clock: world.clock, holder: 'alex' }).seize({
        ...{ origin: all('blue'), wanted: all('blue'), written: all('blue'), startedAt: 0 },
        ended: { at: 0, verdict: 'evacuated', live: all('blue') },
        evacuated: { slots: ['green'], by: 'alex' },
      });
    }
  };
  const outcome = await world.run(plan, { capacity: clusters });
  expect(outcome).toMatchObject({ verdict: 'aborted', reason: expect.stringContaining('lease was lost') });
  expect(world.clock.now() - lostAt).toBeLessThan(minute);
  expect(world.rule.green).toEqual([50]);
});

test('a step waits for all of it: checks that would let it go a part of the way do not', async () => {
  const world = new World();
  const clusters = new Clusters();
  const part = check(
    ({ next }) => ({
      ...{ status: 'pass', reason: 'two targets', figures: [] },
      ...(clusters.pods['green']! < next!['green']! / 5 && { upTo: { green: 3 } }),
    }),
    ['before'],
    'capacity',
  );
  await world.run(plan, { capacity: clusters, checks: [passing, part] });
  expect(world.rule.green).toEqual([50, 100]);
});

describe('it is given back', () => {
  const failing = check(({ live }) => (live['green'] === 100 ? 'fail' : 'pass'));

  test('after a rollback', async () => {
    const [world, clusters] = [new World(), new Clusters()];
    const held: number[] = [];
    const observer = { written: () => void held.push(clusters.minimums['blue']!) };
    const outcome = await world.run(plan, { capacity: clusters, checks: [failing], observer });
    expect(outcome.verdict).toBe('rolledBack');
    expect(held).toEqual([20, 20, 20]);
    expect(clusters.minimums).toEqual({ blue: 2, green: 2 });
  });

  test('not while the shift is to go on', async () => {
    const [world, clusters] = [new World(), new Clusters()];
    const stop = new AbortController();
    const observer = { written: () => stop.abort() };
    const outcome = await world.run(plan, { capacity: clusters, signal: stop.signal, observer });
    expect(outcome).toMatchObject({ verdict: 'held' });
    expect(clusters.minimums).toEqual({ blue: 20, green: 10 });
    expect(world.memory.record).toMatchObject({ raised: { blue: {}, green: {} } });
    world.clock.advance(10 * minute);
    await world.run(plan, { capacity: clusters });
    expect(clusters.minimums).toEqual({ blue: 2, green: 2 });
  });

  test('by the next run, where an API server was dead', async () => {
    const [world, clusters] = [new World(), new Clusters()];
    const dying = { written: () => void (clusters.isDead = world.rule.writes.length === 2) };
    const outcome = await world.run(plan, { capacity: clusters, observer: dying });
    expect(outcome).toMatchObject({
      verdict: 'completed',
      capacityProblem: expect.stringMatching(/blue: its API server/),
    });
    expect(world.memory.record).toMatchObject({ ended: { verdict: 'completed' }, raised: { blue: {} } });
    clusters.isDead = false;
    world.clock.advance(10 * minute);
    const next = await world.run(plan, { capacity: clusters });
    expect(next).toMatchObject({ verdict: 'completed', reason: expect.stringMatching(/nothing to do/) });
    expect(clusters.minimums).toEqual({ blue: 2, green: 2 });
    expect(world.memory.record).toMatchObject({ ended: { verdict: 'completed' } });
    expect(world.memory.record).not.toHaveProperty('raised');
  });

  test('before another shift begins, whose counts are its own', async () => {
    const [world, clusters] = [new World(), new Clusters()];
    const dying = { written: () => void (clusters.isDead = world.rule.writes.length === 2) };
    await world.run(plan, { capacity: clusters, observer: dying });
    expect(world.memory.record).toMatchObject({ raised: { green: {} } });
    world.clock.advance(10 * minute);
    world.rule.weights = all('blue');
    clusters.isDead = false;
    clusters.prepared.length = clusters.givenBackAt.length = 0;
    let failures = 3;
    const giveBack = clusters.giveBack.bind(clusters);
    clusters.giveBack = (raised, signal, live) => {
      clusters.isDead = failures-- > 0;
      return giveBack(raised, signal, live);
    };
    expect(await world.run(plan, { capacity: clusters })).toMatchObject({ verdict: 'completed' });
    expect(failures).toBeLessThan(0);
    expect(clusters.prepared[0]).toBeUndefined();
    expect(clusters.minimums).toEqual({ blue: 2, green: 2 });
  });

  test('with the weights that are live then', async () => {
    for (const [checks, slot] of [
      [[passing], 'green'],
      [[failing], 'blue'],
    ] as const) {
      const [world, clusters] = [new World(), new Clusters()];
      await world.run(plan, { capacity: clusters, checks });
      expect(clusters.givenBackAt).toEqual([all(slot)]);
    }
  });

  test('or is named, where the next run has no access', async () => {
    const [world, clusters] = [new World(), new Clusters()];
    const dying = { written: () => void (clusters.isDead = world.rule.writes.length === 2) };
    await world.run(plan, { capacity: clusters, observer: dying });
    world.clock.advance(10 * minute);
    const next = await world.run(plan);
    expect(next.capacityProblem).toMatch(/no access to the clusters/);
    expect(world.memory.record).toHaveProperty('raised');
  });

  test('of several shifts that go back together, when the wave is complete or has gone back', async () => {
    for (const checks of [[passing], [failing]]) {
      const worlds = [new World(), new World()];
      const clusters = [new Clusters(), new Clusters()];
      const runs = worlds.map((world, index): ShiftRun =>
        world.process(plan, { capacity: clusters[index]!, checks: index === 0 ? [passing] : checks }),
      );
      await runWaves({ shifts: { eu: runs[0]!, us: runs[1]! }, waves: [['eu', 'us']], onFailure: 'wave' });
      expect(clusters.map(({ minimums }) => minimums)).toEqual([
        { blue: 2, green: 2 },
        { blue: 2, green: 2 },
      ]);
      worlds.forEach(({ memory }) => expect(memory.record).not.toHaveProperty('raised'));
    }
  });
});

test('killed at any call and run again, it ends where an uninterrupted one ends, and leaks nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (kills, fails) => {
        const [world, clusters] = [new World(), new Clusters()];
        const errors = check(({ live }) => (fails && live['green'] === 100 ? 'fail' : 'pass'));
        let verdict = '';
        for (const at of [...kills, Infinity]) {
          const kill = new AbortController();
          const until = clusters.calls.length + at;
          // A process that is gone neither changes anything nor hears of it.
          clusters.onCall = () => {
            if (clusters.calls.length >= until) {
              kill.abort();
              throw new Error('killed');
            }
          };
          const outcome = await world.run(plan, { capacity: clusters, checks: [errors], kill: kill.signal });
          verdict = outcome.verdict;
          world.clock.advance(10 * minute);
        }
        expect(['completed', 'rolledBack']).toContain(verdict);
        expect(clusters.minimums).toEqual({ blue: 2, green: 2 });
        expect(world.rule.weights).toEqual(all(fails ? 'blue' : 'green'));
        expect(world.memory.record).not.toHaveProperty('raised');
      },
    ),
    { numRuns: 30 },
  );
});
