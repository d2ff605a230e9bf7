import { formatProblem as describeProblem } from '../../../lib/core/validation';
import type { ShiftSettings } from '../../../lib/shift/engine';
import { schedule, settingsBack, shiftPlan, shiftSettingsProblems } from '../../../lib/shift/engine';
import { all, bluePlan, minute } from './world';

const slots = ['blue', 'green'];

describe('a plan', () => {
  test('has defaults that need no thought', () => {
    expect(shiftPlan(slots, { green: 100 })).toEqual({
      slots,
      wanted: { blue: 0, green: 100 },
      places: [1, 2, 5, 10, 25, 50, 100],
      everyMs: 2 * minute,
      checkEveryMs: minute / 4,
      bakeMs: 10 * minute,
      pauses: [],
      deadlineMs: null,
      inconclusiveLimitMs: 10 * minute,
      onFailure: 'rollback',
      onInterrupt: 'hold',
      leastWaitMs: 0,
    });
  });

  test('waits by default until traffic follows', () => {
    expect(shiftPlan(slots, { green: 100 }, {}, 5 * minute).everyMs).toBe(5 * minute);
    expect(shiftPlan(slots, { green: 100 }, { every: '30s' }, 5 * minute).everyMs).toBe(minute / 2);
  });

  test('asks checks at least once a step', () => {
    expect(bluePlan({ every: '5s' }).checkEveryMs).toBe(5000);
    expect(bluePlan({ every: '5m', checkEvery: '1m' }).checkEveryMs).toBe(minute);
  });

  test('sorts its pauses', () => {
    expect(bluePlan({ pause: [50, 10, 50] }).pauses).toEqual([10, 50]);
  });

  test.each([
    ['step', { step: 0 }],
    ['step', { step: 1.5 }],
    ['step', { step: 'twice' }],
    ['step', { step: [] }],
    ['step[1]', { step: [10, 10] }],
    ['step[0]', { step: ['10'] }],
    ['firstStep', { step: 10, firstStep: 0 }],
    ['firstStep', { firstStep: 1 }],
    ['every', { every: '-1s' }],
    ['every', { every: '0s' }],
    ['every', { every: '10' }],
    ['every', { every: 10 }],
    ['checkEvery', { checkEvery: '0' }],
    ['bake', { bake: '10 minutes' }],
    ['deadline', { deadline: 'soon' }],
    ['inconclusiveLimit', { inconclusiveLimit: null }],
    ['pause', { pause: 50 }],
    ['pause[1]', { pause: [10, 100] }],
    ['onFailure', { onFailure: 'ignore' }],
    ['onFailure.rollbackTo', { onFailure: {} }],
    ['onFailure.rollbackTo', { onFailure: { rollbackTo: 'red' } }],
    ['onFailure.slot', { onFailure: { rollbackTo: 'blue', slot: 'blue' } }],
    ['onInterrupt', { onInterrupt: { rollbackTo: 'blue' } }],
    ['intervall', { intervall: '2m' }],
  ])('%s of %j is a problem', (path, settings) => {
    const problems = shiftSettingsProblems(settings as ShiftSettings, slots);
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(describeProblem(problems[0]!)).toMatch(/must be|is required|unknown key/);
  });

  test('that is no mapping is a problem', () => {
    expect(shiftSettingsProblems([] as unknown as ShiftSettings, slots)).toHaveLength(1);
    expect(shiftSettingsProblems(null as unknown as ShiftSettings, slots)).toHaveLength(1);
  });

  test('is refused with all problems at once, those of the weights too', () => {
    const settings = { step: 0, every: '2', pause: [-1] } as ShiftSettings;
    expect(() => shiftPlan(slots, { green: 90, red: 10 }, settings)).toThrow(/5 problems|4 problems/);
  });

  test('does not roll back to where it goes', () => {
    expect(() => bluePlan({ onFailure: { rollbackTo: 'green' } })).toThrow('onFailure.rollbackTo');
    expect(() => bluePlan({ onFailure: { rollbackTo: 'blue' } })).not.toThrow();
  });
});

describe('a schedule', () => {
  test('has the earliest time of every write, the bake and the end', () => {
    const plan = bluePlan({ step: 50, every: '5m', bake: '1h', pause: [50] });
    expect(schedule(all('blue'), plan)).toEqual({
      from: all('blue'),
      to: all('green'),
      steps: [
        { atMs: 0, percent: 50, weights: { blue: 50, green: 50 } },
        { atMs: 5 * minute, percent: 100, weights: all('green'), pauseBefore: 50 },
      ],
      bakeFromMs: 10 * minute,
      leastMs: 70 * minute,
      warnings: [],
    });
  });

  test('of a shift that is done takes no time', () => {
    expect(schedule(all('green'), bluePlan())).toMatchObject({ steps: [], leastMs: 0, warnings: [] });
  });

  test('warns of an interval that is too short for traffic to follow, and of a deadline that nothing can meet', () => {
    const plan = shiftPlan(slots, { green: 100 }, { every: '10s', deadline: '1m' }, 5 * minute);
    expect(schedule(all('blue'), plan).warnings).toEqual([
      expect.stringContaining('only after 5m'),
      expect.stringContaining('deadline of 1m'),
    ]);
  });
});

test('a shift that takes traffic back has nothing of the way forward that would keep it there', () => {
  const forward: ShiftSettings = {
    ...{ step: [1, 50], every: '2m', pause: [50], deadline: '30m', onInterrupt: 'rollback' },
    onFailure: { rollbackTo: 'blue' },
  };
  expect(settingsBack(forward, { blue: 100, green: 0 })).toEqual({ step: [1, 50], every: '2m' });
  expect(settingsBack(forward, { blue: 0, red: 100 })).toMatchObject({ onFailure: { rollbackTo: 'blue' } });
  expect(settingsBack({ onFailure: 'hold' }, { blue: 100 })).toEqual({ onFailure: 'hold' });
});
