import type { ShiftAnswer, ShiftEvent, ShiftPlan, ShiftState, Weights } from '../../../lib/shift/engine';
import { next } from '../../../lib/shift/engine';
import { course, end, events, half, now, plan, states } from './machine-states';
import { all } from './world';

const { 'ending read': ending, 'returning read': returning, writing } = states;
const held = { verdict: 'held', reason: 'it stays.', finished: false, advice: 'runAgain' } as const;
const foreign: Weights = { blue: 10, green: 90 };

const fails = (failure: 'throttled' | 'denied' | 'notFound' | 'unreachable', live?: Weights): ShiftEvent => ({
  ...{ type: 'routerFailed', at: now, failure, message: 'it said so.' },
  ...(live ? { live } : {}),
});
const found = (weights: Weights, other?: Weights): ShiftEvent => ({
  ...{ type: 'live', at: now, weights },
  ...(other
    ? {
        members: [
          { name: 'rule', weights },
          { name: 'other rule', weights: other },
        ],
      }
    : {}),
});

/** How it ends and what is live then; or what it does instead. */
function told({ state, actions }: ShiftAnswer): readonly unknown[] {
  if (state.phase === 'ended') {
    expect(actions).toEqual([{ type: 'log', text: `${state.end.verdict}: ${state.end.reason}` }]);
  }
  if (state.phase !== 'ended' && state.phase !== 'ending') {
    return [state.phase, ...actions.flatMap((each) => (each.type === 'log' ? [each.text] : []))];
  }
  const { verdict, reason, finished, advice } = state.end;
  const live = state.phase === 'ended' ? state.live : 'to be read';
  return [verdict, reason, finished ? 'finished' : advice, live];
}

const foreignText =
  'Another process changed the weights: this shift left blue 50, green 50, but blue 10, green 90 is live. ' +
  'It wrote nothing over it. Find out who changes them; a new run starts from the weights that it finds.';
const notBack = 'THE TRAFFIC IS NOT BACK at blue 100, green 0: ';
const again = 'The router was throttled again and again: it said so.';

type Case = [name: string, state: ShiftState, event: ShiftEvent, ...expected: unknown[]];

test.each<Case>([
  ['the last look', ending, found(half), 'completed', 'all is well.', 'finished', half],
  [
    'members that differ, as is known',
    { ...ending, end: held, course: { ...course, possible: [all('blue'), half] } },
    found(half, all('blue')),
    'held',
    'it stays.\nLive are blue 50, green 50 on rule; blue 100, green 0 on other rule.',
    'runAgain',
    null,
  ],
  [
    'a foreign change',
    ending,
    found(foreign),
    'aborted',
    `all is well.\n${foreignText}`,
    'finished',
    foreign,
  ],
  [
    'an end that needs no look, once more',
    { ...ending, end: held },
    fails('throttled'),
    'held',
    'it stays.',
    'runAgain',
    'to be read',
  ],
  [
    'an end that needs no look, without it',
    { ...ending, end: held, attempt: 1 },
    fails('throttled'),
    ...['held', `it stays.\nThe live weights are not known: ${again}`, 'runAgain', null],
  ],
  [
    'an end that needs no look, refused',
    { ...ending, end: held },
    fails('denied', half),
    ...[
      'held',
      'it stays.\nThe live weights are not known: The router refuses: it said so.',
      'runAgain',
      half,
    ],
  ],
  [
    'an end that rests on it, the seventh time',
    { ...ending, attempt: 6 },
    fails('throttled'),
    'completed',
    'all is well.',
    'finished',
    'to be read',
  ],
  [
    'an end that rests on it, the eighth time',
    { ...ending, attempt: 7 },
    fails('throttled'),
    ...['aborted', `all is well.\nThat could not be confirmed: ${again}`, 'runAgain', null],
  ],
  [
    'a rollback that rests on it, refused',
    { ...ending, end: { ...end, verdict: 'rolledBack' } },
    fails('denied', half),
    ...[
      'aborted',
      'all is well.\nThat could not be confirmed: The router refuses: it said so.',
      'runAgain',
      half,
    ],
  ],
])('the end of a shift: %s', (_, state, event, ...expected) => {
  expect(told(next(plan, state, event))).toEqual(expected);
});

