import fc from 'fast-check';
import type {
  CheckStatus,
  CheckWindow,
  Router,
  ShiftOutcome,
  ShiftPlan,
  ShiftRecord,
  ShiftRun,
  Weights,
} from '../../../lib/shift/engine';
import { routerGroup, runShift, shiftPlan, stepsBetween } from '../../../lib/shift/engine';
import type { Fault } from './world';
import { all, bluePlan, changes, check, FakeRule, minute, World } from './world';

const never = new Promise<never>(() => undefined);

/** A process that is killed at one of the places where it waits for something. */
class Mortal {
  public places = 0;
  public readonly death: Promise<'killed'>;
  private dead = false;
  private die!: (how: 'killed') => void;
  private readonly end = new AbortController();

  public constructor(private readonly diesAt: number) {
    this.death = new Promise((resolve) => (this.die = resolve));
  }

  /** Runs it to its end, or to its death. */
  public run({ router, lease, clock, checks, ...rest }: ShiftRun): Promise<ShiftOutcome | 'killed'> {
    const mortal =
      <A extends any[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await this.place();
        const answer = await call(...args);
        await this.place();
        return answer;
      };
    const release = mortal((record?: ShiftRecord) => lease.release(record));
    const run = runShift({
      ...rest,
      // Its timers go with it.
      kill: this.end.signal,
      router: {
        name: router.name,
        read: mortal(() => router.read()),
        write: mortal((weights) => router.write(weights)),
      },
      lease: {
        name: lease.name,
        acquire: mortal(() => lease.acquire()),
        keep: mortal((record) => lease.keep(record)),
        look: () => lease.look(),
        release: (record) => (this.dead ? Promise.resolve() : release(record)),
        seize: (record) => lease.seize(record),
      },
      clock: { now: () => clock!.now(), sleep: mortal((time: number) => clock!.sleep(time)) },
      checks: checks.map((one) => ({
        ...one,
        evaluate: mortal((window: CheckWindow) => one.evaluate(window)),
      })),
    });
    return Promise.race([run, this.death]);
  }

  private place(): Promise<void> {
    this.places += 1;
    if (this.places > this.diesAt || this.dead) {
      this.dead = true;
      this.die('killed');
      this.end.abort();
      return never;
    }
    return Promise.resolve();
  }
}

interface Story {
  readonly plan: ShiftPlan;
  readonly live: Weights;
  readonly answer: (window: CheckWindow) => CheckStatus;
  readonly group?: boolean;
}

/** What a new process runs, and the second rule of a group. */
function processOf(
  world: World,
  { plan, live, answer, group }: Story,
  change: Partial<ShiftRun> = {},
  other?: FakeRule,
): ShiftRun {
  const second = other ?? new FakeRule(live, world.clock, 'other rule');
  const router: Router = group ? routerGroup([world.rule, second]) : world.rule;
  return world.process(plan, { router, checks: [check(answer, ['before', 'after'])], ...change });
}

/** Runs a shift that is killed at these places, one run after the other, and then once more to its end. */
async function tell(story: Story, kills: readonly number[], change: Partial<ShiftRun> = {}) {
  const world = new World(story.live);
  const other = new FakeRule(story.live, world.clock, 'other rule');
  for (const diesAt of kills) {
    await new Mortal(diesAt).run(processOf(world, story, change, other));
    // The lease of the dead expires.
    world.clock.advance(10 * minute);
  }
  const outcome = await runShift(processOf(world, story, change, other));
  return { world, other, outcome };
}

const bad =
  (percent: number) =>
  (window: CheckWindow): CheckStatus =>
    (window.live.green ?? 0) >= percent ? 'fail' : 'pass';
const settings = { step: 50, every: '30s', checkEvery: '30s', bake: '30s' } as const;

