import type { ShiftRecord, Weights } from '../../../lib/shift/engine';
import { memoryLease } from '../../../lib/shift/leases';
import { all, bluePlan, check, World } from './world';

const settings = { step: 50, every: '30s', checkEvery: '30s', bake: '30s' } as const;

/** The record that an evacuation of these slots leaves. */
function evacuated(slots: readonly string[], live: Weights): ShiftRecord {
  return {
    origin: { blue: 40, green: 60 },
    wanted: live,
    written: live,
    startedAt: 0,
    ended: { at: 0, verdict: 'evacuated', live },
    evacuated: { slots, by: 'alex@laptop' },
  };
}

test('a slot that was evacuated gets no traffic by a shift, and no check is asked', async () => {
  const world = new World();
  world.memory.record = evacuated(['green'], all('blue'));
  let asked = 0;
  const outcome = await world.run(settings, { checks: [check(() => ((asked += 1), 'pass'))] });
  expect(outcome).toMatchObject({ verdict: 'aborted', writes: [], final: all('blue') });
  expect(outcome.reason).toMatch(
    /^slot green was evacuated at 1970-01-01T00:00:00.000Z by alex@laptop, and this/,
  );
  expect(outcome.reason).toContain('want weight 0 for green');
  expect([asked, world.rule.writeCalls]).toEqual([0, 0]);
  // It stays so for the run after it.
  expect(await world.run(settings)).toMatchObject({ verdict: 'aborted' });
});

test('nor does it by a rollback', async () => {
  const world = new World({ blue: 90, green: 10 });
  world.memory.record = evacuated(['green'], all('blue'));
  const plan = bluePlan({ ...settings, onFailure: { rollbackTo: 'green' } }, all('blue'));
  expect(await world.run(plan)).toMatchObject({ verdict: 'aborted', writes: [] });
});

test('a shift that leaves it without traffic goes on, rolls back to what is live now, and ends the evacuation', async () => {
  const world = new World(all('blue'));
  world.memory.record = evacuated(['green'], all('blue'));
  const plan = bluePlan(settings, all('blue'));
  // What the caller knows is from before the evacuation.
  expect(await world.run(plan, { origin: { blue: 40, green: 60 } })).toMatchObject({
    verdict: 'completed',
    writes: [],
    final: all('blue'),
  });
  expect(world.memory.record).not.toHaveProperty('evacuated');
  expect(await world.run(settings)).toMatchObject({ verdict: 'completed', final: all('green') });
});

test('evacuations of slots that the plan does not have keep nothing', async () => {
  const world = new World();
  world.memory.record = evacuated(['red'], all('blue'));
  expect(await world.run(settings)).toMatchObject({ verdict: 'completed' });
});

test('a shift whose lease is taken away by an evacuation ends without another write', async () => {
  const world = new World();
  let isDone = false;
  const outcome = await world.run(settings, {
    checks: [
      check(() => {
        if (!isDone && world.rule.weights.green === 50) {
          isDone = true;
          world.rule.weights = all('blue');
          void memoryLease({ memory: world.memory, clock: world.clock, holder: 'alex' }).seize(
            evacuated(['green'], all('blue')),
          );
        }
        return 'pass';
      }),
    ],
  });
  expect(outcome).toMatchObject({ verdict: 'aborted' });
  expect(world.rule.green).toEqual([50]);
  expect(world.memory.record).toMatchObject({
    evacuated: { slots: ['green'] },
    ended: { verdict: 'evacuated' },
  });
});