test.each<Case>([
  [
    'a look that is refused',
    states['reading read'],
    fails('denied'),
    'aborted',
    'The router refuses: it said so.',
    'runAgain',
    null,
  ],
  [
    'with the live weights',
    states['reading read'],
    fails('denied', half),
    'aborted',
    'The router refuses: it said so.',
    'runAgain',
    half,
  ],
  [
    'a write that is refused',
    writing,
    fails('denied'),
    'aborted',
    'The router refuses: it said so.',
    'runAgain',
    'to be read',
  ],
  [
    'a write, with the live weights',
    writing,
    fails('denied', half),
    'aborted',
    'The router refuses: it said so.',
    'runAgain',
    half,
  ],
  [
    'a write to nothing',
    writing,
    fails('notFound'),
    ...[
      'aborted',
      'What holds the weights vanished during the shift: it said so. It was deleted; nothing was written.',
      'runAgain',
      null,
    ],
  ],
  ['a write, the seventh time', { ...writing, attempt: 6 }, fails('throttled'), 'reading', 'it said so.'],
  [
    'a write, the eighth time',
    { ...writing, attempt: 7 },
    fails('throttled'),
    'aborted',
    again,
    'runAgain',
    'to be read',
  ],
  [
    'no answer, the eighth time',
    { ...writing, attempt: 7 },
    fails('unreachable'),
    'aborted',
    'The router did not answer: it said so.',
    'runAgain',
    'to be read',
  ],
  [
    'a record, the seventh time',
    { ...states['announcing record'], attempt: 6 },
    events.recordFailed,
    'announcing',
    'no table.',
  ],
  [
    'a record, the eighth time',
    { ...states['announcing record'], attempt: 7 },
    events.recordFailed,
    ...['returning', 'The next step could not be put on record: no table.\nRolls back to blue 100, green 0.'],
  ],
  ['a foreign change', states['reading read'], found(foreign), 'aborted', foreignText, 'finished', foreign],
  [
    'a first look, the seventh time',
    { ...states['starting read'], attempt: 6 },
    fails('throttled'),
    'starting',
    'it said so.',
  ],
  [
    'a first look, the eighth time',
    { ...states['starting read'], attempt: 7 },
    fails('throttled'),
    ...['aborted', `${again}\nThis run wrote nothing.`, 'none', null],
  ],
  [
    'a first look that is refused',
    states['starting read'],
    fails('denied', half),
    ...['aborted', 'The router refuses: it said so.\nThis run wrote nothing.', 'none', half],
  ],
])('a step: %s', (_, state, event, ...expected) => {
  expect(told(next(plan, state, event))).toEqual(expected);
});

test.each<Case>([
  [
    'it is back',
    returning,
    found(all('blue')),
    ...['rolledBack', 'it failed.\nThe traffic is back at blue 100, green 0.', 'finished', all('blue')],
  ],
  [
    'a foreign change',
    returning,
    found(foreign),
    'aborted',
    `it failed.\n${foreignText}`,
    'finished',
    foreign,
  ],
  ['a record that fails is told', states['returning record'], events.recordFailed, 'returning', 'no table.'],
  ['a record', states['returning record'], events.recorded, 'returning'],
  [
    'it does not show yet',
    { ...states['returning confirm'], attempt: 43 },
    found(half),
    ...['returning', 'The rollback does not show yet: blue 50, green 50 is live.'],
  ],
  [
    'it never shows',
    { ...states['returning confirm'], attempt: 44 },
    found(half),
    'aborted',
    `${notBack}The rollback does not show yet: blue 50, green 50 is live.\nit failed.`,
    ...['finishRollback', half],
  ],
  [
    'a look, the forty-fourth time',
    { ...returning, attempt: 43 },
    fails('throttled'),
    'returning',
    'it said so.',
  ],
  [
    'a look, the forty-fifth time',
    { ...returning, attempt: 44 },
    fails('throttled'),
    'aborted',
    `${notBack}${again}\nit failed.`,
    'finishRollback',
    null,
  ],
  [
    'a look that is refused',
    returning,
    fails('denied', half),
    ...['aborted', `${notBack}The router refuses: it said so.\nit failed.`, 'finishRollback', half],
  ],
  [
    'a write that is refused',
    states['returning write'],
    fails('denied'),
    ...['aborted', `${notBack}The router refuses: it said so.\nit failed.`, 'finishRollback', 'to be read'],
  ],
  [
    'a write that is refused, with the live weights',
    states['returning write'],
    fails('denied', half),
    ...['aborted', `${notBack}The router refuses: it said so.\nit failed.`, 'finishRollback', half],
  ],
])('a rollback: %s', (_, state, event, ...expected) => {
  expect(told(next(plan, state, event))).toEqual(expected);
});

