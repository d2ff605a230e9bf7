import fc from 'fast-check';
import type { CheckStatus, CheckWindow, ShiftOutcome, ShiftPlan, Weights } from '../../../lib/shift/engine';
import type { Outlook } from '../../../lib/shift/engine';
import { formatWeights, outlook, runShift, shiftPlan } from '../../../lib/shift/engine';
import { all, bluePlan, check, minute, World } from './world';

const settings = { step: 50, every: '30s', checkEvery: '30s', bake: '30s' } as const;
const slots = ['blue', 'green', 'red'];

/** Ends a run at once at the given number of calls of its router and its lease, as a kill does; nothing is cleaned up. */
async function cut(world: World, plan: ShiftPlan, answer: Answer, calls: number): Promise<void> {
  const kill = new AbortController();
  let left = calls;
  const counted = <T>(call: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left <= 0) {
      kill.abort();
      return new Promise(() => undefined);
    }
    return call();
  };
  const { router, lease, ...run } = world.process(plan, { checks: [check(answer, ['before', 'after'])] });
  await runShift({
    ...run,
    kill: kill.signal,
    router: {
      ...router,
      name: router.name,
      read: () => counted(() => router.read()),
      write: (weights) => counted(() => router.write(weights)),
    },
    lease: {
      ...lease,
      keep: (record) => counted(() => lease.keep(record)),
      release: () => Promise.resolve(),
    },
  });
  // The lease of the dead expires.
  world.clock.advance(10 * minute);
}

type Answer = (window: CheckWindow) => CheckStatus;

/** A slot that is bad fails its check as long as it has weight, or is about to get it. */
const badSlots =
  (bad: readonly string[], seen: { failed: boolean }): Answer =>
  ({ live, next }) => {
    const fails = bad.some((slot) => ((next ?? live)[slot] ?? 0) > 0);
    seen.failed ||= fails;
    return fails ? 'fail' : 'pass';
  };

const weightsOfThree = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }))
  .map(([one, two]): Weights => {
    const blue = one * 25;
    const green = Math.min(100 - blue, two * 25);
    return { blue, green, red: 100 - blue - green };
  });

const plans = fc.record({
  wanted: weightsOfThree,
  step: fc.constantFrom(25, 50, 100),
  onFailure: fc.constantFrom(
    'rollback' as const,
    { rollbackTo: 'blue' },
    { rollbackTo: 'green' },
    'hold' as const,
  ),
});

const made = ({ wanted, step, onFailure }: { wanted: Weights; step: number; onFailure: any }): ShiftPlan => {
  const isWhole = typeof onFailure === 'object' && wanted[onFailure.rollbackTo] === 100;
  return shiftPlan(slots, wanted, { ...settings, step, onFailure: isWhole ? 'rollback' : onFailure });
};