describe('killed at every place where it waits', () => {
  test.each([
    ['a shift that goes well', 101, all('green'), [50, 100]],
    ['one that is bad from the start', 1, all('blue'), [50, 0]],
    ['one that is bad at the end', 100, all('blue'), [50, 100, 0]],
  ])('%s ends where it ends without', async (_story, percent, final, green) => {
    for (const group of [false, true]) {
      const story = { plan: bluePlan(settings), live: all('blue'), answer: bad(percent), group };
      const whole = new Mortal(Infinity);
      await whole.run(processOf(new World(), story));
      // After the last one, the shift has ended: a new run is a new shift.
      for (let diesAt = 0; diesAt < whole.places - 1; diesAt += 1) {
        const { world, other, outcome } = await tell(story, [diesAt]);
        const seen = { diesAt, weights: world.rule.weights, green: world.rule.green, other: other.weights };
        expect(seen).toEqual({ diesAt, weights: final, green, other: group ? final : all('blue') });
        expect(outcome.final).toEqual(final);
      }
      expect(whole.places).toBeGreaterThan(20);
    }
  });

  test('then run again with a check that fails now: ends at the origin', async () => {
    const plan = bluePlan(settings);
    let killed = true;
    for (let diesAt = 0; killed; diesAt += 1) {
      const world = new World();
      const mortal = new Mortal(diesAt);
      killed = (await mortal.run(world.process(plan))) === 'killed';
      // After the end, there is no shift any more to take back.
      const ended = world.memory.record?.ended !== undefined && world.rule.weights.green === 100;
      world.clock.advance(10 * minute);
      await world.run(plan, { checks: [check(() => 'fail', ['before', 'after'])] });
      expect({ diesAt, weights: world.rule.weights }).toEqual({
        diesAt,
        weights: ended ? all('green') : all('blue'),
      });
    }
  });

  test('without a record, but with the origin that its caller knows', async () => {
    for (const percent of [101, 60]) {
      for (let diesAt = 0; diesAt < 40; diesAt += 1) {
        const story = { plan: bluePlan(settings), live: all('blue'), answer: bad(percent) };
        const lease = {
          name: 'none',
          acquire: () => Promise.resolve({}),
          look: () => Promise.resolve({}),
          keep: () => Promise.resolve(),
          release: () => Promise.resolve(),
          seize: () => Promise.resolve(undefined),
        };
        const { world } = await tell(story, [diesAt], { lease, origin: all('blue') });
        expect({ diesAt, weights: world.rule.weights }).toEqual({
          diesAt,
          weights: percent > 100 ? all('green') : all('blue'),
        });
      }
    }
  });
});

