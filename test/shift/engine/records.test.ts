import type { Clock } from '../../../lib/core/async';
import { steadyClock } from '../../../lib/core/async';
import type { Check, ShiftRecord } from '../../../lib/shift/engine';
import { markEnded, routerGroup, runShift, runWaves, shiftPlan } from '../../../lib/shift/engine';
import { memoryLease, noLease } from '../../../lib/shift/leases';
import { all, bluePlan, check, FakeRule, minute, passing, World } from './world';

const settings = { step: 50, every: '30s', checkEvery: '30s', bake: '30s' } as const;
const half = { blue: 50, green: 50 };
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a route of a wave that is taken back', () => {
  /** Fails once `us` has everything, after something has happened to `eu`, which is complete by then. */
  function waves(eu: World, us: World, lease: ReturnType<typeof noLease>, happens: () => Promise<unknown>) {
    let isDone = false;
    const late: Check = {
      name: 'late',
      stages: ['after'],
      evaluate: async ({ live }) => {
        if (live.green !== 100) {
          return { status: 'pass', reason: '', figures: [] };
        }
        for (let turns = 0; turns < 200 || eu.rule.weights.green !== 100; turns += 1) {
          await soon();
        }
        if (!isDone) {
          isDone = true;
          await happens();
        }
        return { status: 'fail', reason: 'bad', figures: [] };
      },
    };
    return runWaves({
      waves: [['eu', 'us']],
      shifts: {
        eu: { ...eu.process(settings), lease },
        us: { ...us.process({ ...settings, bake: '1h' }), checks: [late], lease: noLease() },
      },
    });
  }

  test.each<[string, (eu: World) => Promise<unknown>]>([
    ['an operator', (eu) => Promise.resolve((eu.rule.weights = { blue: 30, green: 70 }))],
    [
      'an operator who has forgotten the record',
      (eu) => {
        eu.rule.weights = { blue: 30, green: 70 };
        const { memory, clock } = eu;
        return markEnded(memoryLease({ memory, clock, holder: 'operator' }), {
          at: 0,
          verdict: 'forgotten',
          live: null,
        });
      },
    ],
    ['another shift that is complete', (eu) => eu.run(bluePlan(settings, { blue: 30, green: 70 }))],
  ])('keeps what %s has set', async (_who, happens) => {
    for (const held of [false, true]) {
      const [eu, us] = [new World(), new World()];
      const { memory, clock } = eu;
      const lease = held ? memoryLease({ memory, clock, holder: 'waves' }) : noLease();
      const { verdict, reverted } = await waves(eu, us, lease, () => happens(eu));
      expect([eu.rule.weights, verdict]).toEqual([{ blue: 30, green: 70 }, 'aborted']);
      expect(reverted.eu).toMatchObject({ verdict: 'aborted', writes: [] });
    }
  });

  test('goes back where nothing has happened to it: the control', async () => {
    const [eu, us] = [new World(), new World()];
    const { verdict } = await waves(eu, us, noLease(), () => Promise.resolve());
    expect([eu.rule.weights, us.rule.weights, verdict]).toEqual([all('blue'), all('blue'), 'rolledBack']);
  });

  test('and is cut short makes no rollback of the whole', async () => {
    const [eu, us] = [new World(), new World()];
    const kill = new AbortController();
    eu.rule.onWrite = (_call, { green }) => (green === 0 ? void kill.abort() : undefined);
    const outcome = await runWaves({
      waves: [['eu', 'us']],
      kill: kill.signal,
      shifts: {
        eu: { ...eu.process(settings), lease: noLease() },
        us: {
          ...us.process({ ...settings, bake: '1h' }),
          checks: [check(({ live }) => (live.green === 100 ? 'fail' : 'pass'))],
        },
      },
    });
    expect(outcome.verdict).toBe('aborted');
  });
});

