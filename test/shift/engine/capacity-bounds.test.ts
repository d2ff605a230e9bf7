import * as fc from 'fast-check';
import type { CheckBaseline, CheckResult, CheckWindow, ShiftRecord } from '../../../lib/shift/engine';
import { shiftPlan } from '../../../lib/shift/engine';
import { furthestStep, placeOf } from '../../../lib/shift/engine/steps';
import { World, all, check, minute, passing } from './world';

/** A check that lets green have so much at a time of the shift. */
const upTo = (most: (window: CheckWindow) => number, more: Partial<CheckResult> = {}) =>
  check(
    (window) => {
      const bound = most(window);
      const next = window.next?.['green'] ?? 0;
      const live = window.live['green'] ?? 0;
      const status = bound > live ? 'pass' : 'inconclusive';
      return {
        status,
        reason: `up to ${bound}`,
        figures: [],
        ...(status === 'pass' && bound < next && { upTo: { green: bound } }),
        ...more,
      };
    },
    ['before'],
    'capacity',
  );

const plan = { step: [50], every: '2m', bake: '0s', checkEvery: '30s' } as const;

describe('a step goes as far as checks let it', () => {
  test('and the next one goes on from there', async () => {
    const world = new World();
    const bounds = [3, 4, 20, 50, 80, 100];
    const outcome = await world.run(plan, {
      checks: [passing, upTo(() => bounds[world.rule.writes.length]!)],
    });
    expect(outcome.verdict).toBe('completed');
    expect(world.rule.green).toEqual([3, 4, 20, 50, 80, 100]);
    expect(outcome.log.map(({ text }) => text)).toContain('Step 1 of 3 (3 % of the way): blue 97, green 3.');
  });

  test('each of these steps is live for its time', async () => {
    const world = new World();
    await world.run(plan, { checks: [passing, upTo(({ live }) => (live['green']! < 30 ? 30 : 100))] });
    const [first, second] = world.rule.writes;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(2 * minute);
  });

  test('the bound of a check that has passed earlier holds while others make it wait', async () => {
    const world = new World();
    let asked = 0;
    const slow = check(() => ((asked += 1) < 3 ? 'inconclusive' : 'pass'), ['before'], 'slow');
    // It passes once, and says nothing any more when the other one passes.
    const once = check(
      ({ live }) =>
        live['green'] === 0 && asked > 1
          ? 'inconclusive'
          : {
              status: 'pass',
              reason: 'some',
              figures: [],
              ...(live['green'] === 0 && { upTo: { green: 7 } }),
            },
      ['before'],
      'capacity',
    );
    await world.run(plan, { checks: [passing, slow, once] });
    expect(world.rule.green[0]).toBe(7);
  });

  test('the least of two bounds', async () => {
    const world = new World();
    const other = { ...upTo(({ live }) => (live['green'] === 0 ? 12 : 100)), name: 'other' };
    await world.run(plan, { checks: [passing, upTo(({ live }) => (live['green'] === 0 ? 40 : 100)), other] });
    expect(world.rule.green).toEqual([12, 50, 100]);
  });

  test('a run that was killed on such a step goes on from it, with what was measured before the first write', async () => {
    const world = new World();
    const kill = new AbortController();
    const seen: (CheckBaseline | undefined)[] = [];
    const counting = upTo(({ baseline, live }) => {
      seen.push(baseline);
      return live['green'] === 0 ? 6 : 100;
    });
    const measured = {
      ...counting,
      evaluate: async (window: CheckWindow) => ({
        ...(await counting.evaluate(window)),
        baseline: { blue: 20 - world.rule.writes.length },
      }),
    };
    const observer = { written: () => kill.abort() };
    await world.run(plan, { checks: [passing, measured], kill: kill.signal, observer });
    expect(world.memory.record).toMatchObject({ origin: all('blue'), baselines: { capacity: { blue: 20 } } });
    world.clock.advance(10 * minute);
    const outcome = await world.run(plan, { checks: [passing, measured] });
    expect(outcome.verdict).toBe('completed');
    expect(world.rule.green).toEqual([6, 50, 100]);
    expect(outcome.log.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^Step 2 of 3 \(50 %/));
    expect(seen[0]).toBeUndefined();
    expect(seen.slice(1)).toEqual(seen.slice(1).map(() => ({ blue: 20 })));
  });

  test('whatever the bounds: weights only rise, no write is above its bound, and the shift comes to its end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
        fc.constantFrom<number | readonly number[]>(5, 50, 100, [1, 2, 50]),
        async (grows, step) => {
          const world = new World();
          const bound = () =>
            Math.min(
              100,
              grows.slice(0, world.rule.writes.length + 1).reduce((a, b) => a + b, 0),
            );
          const isEnough = grows.reduce((a, b) => a + b, 0) >= 100;
          const before = upTo(() => bound(), { holds: true });
          const outcome = await world.run(
            { ...plan, step, inconclusiveLimit: '5m' },
            { checks: [passing, before] },
          );
          const { green } = world.rule;
          expect(green).toEqual([...green].sort((one, other) => one - other));
          expect(outcome.verdict).toBe(isEnough ? 'completed' : 'held');
          expect(green.at(-1) === 100).toBe(isEnough);
          const sums = grows.map((_, index) => grows.slice(0, index + 1).reduce((a, b) => a + b, 0));
          green.forEach((weight, index) =>
            expect(weight).toBeLessThanOrEqual(sums[Math.min(index, sums.length - 1)]!),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('bounds of a check of one’s own', () => {
  const bounded = (bound: Record<string, number>, until = Infinity) => {
    let asked = 0;
    return check(
      () => ({
        status: 'pass',
        reason: 'bounds',
        figures: [],
        holds: true,
        ...((asked += 1) <= until && { upTo: bound }),
      }),
      ['before'],
    );
  };
  const limited = { ...plan, inconclusiveLimit: '3m' } as const;

  test.each([{ green: 0 }, { green: -5 }, { green: 0.5 }])('%j lets nothing go', async (bound) => {
    const world = new World();
    const outcome = await world.run(limited, { checks: [passing, bounded(bound)] });
    expect(outcome).toMatchObject({ verdict: 'held', final: all('blue') });
    expect(world.rule.writes).toEqual([]);
    const later = new World();
    await later.run(limited, { checks: [passing, bounded(bound, 2)] });
    expect(later.rule.green).toEqual([50, 100]);
  });

  test.each<Record<string, number>>([{ blue: 40 }, { red: -1 }, { blue: 0, green: 1_000_000 }])(
    '%j is of no slot that gains, and says nothing',
    async (bound) => {
      const world = new World();
      await world.run(limited, { checks: [passing, bounded(bound)] });
      expect(world.rule.green).toEqual([50, 100]);
    },
  );

  test('a slot may be named as a property of every object', async () => {
    const slots = ['blue', 'constructor'];
    const world = new World({ blue: 100, constructor: 0 } as unknown as ReturnType<typeof all>);
    const to = { blue: 0, constructor: 100 } as unknown as ReturnType<typeof all>;
    await world.run(shiftPlan(slots, to, plan), {
      checks: [passing, bounded({ constructor: 3 } as unknown as Record<string, number>, 1)],
    });
    expect(world.rule.writes.map(({ weights }) => weights['constructor'])).toEqual([3, 50, 100]);
  });
});

describe('a failure that says nothing against a slot', () => {
  const never = upTo(({ live }) => live['green']! + (live['green'] === 0 ? 5 : 0), { holds: true });

  test.each(['rollback', { rollbackTo: 'blue' }, 'hold'] as const)(
    'holds the traffic where it is (%j)',
    async (onFailure) => {
      const world = new World();
      const outcome = await world.run(
        { ...plan, onFailure, inconclusiveLimit: '3m' },
        { checks: [passing, never] },
      );
      expect(outcome.verdict).toBe('held');
      expect(outcome.reason).toMatch(/^capacity was inconclusive for 3m, which counts as failed: up to 5/);
      expect(world.rule.green).toEqual([5]);
      expect(world.memory.record?.ended).toBeUndefined();
    },
  );

  test('before anything has moved, nothing of it is left', async () => {
    const world = new World();
    const none = upTo(() => 0, { holds: true });
    const outcome = await world.run({ ...plan, inconclusiveLimit: '3m' }, { checks: [passing, none] });
    expect(outcome).toMatchObject({ verdict: 'held', final: all('blue') });
    expect(world.rule.writes).toEqual([]);
  });

  test('does not keep another failure from taking the traffic back', async () => {
    const world = new World();
    const errors = check(({ live }) => (live['green']! > 0 ? 'fail' : 'pass'));
    const failing = check(
      ({ live }) => ({
        status: live['green']! > 0 ? 'fail' : 'pass',
        reason: 'few',
        figures: [],
        holds: true,
      }),
      ['after'],
      'capacity',
    );
    const outcome = await world.run(plan, { checks: [errors, failing] });
    expect(outcome.verdict).toBe('rolledBack');
    expect(world.rule.green.at(-1)).toBe(0);
  });
});

describe('a rollback says what a check wants known', () => {
  const note = 'blue has 2 healthy targets now; it had 20 when it carried 100 %.';
  const noting = (until: number) =>
    check(
      ({ live }) => ({
        status: 'pass',
        reason: 'counted',
        figures: [],
        ...(live['green']! >= 50 && live['green']! < until && { rollbackNote: note }),
      }),
      ['after'],
      'capacity',
    );
  const failsAt = (weight: number) =>
    check(({ live, to, from }) => (live['green']! >= weight && to - from > minute ? 'fail' : 'pass'));

  test('the last thing that it has said', async () => {
    const world = new World();
    const outcome = await world.run(plan, { checks: [noting(101), failsAt(100)] });
    expect(outcome.verdict).toBe('rolledBack');
    expect(outcome.reason).toContain(note);
  });

  test('unless it has taken it back', async () => {
    const world = new World();
    const outcome = await world.run({ ...plan, every: '2m' }, { checks: [noting(100), failsAt(100)] });
    expect(outcome.verdict).toBe('rolledBack');
    expect(outcome.reason).not.toContain(note);
  });
});

describe('places of the way', () => {
  const to = { slots: ['blue', 'green', 'red'], wanted: { blue: 0, green: 60, red: 40 }, places: [100] };
  const from = { blue: 100, green: 0, red: 0 };

  test('the furthest step keeps every bound, and is one percent at least', () => {
    fc.assert(
      fc.property(fc.nat({ max: 99 }), fc.nat({ max: 100 }), fc.nat({ max: 100 }), (moved, green, red) => {
        const live = moved === 0 ? from : furthestStep(from, from, to, {}).weights;
        const { weights } = furthestStep(from, live, to, { green, red });
        const gained = 100 - weights['blue']! - (100 - live['blue']!);
        expect(gained >= 1 || live['blue'] === 0).toBe(true);
        if (gained > 1) {
          expect(weights['green']).toBeLessThanOrEqual(green);
          expect(weights['red']).toBeLessThanOrEqual(red);
        }
      }),
    );
  });

  test.each([
    [from, 0],
    [{ blue: 50, green: 30, red: 20 }, 50],
    [{ blue: 0, green: 60, red: 40 }, 100],
    [{ blue: 50, green: 50, red: 0 }, undefined],
    [{ blue: 0, green: 0, red: 100 }, undefined],
  ])('%j is at %j %%', (weights, place) => {
    expect(placeOf(weights, from, to)).toBe(place);
  });
});

test('a record that holds what checks have measured is read again', async () => {
  const record: ShiftRecord = {
    origin: all('blue'),
    wanted: all('green'),
    written: { blue: 94, green: 6 },
    startedAt: 0,
    baselines: { capacity: { blue: 7 } },
  };
  const world = new World({ blue: 94, green: 6 });
  world.memory.record = record;
  const seen: (CheckBaseline | undefined)[] = [];
  const before = check(
    ({ baseline }) => {
      seen.push(baseline);
      return 'pass';
    },
    ['before'],
    'capacity',
  );
  await world.run(plan, { checks: [passing, before] });
  expect(seen[0]).toEqual({ blue: 7 });
});