describe('an unfinished shift', () => {
  test('whose plan has other steps now goes on from the live weights, with the same origin', async () => {
    for (let diesAt = 0; diesAt < 40; diesAt += 1) {
      const world = new World();
      await new Mortal(diesAt).run(world.process({ ...settings, step: 30 }));
      world.clock.advance(10 * minute);
      const outcome = await world.run(settings, { checks: [check(bad(100))] });
      expect({ diesAt, final: outcome.final, from: outcome.from }).toEqual({
        diesAt,
        final: all('blue'),
        from: all('blue'),
      });
    }
  });

  test('whose wanted weights changed starts anew, from the live weights', async () => {
    const world = new World();
    const kill = new AbortController();
    world.rule.onWrite = () => void kill.abort();
    await world.run(settings, { kill: kill.signal });
    const less = bluePlan(settings, { blue: 90, green: 10 });
    const outcome = await world.run(less);
    expect(outcome).toMatchObject({
      verdict: 'completed',
      from: { blue: 50, green: 50 },
      final: { blue: 90, green: 10 },
    });
    expect(world.rule.green).toEqual([50, 30, 10]);
  });

  test('that somebody has put back by hand starts anew', async () => {
    const world = new World();
    await world.run({ ...settings, onFailure: 'hold' }, { checks: [check(bad(100))] });
    world.rule.weights = all('blue');
    expect(await world.run(settings)).toMatchObject({ verdict: 'completed', from: all('blue') });
    expect(world.rule.green).toEqual([50, 100, 50, 100]);
  });

  test('whose weights somebody else has changed stops once; then a run starts from there', async () => {
    const world = new World();
    await world.run({ ...settings, onFailure: 'hold' }, { checks: [check(bad(50))] });
    world.rule.weights = { blue: 70, green: 30 };
    const stopped = await world.run(settings);
    expect(stopped).toMatchObject({ verdict: 'aborted', final: { green: 30 } });
    expect(stopped.reason).toContain('this shift left blue 50, green 50');
    expect(await world.run(settings)).toMatchObject({ verdict: 'completed', from: { blue: 70, green: 30 } });
  });

  test('that was rolling back to what is wanted now is complete when it is back', async () => {
    const world = new World();
    world.rule.onWrite = (_call, { green }) => (green === 0 ? 'denied' : undefined);
    await world.run(settings, { checks: [check(bad(50))] });
    world.rule.onWrite = () => undefined;
    expect(await world.run(bluePlan(settings, all('blue')))).toMatchObject({
      verdict: 'completed',
      final: all('blue'),
    });
    expect(world.memory.record).toMatchObject({ ended: { verdict: 'completed', live: all('blue') } });
  });

  test.each([50, 100])(
    'that stays at %s % is taken back in one write by a run that is to do so',
    async (held) => {
      const world = new World();
      await world.run({ ...settings, onFailure: 'hold' }, { checks: [check(bad(held))] });
      const before = world.rule.writes.length;
      const undecided = check(() => 'inconclusive', ['before', 'after']);
      const outcome = await world.run(bluePlan(settings, all('blue')), {
        takeBack: true,
        checks: [undecided],
      });
      expect(outcome).toMatchObject({ verdict: 'completed', from: all('blue'), final: all('blue') });
      expect(outcome.reason).toMatch(
        /^This plan wants blue 100, green 0, with which an unfinished shift to /,
      );
      expect(world.rule.writes.slice(before).map(({ weights }) => weights)).toEqual([all('blue')]);
      expect(world.memory.record).toMatchObject({ ended: { verdict: 'completed' } });
    },
  );

  test('that was killed anywhere, and again while it was taken back, ends where it began', async () => {
    const story: Story = { plan: bluePlan(settings), live: all('blue'), answer: () => 'pass', group: true };
    const back = { ...story, plan: bluePlan(settings, all('blue')) };
    const places = fc.tuple(fc.nat(60), fc.nat(20));
    await fc.assert(
      fc.asyncProperty(places, async (kills) => {
        const world = new World();
        const other = new FakeRule(all('blue'), world.clock, 'other rule');
        for (const [index, diesAt] of kills.entries()) {
          const run = processOf(world, index === 0 ? story : back, { takeBack: index > 0 }, other);
          await new Mortal(diesAt).run(run);
          world.clock.advance(10 * minute);
        }
        const outcome = await runShift(processOf(world, back, { takeBack: true }, other));
        expect(outcome).toMatchObject({ verdict: 'completed', final: all('blue') });
        expect(other.weights).toEqual(all('blue'));
      }),
      { numRuns: 60 },
    );
  });

  test('that began elsewhere and has written nothing yet is taken to where it is wanted now', async () => {
    const left = { blue: 60, green: 40 };
    const world = new World(left);
    world.memory.record = { origin: left, wanted: all('green'), written: left, before: [left], startedAt: 0 };
    expect(await world.run(bluePlan(settings, all('blue')), { takeBack: true })).toMatchObject({
      verdict: 'completed',
      final: all('blue'),
    });
    expect(world.rule.writes.map(({ weights }) => weights)).toEqual([all('blue')]);
  });

  test('between slots that are no more is given up, aloud', async () => {
    const world = new World();
    const record = {
      origin: { red: 100 },
      wanted: all('blue'),
      written: { red: 50, blue: 50 },
      startedAt: 0,
    };
    world.memory.record = record;
    const outcome = await world.run(settings);
    expect(outcome).toMatchObject({ verdict: 'completed', from: all('blue') });
    expect(outcome.log[0]!.text).toMatch(/^An unfinished shift from red 100 to .* was between other slots/);
  });

  test('whose record does not say what stood before knows the step before', async () => {
    const world = new World({ blue: 50, green: 50 });
    world.memory.record = { origin: all('blue'), wanted: all('green'), written: all('green'), startedAt: 0 };
    expect(await world.run(settings)).toMatchObject({ verdict: 'completed', from: all('blue') });
    expect(world.rule.green).toEqual([100]);
  });
});