describe('a rollback that was not done', () => {
  const slots = ['blue', 'green', 'red'];

  /** Its write to blue is refused, so that it stays on record. */
  async function unfinished(): Promise<World> {
    const world = new World({ blue: 50, red: 50, green: 0 });
    const plan = shiftPlan(slots, { green: 100 }, { ...settings, onFailure: { rollbackTo: 'blue' } });
    world.rule.onWrite = (_call, { blue }) => (blue === 100 ? 'denied' : undefined);
    const { reason } = await world.run(plan, { checks: [check(() => 'fail')] });
    expect(reason).toContain('THE TRAFFIC IS NOT BACK');
    world.rule.onWrite = () => undefined;
    return world;
  }

  test.each(['shift', 'roll back'])(
    'is finished by a plan without its rollbackTo that is to %s',
    async (what) => {
      const world = await unfinished();
      const how = what === 'shift' ? { checks: [passing] } : { rollBack: 'given up' };
      const outcome = await world.run(shiftPlan(slots, { green: 100 }, settings), how);
      expect([outcome.verdict, world.rule.weights]).toEqual(['rolledBack', { blue: 100, green: 0, red: 0 }]);
    },
  );

  test('to the slot that was to gain is not obeyed, nor taken for no record', async () => {
    const world = new World(half);
    world.memory.record = {
      ...{ origin: all('blue'), wanted: all('green'), written: all('green') },
      ...{ before: [half], startedAt: 5, rollingBack: true },
    };
    const outcome = await world.run(settings, { rollBack: 'given up' });
    expect(outcome).toMatchObject({ verdict: 'aborted', writes: [] });
    expect(outcome).not.toHaveProperty('noRecord');
    expect(outcome.reason).toContain('gives the slot that failed more');
  });
});

test('the record of other slots is not taken for none by a rollback', async () => {
  const world = new World(half);
  world.memory.record = {
    origin: { old: 100 },
    wanted: { green: 100 },
    written: { old: 50, green: 50 },
    startedAt: 5,
  };
  const outcome = await world.run(settings, { rollBack: 'given up' });
  expect(outcome.reason).toContain('was between other slots than this plan has');
  expect(outcome).not.toHaveProperty('noRecord');
});

test('weights before a step that are none of this plan are not written', async () => {
  const world = new World();
  const other = new FakeRule(half, world.clock, 'other');
  world.memory.record = {
    origin: all('blue'),
    wanted: all('green'),
    written: half,
    before: [{ blue: 0 }],
    startedAt: 5,
  };
  await world.run(settings, { router: routerGroup([world.rule, other]) });
  for (const { weights } of [...world.rule.writes, ...other.writes]) {
    expect((weights.blue ?? 0) + (weights.green ?? 0)).toBe(100);
  }
});

test('members that differ are left alone where any rollback would give one of them more of a slot that gains', async () => {
  const world = new World();
  const other = new FakeRule(all('blue'), world.clock, 'other');
  const router = routerGroup([world.rule, other]);
  other.onWrite = () => 'denied';
  await world.run(settings, { router });
  other.onWrite = () => undefined;
  const outcome = await world.run(bluePlan(settings, { blue: 75, green: 25 }), {
    router,
    checks: [check(() => 'fail')],
  });
  expect(outcome).toMatchObject({
    verdict: 'aborted',
    reason: expect.stringContaining('Set them to the same weights'),
  });
  expect([world.rule.weights, other.weights]).toEqual([half, all('blue')]);
  // The control: towards green each has a way back.
  await world.run(settings, {
    router: routerGroup([new FakeRule(half, world.clock), new FakeRule(half, world.clock)]),
  });
});

describe('a shift that has nothing to do gives up the record of another one', () => {
  test.each([true, false])('with keepRecord %s', async (keepRecord) => {
    const world = new World();
    const stop = new AbortController();
    world.rule.onWrite = () => void stop.abort();
    await world.run(settings, { signal: stop.signal });
    world.rule.onWrite = () => undefined;
    const outcome = await world.run(bluePlan(settings, half), { keepRecord });
    expect(outcome).toMatchObject({ verdict: 'completed', writes: [] });
    expect(world.memory.record).toMatchObject({ wanted: all('green'), ended: { verdict: 'forgotten' } });
    const back = await world.run(bluePlan(settings, half), { rollBack: 'given up' });
    expect([back.verdict, world.rule.weights]).toEqual(['aborted', half]);
  });

  test('but one that is stopped before it wrote leaves it', async () => {
    const world = new World();
    const stop = new AbortController();
    world.rule.onWrite = () => void stop.abort();
    await world.run(settings, { signal: stop.signal });
    const record = world.memory.record;
    await world.run(bluePlan(settings, all('blue')), { signal: AbortSignal.abort() });
    expect(world.memory.record).toEqual(record);
  });
});