const completing = { ...states['standing checks'], bake: true };
const failing: ShiftEvent = {
  ...events.checkedAfter,
  results: [{ name: 'errors', status: 'fail', reason: 'many.', figures: [] }],
};
const holding: ShiftPlan = { ...plan, onFailure: 'hold', onInterrupt: 'hold' };
const rollingBack: ShiftPlan = { ...plan, onInterrupt: 'rollback' };
const unmoved = { ...completing, course: { ...course, possible: [all('blue')] } };
const stays = 'the traffic stays where it is.';

test.each<[name: string, plan: ShiftPlan, state: ShiftState, event: ShiftEvent, ...expected: unknown[]]>([
  [
    'it is done',
    plan,
    completing,
    events.checkedAfter,
    'completed',
    'blue 0, green 100 is live and has baked.',
    'finished',
    'to be read',
  ],
  [
    'a check fails',
    plan,
    completing,
    failing,
    'returning',
    'errors: many.\nRolls back to blue 100, green 0.\nerrors: many.',
  ],
  [
    'a check fails, and the plan holds',
    holding,
    completing,
    failing,
    ...[
      'held',
      'errors: many.\nThe traffic stays where it is, as onFailure requires.',
      'runAgain',
      'to be read',
    ],
  ],
  [
    'a check fails before anything moved',
    plan,
    unmoved,
    failing,
    'rolledBack',
    'errors: many.\nNo traffic had moved.',
    'finished',
    'to be read',
  ],
  [
    'interrupted at the start',
    plan,
    states['starting read'],
    events.interrupted,
    'held',
    'Interrupted before it wrote anything.',
    'runAgain',
    null,
  ],
  [
    'interrupted',
    holding,
    completing,
    events.interrupted,
    'held',
    `Interrupted: ${stays}`,
    'runAgain',
    'to be read',
  ],
  [
    'interrupted, to go back',
    rollingBack,
    completing,
    events.interrupted,
    'returning',
    'Interrupted.\nRolls back to blue 100, green 0.',
  ],
  [
    'killed at the start',
    plan,
    states['starting read'],
    events.killed,
    'held',
    'Stopped before it wrote anything.',
    'runAgain',
    null,
  ],
  ['killed', plan, completing, events.killed, 'held', `Stopped at once: ${stays}`, 'runAgain', null],
  [
    'killed before a rollback is on record',
    plan,
    states['returning record'],
    events.killed,
    ...[
      'aborted',
      'Stopped before the rollback to blue 100, green 0 was confirmed.\nit failed.',
      'runAgain',
      null,
    ],
  ],
  [
    'killed in a rollback',
    plan,
    states['returning write'],
    events.killed,
    ...[
      'aborted',
      'Stopped before the rollback to blue 100, green 0 was confirmed.\nit failed.',
      'finishRollback',
      null,
    ],
  ],
  ...(['completed', 'rolledBack', 'held', 'aborted'] as const).map(
    (verdict) =>
      [
        `killed in the last look of one that ${verdict}`,
        plan,
        { ...ending, end: { ...end, verdict } },
        events.killed,
        verdict === 'aborted' ? 'aborted' : 'held',
        ...['all is well.\nStopped before that was confirmed.', 'none', null],
      ] as [string, ShiftPlan, ShiftState, ShiftEvent, ...unknown[]],
  ),
  [
    'another one at the start',
    plan,
    states['starting read'],
    events.leaseTaken,
    'aborted',
    'held by a.\nThis run wrote nothing.',
    'none',
    null,
  ],
  [
    'another one',
    plan,
    completing,
    events.leaseTaken,
    'aborted',
    'The lease was lost. held by a.',
    'none',
    'to be read',
  ],
])('what ends it: %s', (_, how, state, event, ...expected) => {
  expect(told(next(how, state, event))).toEqual(expected);
});