describe('of two shifts, the first cut anywhere', () => {
  test('a failed check of the second never ends as completed, and gives no slot that was to gain more than it had', async () => {
    let [failed, anew] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          live: weightsOfThree,
          first: plans,
          second: plans,
          calls: fc.integer({ min: 1, max: 30 }),
          badFirst: fc.subarray(slots, { maxLength: 2 }),
          badSecond: fc.subarray(slots, { minLength: 1, maxLength: 2 }),
          noOrigin: fc.boolean(),
          said: weightsOfThree,
        }),
        async ({ live, first, second, calls, badFirst, badSecond, noOrigin, said }) => {
          const world = new World(live);
          await cut(world, made(first), badSlots(badFirst, { failed: false }), calls);
          const before = world.rule.weights;
          const rolling = world.memory.record?.rollingBack === true;
          const plan = made(second);
          const seen = { failed: false };
          const outcome = await world.run(plan, {
            checks: [check(badSlots(badSecond, seen), ['before', 'after'])],
            // A caller that remembers weights of another time.
            ...(noOrigin ? {} : { origin: said }),
          });
          if (!seen.failed || rolling) {
            return;
          }
          failed += 1;
          anew += outcome.log.some(({ text }) => text.includes('starts from the live weights')) ? 1 : 0;
          const what = { outcome, before, record: world.memory.record };
          expect({ ...what, verdict: outcome.verdict }).not.toMatchObject({ verdict: 'completed' });
          if (outcome.verdict === 'rolledBack') {
            for (const slot of slots) {
              const gains = (plan.wanted[slot] ?? 0) > (before[slot] ?? 0);
              expect({ ...what, slot, has: gains ? world.rule.weights[slot] : 0 }).toEqual({
                ...what,
                slot,
                has: gains ? Math.min(world.rule.weights[slot]!, before[slot]!) : 0,
              });
            }
          }
        },
      ),
      { numRuns: 400 },
    );
    // The property says something of these alone.
    expect([failed, anew].map((count) => count > 20)).toEqual([true, true]);
  });

  test.each([
    ['interrupted in its bake', { signal: true }],
    ['complete, with its record kept', { keepRecord: true }],
    ['complete, with a record that could not be marked', { unmarked: true }],
  ])('%s: the second goes back to where it began itself', async (_how, how) => {
    const world = new World();
    const stop = new AbortController();
    if ('signal' in how) {
      world.rule.onWrite = (_call, { green }) => void (green === 100 && stop.abort());
    }
    const { lease, ...run } = world.process(settings, {
      signal: stop.signal,
      keepRecord: 'keepRecord' in how,
    });
    const release = (): Promise<void> => Promise.reject(new Error('no answer'));
    const first = await runShift({ ...run, lease: 'unmarked' in how ? { ...lease, release } : lease });
    expect(first.final).toEqual(all('green'));
    expect(first.leaseProblem).toEqual(
      'unmarked' in how ? expect.stringContaining('marked as ended') : undefined,
    );
    world.rule.onWrite = () => undefined;
    world.clock.advance(60 * minute);
    const evaluated: (string | undefined)[] = [];
    const back = await world.run(bluePlan(settings, all('blue')), {
      checks: [
        check(({ origin, live }) => {
          evaluated.push(formatWeights(origin));
          return live.blue! > 0 ? 'fail' : 'pass';
        }),
      ],
    });
    expect(back).toMatchObject({ verdict: 'rolledBack', from: all('green'), final: all('green') });
    expect(new Set(evaluated)).toEqual(new Set(['blue 0, green 100']));
  });

  test('a rollback that was under way is finished, whatever the second wants', async () => {
    for (const wanted of [all('blue'), { blue: 20, green: 80 }, all('green')]) {
      const world = new World();
      world.rule.onWrite = (_call, { green }) => (green === 0 ? 'denied' : undefined);
      await world.run(settings, { checks: [check(() => 'fail')] });
      world.rule.onWrite = () => undefined;
      expect(world.rule.weights).toEqual({ blue: 50, green: 50 });
      const outcome = await world.run(bluePlan(settings, wanted));
      const verdict = wanted.blue === 100 ? 'completed' : 'rolledBack';
      expect(outcome).toMatchObject({ verdict, final: all('blue') });
    }
  });
});

describe('a record', () => {
  const at = Date.UTC(2030, 0, 1);
  const record = {
    origin: all('blue'),
    wanted: all('green'),
    written: all('green'),
    before: [all('blue')],
    startedAt: 5,
  };
  const half = { blue: 50, green: 50 };
  const of = (change: object, live: Weights, plan = bluePlan(settings)) =>
    outlook(plan, { record: { ...record, ...change } }, live, at);

  test.each<[string, object, Weights, Weights, string]>([
    [
      'that has ended is history',
      { ended: { at, verdict: 'completed', live: null } },
      all('green'),
      all('blue'),
      'none',
    ],
    ['of the same shift is gone on with', {}, all('green'), all('green'), 'goesOn'],
    ['of another shift is given up', {}, all('green'), all('blue'), 'startsAnew'],
    ['whose weights are not live stops', {}, half, all('green'), 'stops'],
    [
      'that was rolling back is finished',
      { rollingBack: true, written: all('blue'), before: [half] },
      half,
      { blue: 20, green: 80 },
      'finishesRollback',
    ],
    ['that would roll forward is not obeyed', { rollingBack: true }, all('blue'), all('green'), 'startsAnew'],
    [
      'that would roll back to weights which the live ones do not come from stops',
      { rollingBack: true, origin: all('green'), written: all('green'), before: [all('blue')] },
      all('blue'),
      all('green'),
      'stops',
    ],
    ['of other slots is given up', { origin: { red: 100 } }, all('blue'), all('green'), 'startsAnew'],
    [
      'with weights that are none is given up',
      { origin: { blue: 90 } },
      all('blue'),
      all('green'),
      'startsAnew',
    ],
    [
      'that began where the live weights can not come from is given up',
      { origin: half, before: [all('blue')] },
      all('blue'),
      all('green'),
      'startsAnew',
    ],
  ])('%s', (_what, change, live, wanted, use) => {
    expect(of(change, live, bluePlan(settings, wanted)).use).toBe(use);
  });

  test.each<[string, object, Weights, Outlook['use']]>([
    ['that began with the wanted weights is taken back', {}, all('green'), 'rollsBack'],
    ['half way as well', { written: half }, half, 'rollsBack'],
    ['that has ended is history', { ended: { at, verdict: 'completed', live: null } }, all('green'), 'none'],
    ['that began where a person had left it as well', { origin: half, before: [half] }, half, 'rollsBack'],
    ['whose weights are not live is given up', {}, half, 'startsAnew'],
  ])('%s, by a run that takes back', (_what, change, live, use) => {
    const plan = bluePlan(settings, all('blue'));
    const found = outlook(plan, { record: { ...record, ...change } }, live, at, { takeBack: true });
    expect(found.use).toBe(use);
    expect(found.rollsBackTo).toEqual(use === 'rollsBack' ? all('blue') : undefined);
  });

  test('is given up by a run that would give the slot more that was to gain', () => {
    const [few, most] = [
      { blue: 80, green: 20 },
      { blue: 60, green: 40 },
    ];
    const wanted = { ...record, origin: few, before: [few], written: few };
    const found = outlook(bluePlan(settings, most), { record: wanted }, few, at, { takeBack: true });
    expect(found.use).toBe('startsAnew');
  });

  test('tells a dry run what is left of the way', () => {
    const ahead = of({ written: half }, half, bluePlan({ ...settings, step: 25 }));
    expect(ahead.schedule).toMatchObject({
      from: half,
      steps: [
        { atMs: 30_000, weights: { green: 75 } },
        { atMs: 60_000, weights: { green: 100 } },
      ],
      leastMs: 120_000,
    });
    expect(of({ rollingBack: true, written: all('blue'), before: [half] }, half)).toMatchObject({
      rollsBackTo: all('blue'),
      schedule: { steps: [] },
    });
    expect(of({}, half).ends).toMatchObject({ verdict: 'aborted' });
  });
});