describe('a lease', () => {
  test('whose mark is cut short is a problem, of one shift and of waves', async () => {
    const world = new World();
    const kill = new AbortController();
    const { lease, ...run } = world.process(settings, { kill: kill.signal });
    const never = (): Promise<never> => {
      setTimeout(() => kill.abort(), 5);
      return new Promise(() => undefined);
    };
    const outcome = await runShift({ ...run, lease: { ...lease, release: never } });
    expect(outcome).toMatchObject({
      verdict: 'completed',
      leaseProblem: expect.stringContaining('interrupted'),
    });
    const again = new World();
    const stop = new AbortController();
    const { lease: other, ...one } = again.process(settings);
    let taken = 0;
    const acquire = () => {
      taken += 1;
      if (taken === 1) {
        return other.acquire();
      }
      setTimeout(() => stop.abort(), 5);
      return new Promise<never>(() => undefined);
    };
    const waves = await runWaves({
      waves: [['eu']],
      kill: stop.signal,
      shifts: { eu: { ...one, lease: { ...other, acquire } } },
    });
    expect(waves.leaseProblems).toEqual([expect.stringContaining('interrupted')]);
  });

  test('that may have been taken when an interrupt came is given back', async () => {
    const world = new World();
    const stop = new AbortController();
    const { lease, ...run } = world.process(settings, { signal: stop.signal });
    const acquire = async () => {
      await lease.acquire();
      stop.abort();
      return new Promise<never>(() => undefined);
    };
    await runShift({ ...run, lease: { ...lease, acquire } });
    expect(world.memory.holder).toBeUndefined();
  });

  test('is kept while a write takes its time', async () => {
    const world = new World();
    const { lease, router, ...run } = world.process(settings);
    let keeps = 0;
    let isWriting = false;
    await runShift({
      ...run,
      clock: undefined,
      plan: bluePlan({ step: 100, every: '10ms', checkEvery: '10ms', bake: '0s' }),
      router: {
        name: 'slow',
        read: () => router.read(),
        write: async (weights) => {
          isWriting = true;
          await new Promise((resolve) => setTimeout(resolve, 400));
          isWriting = false;
          await router.write(weights);
        },
      },
      lease: {
        ...lease,
        durationMs: 150,
        keep: (record: ShiftRecord) => {
          keeps += isWriting ? 1 : 0;
          return lease.keep(record);
        },
      },
    });
    expect(keeps).toBeGreaterThanOrEqual(3);
  });
});

describe('the time of day that is set while a shift runs', () => {
  /** Sets the time of day at the third question, and answers with the times at which it was asked. */
  async function shiftWith(jump: number, fails: boolean) {
    const offset = { value: 0 };
    const begun = performance.now();
    const steady = steadyClock();
    const clock: Clock = { ...steady, wall: () => Date.now() + offset.value };
    const rule = new FakeRule(all('blue'), clock);
    const asked: number[] = [];
    const windows: number[] = [];
    const outcome = await runShift({
      plan: bluePlan({ step: 50, every: '200ms', checkEvery: '50ms', bake: '200ms' }),
      router: rule,
      clock,
      lease: noLease(),
      checks: [
        check(({ from, to }) => {
          asked.push(performance.now() - begun);
          windows.push(to - from);
          offset.value = asked.length >= 3 ? jump : 0;
          return fails && asked.length >= 4 ? 'fail' : 'pass';
        }),
      ],
    });
    return { outcome, took: performance.now() - begun, asked, windows };
  }

  test.each([-10 * minute, 10 * minute])('by %i ms holds up no question, and skips no time', async (jump) => {
    const failing = await shiftWith(jump, true);
    expect(failing.outcome.verdict).toBe('rolledBack');
    expect(failing.took).toBeLessThan(10_000);
    const passing = await shiftWith(jump, false);
    expect(passing.outcome.verdict).toBe('completed');
    expect(passing.took).toBeGreaterThan(550);
    // What a source of figures is called for is as long as the weights have stood.
    expect(Math.max(...passing.windows)).toBeLessThan(5_000);
    expect(Math.min(...passing.windows)).toBeGreaterThanOrEqual(0);
  });
});
