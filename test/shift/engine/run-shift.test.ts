import type { CheckStatus, CheckWindow, ShiftProgress, Weights } from '../../../lib/shift/engine';
import { shiftPlan, SourceError } from '../../../lib/shift/engine';
import type { FakeRule } from './world';
import { all, bluePlan, check, minute, passing, result, whenLogged, World } from './world';

const steps = { step: 25, every: '2m', bake: '10m' } as const;

/** Fails from this many minutes on. */
function failsAt(world: World, minutes: number) {
  return check(() => (world.minutes >= minutes ? 'fail' : 'pass'));
}

describe('a shift that goes well', () => {
  test('writes each step once, an interval apart, bakes and confirms', async () => {
    const world = new World();
    const outcome = await world.run(steps);
    expect(outcome).toMatchObject({
      schemaVersion: 1,
      verdict: 'completed',
      from: all('blue'),
      to: all('green'),
      final: all('green'),
    });
    expect(world.rule.writes.map(({ at }) => (at - world.start) / minute)).toEqual([0, 2, 4, 6]);
    expect(world.rule.green).toEqual([25, 50, 75, 100]);
    expect(world.minutes).toBe(4 * 2 + 10);
    expect(outcome.writes.map(({ weights }) => weights.green)).toEqual([25, 50, 75, 100]);
    expect(outcome.startedAt).toBe('2030-01-01T00:00:00.000Z');
    expect(outcome.endedAt).toBe('2030-01-01T00:18:00.000Z');
    expect(world.memory).toMatchObject({ holder: undefined, record: { ended: { live: outcome.final } } });
  });

  test('needs no checks, and says that it has none', async () => {
    const world = new World();
    const outcome = await world.run(steps, { checks: [] });
    expect(outcome).toMatchObject({ verdict: 'completed', checks: [] });
    expect(outcome.log[0]!.text).toContain('Warning: there are no checks: the shift goes on whatever');
    expect((await new World().run(steps)).log[0]!.text).not.toContain('no checks');
    expect(world.rule.green).toEqual([25, 50, 75, 100]);
  });

  test('is complete at once where the wanted weights are live', async () => {
    const world = new World(all('green'));
    expect(await world.run(steps)).toMatchObject({ verdict: 'completed', writes: [], final: all('green') });
    expect([world.rule.writeCalls, world.minutes]).toEqual([0, 0]);
  });

  test('bakes where they are live, but a run before was killed on the way from an origin that the caller knows', async () => {
    const world = new World(all('green'));
    expect(await world.run(steps, { origin: all('blue') })).toMatchObject({
      verdict: 'completed',
      writes: [],
    });
    expect(world.minutes).toBe(12);
    const bad = new World(all('green'));
    expect(await bad.run(steps, { origin: all('blue'), checks: [check(() => 'fail')] })).toMatchObject({
      verdict: 'rolledBack',
      final: all('blue'),
    });
  });

  test('needs no bake', async () => {
    const world = new World();
    expect(await world.run({ ...steps, bake: '0s' })).toMatchObject({ verdict: 'completed' });
    expect(world.minutes).toBe(8);
  });

  test('shows checks what they need to know', async () => {
    const world = new World();
    const windows: CheckWindow[] = [];
    const spy = check((window) => (windows.push(window), 'pass'), ['before', 'after']);
    await world.run({ step: 50, every: '30s', checkEvery: '30s', bake: '30s' }, { checks: [spy] });
    const seen = windows.map(({ stage, from, to, live, next, writes }) => [
      stage,
      (from - world.start) / 1000,
      (to - world.start) / 1000,
      live.green,
      next?.green,
      writes.length,
    ]);
    expect(seen).toEqual([
      ['before', 0, 0, 0, 50, 0],
      ['after', 0, 30, 50, undefined, 1],
      ['before', 0, 30, 50, 100, 1],
      ['after', 30, 60, 100, undefined, 2],
      ['after', 30, 90, 100, undefined, 2],
    ]);
    expect(windows[0]).toMatchObject({ startedAt: world.start, origin: all('blue'), wanted: all('green') });
  });

  test('tells an observer enough for a line that is drawn anew, and for a log', async () => {
    const world = new World();
    const seen: ShiftProgress[] = [];
    const lines: string[] = [];
    await world.run(steps, {
      observer: { progress: (progress) => seen.push(progress), logged: ({ text }) => lines.push(text) },
    });
    const second = seen.find(({ step, activity }) => step === 2 && activity === 'standing');
    expect(second).toMatchObject({
      steps: 4,
      weights: { blue: 50, green: 50 },
      standsUntil: world.start + 4 * minute,
      endsAt: world.start + 18 * minute,
      checks: [{ name: 'errors', status: 'pass' }],
      pausedAt: null,
      verdict: null,
    });
    expect(new Set(seen.map(({ activity }) => activity))).toEqual(
      new Set(['starting', 'preparing', 'writing', 'standing', 'baking', 'ending']),
    );
    expect(seen.at(-1)).toMatchObject({ verdict: 'completed', weights: all('green'), endsAt: null });
    expect(lines[0]).toBe('From blue 100, green 0 to blue 0, green 100 in 4 steps, at least 18m.');
    expect(lines).toContain('Step 2 of 4 (50 % of the way): blue 50, green 50.');
  });

  test('is not stopped by an observer that throws', async () => {
    const throws = () => {
      throw new Error('no more space on the device');
    };
    const observer = { progress: throws, logged: throws, written: throws, checked: throws };
    expect(await new World().run(steps, { observer })).toMatchObject({ verdict: 'completed' });
  });

  test('says that an interval is shorter than traffic needs', async () => {
    const world = new World();
    const plan = shiftPlan(['blue', 'green'], all('green'), { every: '30s' }, 5 * minute);
    const { log } = await world.run(plan);
    expect(log[0]!.text).toContain('Warning: every is 30s');
  });
});