describe('to be rolled back', () => {
  test('without a record it writes nothing, and says what there is', async () => {
    const world = new World();
    await world.run(settings);
    const outcome = await world.run(settings, { rollBack: 'Its wave has failed.' });
    expect(outcome).toMatchObject({
      verdict: 'aborted',
      noRecord: true,
      from: null,
      final: all('green'),
      writes: [],
      reason: expect.stringMatching(
        /no record of an unfinished shift[^]*from blue 100, green 0 to blue 0, green 100, ended at .*: completed\.[^]*set the weights/,
      ),
    });
    expect(world.rule.weights).toEqual(all('green'));
  });

  test('with the record of another plan it goes to where that one began', async () => {
    const world = new World();
    await world.run(settings, { keepRecord: true });
    const outcome = await world.run(bluePlan(settings, { blue: 30, green: 70 }), { rollBack: 'Given up.' });
    expect(outcome).toMatchObject({ verdict: 'rolledBack', from: all('blue'), final: all('blue') });
    expect(world.memory.record).toMatchObject({ ended: { verdict: 'rolledBack' } });
  });

  test('a record that can not be read is not taken for none', async () => {
    const world = new World();
    const { lease, ...run } = world.process(settings, { rollBack: 'Given up.' });
    const problem = 'origin: 7: must be weights';
    const outcome = await runShift({
      ...run,
      lease: { ...lease, acquire: async () => ({ ...(await lease.acquire()), problem }) },
    });
    expect(outcome).toMatchObject({ verdict: 'aborted', reason: expect.stringContaining(problem) });
    expect(outcome).not.toHaveProperty('noRecord');
  });
});

test('rollbackTo a slot that gains is refused before the first write', async () => {
  const world = new World();
  const plan = bluePlan({ ...settings, onFailure: { rollbackTo: 'green' } }, { blue: 50, green: 50 });
  const outcome = await world.run(plan);
  expect(outcome).toMatchObject({ verdict: 'aborted', from: null, final: all('blue'), writes: [] });
  expect(outcome.reason).toContain('onFailure.rollbackTo: green gains traffic in this shift (from 0 to 50)');
});

test('a record that can not be read is said in the log', async () => {
  const world = new World();
  const { lease, ...run } = world.process(settings);
  const acquire = async () => ({ ...(await lease.acquire()), problem: 'it is no record of a shift' });
  const { log } = await runShift({ ...run, lease: { ...lease, acquire } });
  expect(log[0]!.text).toBe("The record of the lease can't be read: it is no record of a shift.");
});

test('a lease of a newer release is left alone', async () => {
  const world = new World();
  const { lease, ...run } = world.process(settings);
  const acquire = () => Promise.reject(new Error('a newer release wrote it'));
  const outcome: ShiftOutcome = await runShift({ ...run, lease: { ...lease, acquire } });
  expect(outcome).toMatchObject({ verdict: 'aborted', from: null, writes: [] });
  expect(world.rule.writes).toEqual([]);
});
