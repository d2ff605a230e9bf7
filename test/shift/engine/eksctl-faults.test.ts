import { SourceError } from '../../../lib/shift/engine';
import { noLease } from '../../../lib/shift/leases';
import { all, bluePlan, check, passing, result, World } from './world';

const second = 1000;

/** Each way in which eksctl_courier_alb goes wrong, as far as the machine and its driver are concerned. */
describe('faults of eksctl_courier_alb that a shift does not have', () => {
  const everySecond = { step: 10, firstStep: 1, every: '1s', bake: '10s' } as const;
  const failsAt = (world: World, seconds: number, until = Infinity) =>
    check(() => {
      const now = (world.clock.now() - world.start) / second;
      return now >= seconds && now < until ? 'fail' : 'pass';
    });

  test('a normal shift has as many writes as steps, and its last ones are analysed too', async () => {
    const world = new World();
    const outcome = await world.run(everySecond);
    expect(world.rule.green).toEqual([1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100]);
    expect(world.rule.writeCalls).toBe(11);
    expect(outcome.checks.length).toBeGreaterThanOrEqual(11 + 10);
  });

  test('bad from the start: one write back to 0, and it stays there', async () => {
    const world = new World();
    expect(await world.run(everySecond, { checks: [failsAt(world, 0)] })).toMatchObject({
      verdict: 'rolledBack',
      final: all('blue'),
    });
    expect(world.rule.writes.map(({ weights }) => weights.green)).toEqual([1, 0]);
  });

  test.each([
    [5, '2s', 12, [1, 6, 11, 16, 21, 26, 0], 7],
    [10, '10s', 35, [1, 11, 21, 31, 0], 5],
  ])('step %i every %s, bad at %i s: one write back', async (step, every, bad, green, writes) => {
    const world = new World();
    const settings = { step, firstStep: 1, every, checkEvery: '1s' };
    expect(await world.run(settings, { checks: [failsAt(world, bad)] })).toMatchObject({
      verdict: 'rolledBack',
    });
    expect(world.rule.green).toEqual(green);
    expect(world.rule.writeCalls).toBe(writes);
    expect(world.clock.now() - world.start).toBe(bad * second);
  });

  test('a metric source that answers 500 is no bad cluster: it waits, and after its limit it takes the traffic back', async () => {
    const settings = { step: 10, every: '10s', inconclusiveLimit: '1m' } as const;
    const brief = new World();
    const gone = (world: World, until: number) => ({
      ...passing,
      evaluate: () =>
        world.clock.now() - world.start < until
          ? Promise.reject(new SourceError('500'))
          : Promise.resolve(result('pass')),
    });
    expect(await brief.run(settings, { checks: [gone(brief, 30 * second)] })).toMatchObject({
      verdict: 'completed',
    });
    expect(brief.rule.green).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    const long = new World();
    expect(await long.run(settings, { checks: [gone(long, Infinity)] })).toMatchObject({
      verdict: 'rolledBack',
    });
    expect(long.rule.green).toEqual([10, 0]);
  });

  test('a metric that is bad for one poll takes the traffic back once, and for good', async () => {
    const world = new World();
    expect(await world.run(everySecond, { checks: [failsAt(world, 4, 5)] })).toMatchObject({
      verdict: 'rolledBack',
    });
    expect(world.rule.green).toEqual([1, 11, 21, 31, 0]);
  });

  test('no data is inconclusive, and no failure', async () => {
    const world = new World();
    const quiet = check(() => (world.minutes < 1 ? result('inconclusive', 'no requests') : 'pass'));
    expect(await world.run({ step: 50, every: '30s' }, { checks: [quiet] })).toMatchObject({
      verdict: 'completed',
    });
  });

  test.each(['hold', 'rollback'] as const)('one interrupt at 41 stops it: %s', async (onInterrupt) => {
    const world = new World();
    const interrupt = new AbortController();
    world.rule.onWrite = (_call, weights) => (weights.green === 41 ? void interrupt.abort() : undefined);
    const outcome = await world.run({ ...everySecond, onInterrupt }, { signal: interrupt.signal });
    expect(outcome.verdict).toBe(onInterrupt === 'hold' ? 'held' : 'rolledBack');
    expect(world.rule.green).toEqual([1, 11, 21, 31, 41, ...(onInterrupt === 'hold' ? [] : [0])]);
  });

  test('after a kill at 41 the next run goes on from there, and rolls back to where it all began', async () => {
    for (const bad of [false, true]) {
      const world = new World();
      const kill = new AbortController();
      world.rule.onWrite = (_call, weights) => (weights.green === 41 ? void kill.abort() : undefined);
      await world.run(everySecond, { kill: kill.signal });
      expect(world.rule.weights.green).toBe(41);
      const outcome = await world.run(everySecond, { checks: [check(() => (bad ? 'fail' : 'pass'))] });
      expect(outcome).toMatchObject({ from: all('blue'), final: bad ? all('blue') : all('green') });
      expect(world.rule.green).toEqual([1, 11, 21, 31, 41, ...(bad ? [0] : [51, 61, 71, 81, 91, 100])]);
    }
  });

  test('somebody resets the rule in the middle: it stops, writes nothing, and says who differs', async () => {
    const world = new World();
    const resets = check(({ live }) => {
      world.rule.weights = live.green === 41 ? all('blue') : world.rule.weights;
      return 'pass';
    });
    const outcome = await world.run(everySecond, { checks: [resets] });
    expect(outcome).toMatchObject({ verdict: 'aborted', final: all('blue') });
    expect(outcome.reason).toContain('this shift left blue 59, green 41, but blue 100, green 0 is live');
    expect(world.rule.green).toEqual([1, 11, 21, 31, 41]);
    expect(await world.run(everySecond)).toMatchObject({ verdict: 'completed', from: all('blue') });
  });

  test('somebody changes the rule: a rollback does not write over it either, nor is a shift called complete', async () => {
    for (const when of ['a check fails', 'it bakes']) {
      const world = new World();
      const changed = { blue: 20, green: 80 };
      const changes = check(({ live }) => {
        const now = when === 'it bakes' ? live.green === 100 : live.green === 41;
        world.rule.weights = now ? changed : world.rule.weights;
        return now && when === 'a check fails' ? 'fail' : 'pass';
      });
      const outcome = await world.run(everySecond, { checks: [changes] });
      expect(outcome).toMatchObject({ verdict: 'aborted', final: changed });
      expect(world.rule.weights).toBe(changed);
    }
  });

  test('two at once: the second finds the lease taken and writes nothing', async () => {
    const world = new World();
    const [first, later] = await Promise.all([world.run(everySecond), world.run(everySecond)]);
    expect(first).toMatchObject({ verdict: 'completed' });
    expect(later).toMatchObject({
      verdict: 'aborted',
      writes: [],
      reason: expect.stringContaining('process 1 runs a shift'),
    });
    expect(world.rule.green).toEqual([1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100]);
  });

  test.each([0, 1, 499, 500, 1500])(
    'two at once without a lease, %i ms apart: one at most goes on',
    async (apart) => {
      const world = new World();
      const run = { lease: noLease() };
      const outcomes = await Promise.all([
        world.run(everySecond, run),
        world.clock.sleep(apart).then(() => world.run({ ...everySecond, step: 7 }, run)),
      ]);
      const verdicts = outcomes.map(({ verdict }) => verdict);
      expect(verdicts.filter((verdict) => verdict === 'completed').length).toBeLessThanOrEqual(1);
      expect(verdicts).toContain('aborted');
      // The loser writes nothing any more once it has seen the other's weights: after that, the weights only rise.
      const late = world.rule.green.slice(3);
      expect(late).toEqual([...late].sort((one, other) => one - other));
      const loser = outcomes.find(({ verdict }) => verdict === 'aborted')!;
      expect(loser.reason).toContain('Another process changed the weights');
      expect(loser.writes.length).toBeLessThanOrEqual(3);
    },
  );

  test('blue 10, green 90 is held', async () => {
    const world = new World();
    const wanted = { blue: 10, green: 90 };
    expect(await world.run(bluePlan({ step: 50 }, wanted))).toMatchObject({
      verdict: 'completed',
      final: wanted,
    });
    expect(world.rule.green).toEqual([45, 90]);
  });

  test('blue 90, green 10 goes up to 10 and no further', async () => {
    const world = new World();
    await world.run(bluePlan({}, { blue: 90, green: 10 }));
    expect(world.rule.green).toEqual([1, 3, 5, 10]);
  });

  test('equal weights are weights', async () => {
    const world = new World();
    const wanted = { blue: 50, green: 50 };
    expect(await world.run(bluePlan({ step: 50 }, wanted))).toMatchObject({ final: wanted });
  });

  test('a finished rule whose settings change is left alone', async () => {
    const world = new World(all('green'));
    await world.run({ step: 3, every: '7s' });
    expect(world.rule.writeCalls).toBe(0);
  });

  test('it starts from the live weights', async () => {
    const world = new World({ blue: 60, green: 40 });
    await world.run({ step: 50, every: '1s' });
    expect(world.rule.green).toEqual([70, 100]);
  });

  test('an interval below zero is bad input', () => {
    expect(() => bluePlan({ every: '-1s' })).toThrow('every: "-1s"');
  });

  test('a shift under ten seconds is analysed', async () => {
    const world = new World();
    const settings = { step: 50, every: '2s', bake: '1s' } as const;
    expect(await world.run(settings, { checks: [failsAt(world, 3)] })).toMatchObject({
      verdict: 'rolledBack',
    });
  });
});