describe('a check', () => {
  test('that fails takes the traffic back at once, in one write, confirmed by reading', async () => {
    const world = new World();
    const failing = check(() =>
      world.minutes < 5
        ? 'pass'
        : {
            status: 'fail' as const,
            reason: 'too many errors',
            figures: [
              { name: 'error share', slot: 'green', value: 0.052, unit: 'share' as const, max: 0.01 },
            ],
          },
    );
    const outcome = await world.run(steps, { checks: [failing] });
    expect(outcome).toMatchObject({ verdict: 'rolledBack', from: all('blue'), final: all('blue') });
    expect(outcome.reason).toBe('errors: too many errors.\nThe traffic is back at blue 100, green 0.');
    expect(outcome.failed).toEqual(['errors']);
    expect(outcome.log.map(({ text }) => text)).toContain(
      [
        'errors: too many errors.',
        'Rolls back to blue 100, green 0.',
        'errors: too many errors [error share of green 5.2 % (at most 1 %)]',
      ].join('\n'),
    );
    expect(world.rule.green).toEqual([25, 50, 75, 0]);
    // In the middle of a step, not at its end.
    expect(world.minutes).toBe(5);
    expect(outcome.writes.at(-1)).toMatchObject({ rollback: true, weights: all('blue') });
    expect(world.memory).toMatchObject({ holder: undefined, record: { ended: { live: outcome.final } } });
  });

  test('that fails during the bake takes the traffic back', async () => {
    const world = new World();
    expect(await world.run(steps, { checks: [failsAt(world, 15)] })).toMatchObject({ verdict: 'rolledBack' });
    expect(world.rule.green).toEqual([25, 50, 75, 100, 0]);
    expect(world.minutes).toBe(15);
  });

  test('that fails before the first write leaves all as it is', async () => {
    const world = new World();
    const outcome = await world.run(steps, { checks: [check(() => 'fail', ['before'])] });
    expect(outcome).toMatchObject({ verdict: 'rolledBack', final: all('blue'), writes: [] });
    expect(outcome.reason).toContain('No traffic had moved.');
    expect(world.rule.writeCalls).toBe(0);
  });

  test('that fails is not held up by one that hangs', async () => {
    const world = new World();
    const hangs = check(() => 'pass', ['after'], 'hangs');
    const evaluate = (window: CheckWindow) =>
      world.minutes < 3 ? hangs.evaluate(window) : new Promise<never>(() => undefined);
    const outcome = await world.run(steps, { checks: [{ ...hangs, evaluate }, failsAt(world, 3)] });
    expect(outcome).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringContaining('errors: fail'),
    });
    expect(world.minutes).toBe(3);
  });

  test('that hangs is inconclusive after its time', async () => {
    const evaluate = () => new Promise<never>(() => undefined);
    const settings = { ...steps, every: '1m', inconclusiveLimit: '0s' };
    const outcome = await new World().run(settings, {
      checks: [{ ...passing, evaluate }],
      checkTimeoutMs: 2,
    });
    expect(outcome).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringContaining('no answer within 0.002 s'),
    });
  });

  test('that holds leaves the traffic, and the next run still knows the origin', async () => {
    const world = new World();
    const settings = { ...steps, onFailure: 'hold' } as const;
    const held = await world.run(settings, { checks: [failsAt(world, 3)], runAgain: 'shift plan.yaml' });
    expect(held).toMatchObject({ verdict: 'held', final: { blue: 50, green: 50 } });
    expect(held.reason).toContain('Live: blue 50, green 50.\nTo go on: shift plan.yaml');
    expect(await world.run(steps, { checks: [check(() => 'fail')] })).toMatchObject({
      verdict: 'rolledBack',
      from: all('blue'),
      final: all('blue'),
    });
  });

  test('that fails can give everything to a named slot', async () => {
    const world = new World({ blue: 60, green: 40 });
    const settings = { ...steps, onFailure: { rollbackTo: 'blue' } };
    expect(await world.run(settings, { checks: [failsAt(world, 3)] })).toMatchObject({
      verdict: 'rolledBack',
      from: { blue: 60, green: 40 },
      final: all('blue'),
    });
    expect(world.rule.green).toEqual([55, 70, 0]);
  });

  test('that stays inconclusive fails at the limit, and not before', async () => {
    const world = new World();
    const outcome = await world.run(steps, {
      checks: [check(() => result('inconclusive', 'too few requests'))],
    });
    expect(outcome.verdict).toBe('rolledBack');
    expect(outcome.reason).toContain(
      'errors was inconclusive for 10m, which counts as failed: too few requests',
    );
    expect(world.minutes).toBe(12);
    expect(outcome.log.filter(({ text }) => text.startsWith('Not yet: errors'))).toHaveLength(1);
  });

  test('whose source is gone for a while only waits', async () => {
    const world = new World();
    const flaky = {
      ...passing,
      evaluate: () =>
        world.minutes > 1 && world.minutes < 9
          ? Promise.reject(new SourceError('503'))
          : Promise.resolve(result('pass')),
    };
    const outcome = await world.run(steps, { checks: [flaky] });
    expect(outcome).toMatchObject({ verdict: 'completed' });
    expect(world.rule.writes.map(({ at }) => (at - world.start) / minute)).toEqual([0, 9, 11, 13]);
    expect(outcome.checks).toContainEqual(expect.objectContaining({ reason: 'its source failed: 503' }));
  });

  test('whose source flaps holds up nothing, beside another one that flaps', async () => {
    const world = new World();
    const flaps = (name: string, odd: number) => {
      let asked = 0;
      return check(() => ((asked += 1) % 2 === odd ? 'inconclusive' : 'pass'), ['after'], name);
    };
    expect(await world.run(steps, { checks: [flaps('one', 0), flaps('other', 1)] })).toMatchObject({
      verdict: 'completed',
    });
    expect(world.minutes).toBeLessThan(20);
  });

  test('that is blind all through a long bake fails at the limit, not at its end', async () => {
    const world = new World();
    const blind = check((): CheckStatus => (world.minutes > 9 ? 'inconclusive' : 'pass'));
    expect(await world.run({ ...steps, bake: '24h' }, { checks: [blind] })).toMatchObject({
      verdict: 'rolledBack',
    });
    expect(world.minutes).toBeLessThan(20);
  });

  test('of the stage before is waited for, while the others go on watching', async () => {
    const world = new World();
    const capacity = check(() => (world.minutes < 6 ? 'inconclusive' : 'pass'), ['before'], 'capacity');
    expect(await world.run(steps, { checks: [capacity, passing] })).toMatchObject({ verdict: 'completed' });
    expect(world.rule.writes[0]!.at - world.start).toBe(6 * minute);
    const late = new World();
    const never = check(({ live }) => (live.green! > 0 ? 'inconclusive' : 'pass'), ['before'], 'capacity');
    expect(await late.run(steps, { checks: [never, failsAt(late, 4)] })).toMatchObject({
      verdict: 'rolledBack',
    });
    expect(late.minutes).toBe(4);
  });

  test('that answers nonsense, or throws, is inconclusive', async () => {
    for (const evaluate of [
      () => Promise.resolve({ ok: true } as never),
      () => Promise.reject(new TypeError('x')),
    ]) {
      const outcome = await new World().run(steps, { checks: [{ ...passing, evaluate }] });
      expect(outcome.verdict).toBe('rolledBack');
      expect(new Set(outcome.checks.map(({ status }) => status))).toEqual(new Set(['inconclusive']));
    }
  });
});

