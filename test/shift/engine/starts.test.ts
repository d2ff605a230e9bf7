import type { ShiftEvent, ShiftPlan, ShiftRecord, ShiftStarted, Weights } from '../../../lib/shift/engine';
import { next, shiftPlan } from '../../../lib/shift/engine';
import { half, now, plan, start } from './machine-states';
import { all } from './world';

const [blue, green] = [all('blue'), all('green')];

function found(weights: Weights, other?: Weights): ShiftEvent {
  const members = [
    { name: 'rule', weights },
    { name: 'other rule', weights: other ?? weights },
  ];
  return { type: 'live', at: now, weights, ...(other ? { members } : {}) };
}

/** What comes of the first look: how it ends, or what it does and says, and where it is on which way. */
function begun(how: ShiftPlan, given: Partial<ShiftStarted>, live: ShiftEvent): Record<string, unknown> {
  const begin = { type: 'started', at: start, ...given } as const;
  const starting = { phase: 'starting', doing: 'read', attempt: 0, start: begin } as const;
  const { state, actions } = next(how, starting, live);
  const said = actions.flatMap((each) => (each.type === 'log' ? [each.text] : [])).join('|');
  if (state.phase === 'ended') {
    const { verdict, reason, finished, advice } = state.end;
    expect(advice).toBe('none');
    return { verdict, reason, finished, origin: state.origin, live: state.live };
  }
  if (!('course' in state)) {
    return { phase: state.phase };
  }
  const { course } = state;
  return {
    phase: state.phase,
    said,
    at: `${course.index + 1} of ${course.way.map(({ weights }) => weights.green).join(', ')}`,
    origin: course.origin,
    possible: course.possible,
  };
}

const record = (own: Partial<ShiftRecord>): { record: ShiftRecord } => ({
  record: { origin: blue, wanted: green, written: half, startedAt: start, before: [blue], ...own },
});

const fromBlue = 'From blue 100, green 0 to blue 0, green 100 in 2 steps, at least 14m.';
const fromHalf = 'From blue 50, green 50 to blue 0, green 100 in 1 step, at least 14m.';
const goesOn = 'Goes on with an unfinished shift. ';
const anew = { phase: 'preparing', said: fromBlue, at: '0 of 50, 100', origin: blue, possible: [blue] };

describe('without a record', () => {
  test.each<[string, Partial<ShiftStarted>, ShiftEvent, object]>([
    ['from the live weights', {}, found(blue), anew],
    [
      'a slot of another plan without traffic is no matter',
      {},
      found({ ...blue, red: 0 }),
      {
        phase: 'preparing',
        origin: { ...blue, red: 0 },
      },
    ],
    [
      'the origin of another plan is no matter',
      { origin: { white: 100 } },
      found(half),
      {
        phase: 'preparing',
        origin: half,
        at: '0 of 75, 100',
      },
    ],
    [
      'on the way from the origin',
      { origin: blue },
      found(half),
      {
        ...{ phase: 'standing', said: fromHalf, at: '1 of 50, 100', origin: blue, possible: [half] },
      },
    ],
    ['at the end of it', { origin: blue }, found(green), { phase: 'standing', at: '2 of 50, 100' }],
    [
      'between the steps of the way from the origin',
      { origin: blue },
      found({ blue: 80, green: 20 }),
      {
        ...{ phase: 'standing', at: '1 of 20, 50, 100', origin: blue, possible: [{ blue: 80, green: 20 }] },
      },
    ],
    [
      'to be rolled back',
      { origin: blue, rollBack: 'another one failed.' },
      found(half),
      {
        ...{ phase: 'returning', said: 'another one failed.\nRolls back to blue 100, green 0.' },
      },
    ],
    [
      'nothing to do',
      {},
      found(green),
      {
        ...{ verdict: 'completed', reason: 'blue 0, green 100 is live already: there was nothing to do.' },
        ...{ finished: true, origin: green, live: green },
      },
    ],
    [
      'members between two steps that follow each other',
      { origin: blue },
      found(green, half),
      {
        ...{ phase: 'preparing', at: '1 of 50, 100', origin: blue, possible: [half, green, blue] },
      },
    ],
    ['members between two that do not', { origin: blue }, found(green, blue), { verdict: 'aborted' }],
    [
      'members that differ',
      {},
      found(blue, half),
      {
        verdict: 'aborted',
        reason:
          'What this shift moves together does not have the same weights, and no unfinished shift explains it: ' +
          'blue 100, green 0 on rule; blue 50, green 50 on other rule. Set them to the same weights first.',
        ...{ finished: true, origin: null, live: null },
      },
    ],
    [
      'another slot',
      {},
      found({ blue: 50, red: 50 }),
      {
        verdict: 'aborted',
        reason:
          "The live weights are not whole percents of this plan's slots: blue 50, red 50; the slots are blue, green.",
        ...{ finished: false, live: { blue: 50, red: 50 } },
      },
    ],
    ['another slot beside all of it', {}, found({ ...blue, red: 5 }), { verdict: 'aborted' }],
    ['less than nothing', {}, found({ blue: 110, green: -10 }), { verdict: 'aborted' }],
    [
      'one member with another slot',
      {},
      found(blue, { red: 100 }),
      { verdict: 'aborted', finished: false, live: null },
    ],
  ])('%s', (_, given, live, expected) => {
    expect(begun(plan, given, live)).toMatchObject(expected);
  });

  test('bakes on a way of one step that has been gone', () => {
    const once = shiftPlan(['blue', 'green'], green, { step: 100 });
    expect(begun(once, { origin: blue }, found(green))).toMatchObject({ phase: 'standing', at: '1 of 100' });
  });

  test('warns, a line each', () => {
    const hasty = shiftPlan(
      ['blue', 'green'],
      green,
      { step: 50, every: '2m', bake: '10m', deadline: '5m' },
      300_000,
    );
    expect(begun(hasty, {}, found(blue)).said).toMatch(
      /^From .* at least 14m\.\nWarning: every is 2m, .*\.\nWarning: the deadline of 5m .*\.$/,
    );
  });
});