const slots = ['blue', 'green', 'red'];

const stories = fc.record({
  live: fc.constantFrom<Weights>(
    { blue: 100, green: 0, red: 0 },
    { blue: 60, green: 0, red: 40 },
    { blue: 1, green: 99, red: 0 },
  ),
  wanted: fc.constantFrom<Weights>(
    { blue: 0, green: 100, red: 0 },
    { blue: 20, green: 50, red: 30 },
    { blue: 90, green: 10, red: 0 },
  ),
  step: fc.constantFrom(100, 50, 30, 'geometric' as const, [5, 50]),
  percent: fc.integer({ min: 1, max: 150 }),
  kills: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3 }),
  faults: fc.array(
    fc.constantFrom<Fault | undefined>(undefined, undefined, undefined, 'throttled', 'unreachable', 'lost'),
    {
      maxLength: 30,
    },
  ),
  group: fc.boolean(),
});

test('whatever the plan, the figures, the faults and the kills: weights and ends are as they should be', async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ live, wanted, step, percent, kills, faults, group }) => {
      const plan = shiftPlan(slots, wanted, { ...settings, step });
      // What a check says depends on the weights alone, so that every run sees the same cluster.
      const moved = (window: CheckWindow) =>
        Math.abs(window.live.blue! - live.blue!) + Math.abs(window.live.green! - live.green!);
      const answer = (window: CheckWindow): CheckStatus => (moved(window) >= percent ? 'fail' : 'pass');
      const story = { plan, live, answer, group };
      const plain = await tell(story, []);
      const world = new World(live);
      const other = new FakeRule(live, world.clock, 'other rule');
      for (const rule of [world.rule, other]) {
        rule.onRead = (call) => (faults[call] === 'lost' ? undefined : faults[call]);
        rule.onWrite = (call) => faults[call + 7];
      }
      // An end that was reached is the end: a new run then is a new shift.
      let ended = false;
      for (const diesAt of [...kills, Infinity, Infinity, Infinity]) {
        if (ended) {
          break;
        }
        await new Mortal(diesAt).run(processOf(world, story, {}, other));
        ended = world.memory.record?.ended !== undefined && world.rule.writes.length > 0;
        world.clock.advance(10 * minute);
      }

      expect(world.rule.weights).toEqual(plain.world.rule.weights);
      expect(ended).toBe(true);
      const steps = stepsBetween(live, plan);
      for (const rule of group ? [world.rule, other] : [world.rule]) {
        const written = changes(rule.writes.map(({ weights }) => weights));
        const back = written.findIndex((weights) => JSON.stringify(weights) === JSON.stringify(live));
        const forwards = back < 0 ? written : written.slice(0, back);
        // Steps in their order, none left out and none twice; then at most one write back, to the origin, and nothing more.
        expect(forwards).toEqual(steps.slice(0, forwards.length));
        expect(written.length - forwards.length).toBe(back < 0 ? 0 : 1);
        expect(back >= 0 || forwards.length === steps.length).toBe(true);
        for (const weights of written) {
          expect(Object.values(weights).reduce((sum, weight) => sum + weight)).toBe(100);
        }
      }
    }),
    { numRuns: 60 },
  );
});