describe('a deadline', () => {
  test('that passes fails the shift, in the middle of a wait too', async () => {
    const world = new World();
    const outcome = await world.run({ ...steps, deadline: '5m' });
    expect(outcome).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringContaining('after 5m, its deadline'),
    });
    expect(world.minutes).toBe(5);
  });

  test('holds where the plan holds', async () => {
    const settings = { ...steps, deadline: '5m', onFailure: 'hold' } as const;
    expect(await new World().run(settings)).toMatchObject({
      verdict: 'held',
      final: { blue: 25, green: 75 },
    });
  });

  test('that is kept is no matter', async () => {
    expect(await new World().run({ ...steps, deadline: '18m' })).toMatchObject({ verdict: 'completed' });
  });
});

describe('a pause', () => {
  const paused = { ...steps, pause: [50] };

  test('without a way to go on ends the run; the next one goes on, with the same origin', async () => {
    const world = new World();
    const held = await world.run(paused);
    expect(held).toMatchObject({ verdict: 'held', final: { blue: 50, green: 50 } });
    expect(held.reason).toContain('Paused at 50 % of the way');
    expect(held.reason).toContain('To let it go on: run the same shift again');
    const runBeyond = (place: number) => `shift --resumed ${place}`;
    const again = await world.run(paused, { runBeyond });
    expect(again).toMatchObject({ verdict: 'held', writes: [] });
    expect(again.reason).toContain('To let it go on: shift --resumed 50');
    expect(await world.run(paused, { resumedTo: 50 })).toMatchObject({
      verdict: 'completed',
      from: all('blue'),
    });
    expect(world.rule.green).toEqual([25, 50, 75, 100]);
  });

  test('waits for a person, asks as often as it asks checks, and goes on', async () => {
    const world = new World();
    const asked: number[] = [];
    const resume = {
      how: 'touch go',
      resumed: (place: number) => Promise.resolve(asked.push(place) > 10),
    };
    const outcome = await world.run(paused, { resume });
    expect(outcome.verdict).toBe('completed');
    expect(outcome.log.filter(({ text }) => text === 'To let it go on: touch go')).toHaveLength(1);
    expect(asked).toEqual(Array(11).fill(50));
    expect(world.minutes).toBe(18 + 10 / 4);
  });

  test('is watched: a check that fails does not wait for the person', async () => {
    const world = new World();
    const resume = { how: '', resumed: () => Promise.reject(new Error('no such directory')) };
    expect(await world.run(paused, { resume, checks: [failsAt(world, 60)] })).toMatchObject({
      verdict: 'rolledBack',
    });
    expect(world.minutes).toBe(60);
    expect(world.rule.green).toEqual([25, 50, 0]);
  });

  test('ends at the deadline', async () => {
    const world = new World();
    const resume = { how: '', resumed: () => Promise.resolve(false) };
    await world.run({ ...paused, deadline: '1h' }, { resume });
    expect([world.minutes, world.rule.weights]).toEqual([60, all('blue')]);
  });

  test('at 0 % comes before the first write; one between two steps before the second', async () => {
    const world = new World();
    expect(await world.run({ ...steps, pause: [0] })).toMatchObject({
      verdict: 'held',
      final: all('blue'),
      writes: [],
    });
    expect(await world.run({ ...steps, pause: [60] })).toMatchObject({
      verdict: 'held',
      final: { green: 50 },
    });
  });
});