describe('with a record', () => {
  test.each<[string, Partial<ShiftStarted>, ShiftEvent, object]>([
    ['a step that was not written', record({}), found(blue), { ...anew, said: goesOn + fromBlue }],
    [
      'a step that was',
      record({}),
      found(half),
      {
        ...{ phase: 'standing', said: goesOn + fromHalf, at: '1 of 50, 100', possible: [half] },
      },
    ],
    [
      'a step that was written here and there',
      record({}),
      found(half, blue),
      {
        phase: 'preparing',
        said: `Goes on with a step that was not written everywhere. ${fromBlue}`,
        ...{ at: '0 of 50, 100', possible: [blue, half] },
      },
    ],
    [
      'a step back from the wanted weights',
      record({ before: [green] }),
      found(half, green),
      {
        ...{ phase: 'preparing', at: '0 of 100', possible: [green, half, blue] },
      },
    ],
    [
      'what stood before is not said',
      record({ written: green, before: [] }),
      found(green, half),
      {
        ...{ phase: 'preparing', at: '1 of 50, 100', possible: [half, green, blue] },
      },
    ],
    [
      'a rollback',
      record({ written: blue, before: [half], rollingBack: true }),
      found(half),
      {
        phase: 'returning',
        said: 'An earlier run had decided to roll back, and was stopped before it was done.\nRolls back to blue 100, green 0.',
        possible: [half, blue],
      },
    ],
    [
      'to be rolled back',
      { ...record({}), rollBack: 'another one failed.' },
      found(half),
      {
        ...{ phase: 'returning', said: 'another one failed.\nRolls back to blue 100, green 0.' },
        possible: [blue, half],
      },
    ],
    [
      'nothing to do',
      record({ origin: green, wanted: blue, written: green }),
      found(green),
      {
        ...{ verdict: 'completed', finished: true },
      },
    ],
    [
      'a foreign change',
      record({}),
      found({ blue: 10, green: 90 }),
      {
        verdict: 'aborted',
        reason: expect.stringMatching(
          /^An unfinished shift was to go on\. Another process changed the weights: this shift left blue 50, green 50, but/,
        ),
      },
    ],
    ...[{ origin: { red: 100 } }, { written: { red: 100 } }].map(
      (own): [string, Partial<ShiftStarted>, ShiftEvent, object] => [
        `another slot in ${Object.keys(own).join()}`,
        record(own),
        found(blue),
        { phase: 'preparing', origin: blue, possible: [blue] },
      ],
    ),
  ])('%s', (_, given, live, expected) => {
    expect(begun(plan, given, live)).toMatchObject(expected);
  });
});