describe('an interrupt', () => {
  async function interruptedAt(text: string, settings: object, changes = {}) {
    const world = new World();
    const interrupt = new AbortController();
    const observer = whenLogged(text, () => interrupt.abort());
    const outcome = await world.run(
      { ...steps, ...settings },
      { signal: interrupt.signal, observer, ...changes },
    );
    return { world, outcome };
  }

  test('holds by default; the next run goes on with the same origin', async () => {
    const { world, outcome } = await interruptedAt('Step 2', {});
    expect(outcome).toMatchObject({ verdict: 'held', final: { blue: 50, green: 50 } });
    expect(world.rule.green).toEqual([25, 50]);
    expect(await world.run(steps)).toMatchObject({ verdict: 'completed', from: all('blue') });
    expect(world.rule.green).toEqual([25, 50, 75, 100]);
  });

  test('rolls back where the plan says so', async () => {
    const { world, outcome } = await interruptedAt('Step 2', { onInterrupt: 'rollback' });
    expect(outcome).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
    expect(world.rule.green).toEqual([25, 50, 0]);
  });

  test('before anything has moved leaves nothing to go on with', async () => {
    const world = new World();
    const interrupt = new AbortController();
    const resumed = () => {
      if (world.minutes > 5) {
        interrupt.abort();
      }
      return Promise.resolve(false);
    };
    const run = { resume: { how: 'touch go', resumed }, signal: interrupt.signal };
    expect(await world.run({ ...steps, pause: [0] }, run)).toMatchObject({ verdict: 'held', writes: [] });
    world.rule.weights = { blue: 80, green: 20 };
    expect(await world.run(steps)).toMatchObject({ verdict: 'completed', from: { green: 20 } });
  });

  test('before the start writes nothing', async () => {
    const world = new World();
    const outcome = await world.run(steps, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ verdict: 'held', writes: [], from: null, final: null });
    expect(world.rule.writeCalls).toBe(0);
  });

  test('lets the write that is under way come to its end', async () => {
    const world = new World();
    const interrupt = new AbortController();
    const slow = Object.assign(Object.create(world.rule) as FakeRule, {
      write: async (weights: any) => {
        interrupt.abort();
        await new Promise(setImmediate);
        await world.rule.write(weights);
      },
    });
    const outcome = await world.run(steps, { router: slow, signal: interrupt.signal });
    expect(outcome).toMatchObject({ verdict: 'held', final: { blue: 75, green: 25 } });
    expect(outcome.writes).toHaveLength(1);
  });

  test('does not stop a rollback', async () => {
    const { world, outcome } = await interruptedAt('Rolls back', {}, { checks: [check(() => 'fail')] });
    expect(outcome).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
    expect(world.memory).toMatchObject({ holder: undefined, record: { ended: { live: outcome.final } } });
  });

  test('that has little time drops a write that hangs, and the next run goes on', async () => {
    const world = new World();
    const interrupt = new AbortController();
    const hangs = Object.assign(Object.create(world.rule) as FakeRule, {
      write: () => {
        interrupt.abort();
        return new Promise(() => undefined);
      },
    });
    const begun = Date.now();
    const outcome = await world.run(steps, { router: hangs, signal: interrupt.signal, interruptGraceMs: 20 });
    expect(Date.now() - begun).toBeLessThan(1000);
    expect(outcome).toMatchObject({ verdict: 'held', final: null });
    expect(await world.run(steps)).toMatchObject({ verdict: 'completed' });
    expect(world.rule.green).toEqual([25, 50, 75, 100]);
  });

  test('the second one ends at once, in the middle of a rollback too: the next run finishes it', async () => {
    const world = new World();
    const kill = new AbortController();
    const hangs = Object.assign(Object.create(world.rule) as FakeRule, {
      write: (weights: Weights) => {
        if (weights.green !== 0) {
          return world.rule.write(weights);
        }
        kill.abort();
        return new Promise(() => undefined);
      },
    });
    const outcome = await world.run(steps, { router: hangs, checks: [failsAt(world, 3)], kill: kill.signal });
    expect(outcome).toMatchObject({ verdict: 'aborted', final: null });
    expect(outcome.reason).toContain('To finish the rollback: run the same shift again');
    expect(world.rule.weights).toEqual({ blue: 50, green: 50 });
    expect(await world.run(steps)).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
  });
});

test('a plan of three slots walks them together', async () => {
  const world = new World({ blue: 100 });
  const plan = shiftPlan(
    ['blue', 'green', 'red'],
    { green: 50, red: 50 },
    { step: 50, every: '1m', bake: '1m' },
  );
  expect(await world.run(plan)).toMatchObject({
    verdict: 'completed',
    final: { blue: 0, green: 50, red: 50 },
  });
  expect(world.rule.writes.map(({ weights }) => weights)).toEqual([
    { blue: 50, green: 25, red: 25 },
    { blue: 0, green: 50, red: 50 },
  ]);
  expect(bluePlan().slots).toEqual(['blue', 'green']);
});
