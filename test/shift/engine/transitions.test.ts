import type { ShiftAction, ShiftEvent, ShiftPlan, ShiftState } from '../../../lib/shift/engine';
import { next } from '../../../lib/shift/engine';
import { course, events, now, plan, states } from './machine-states';
import { all } from './world';

/** `PHASE DOING: ACTION`, without the log. */
function inShort({ state, actions }: { state: ShiftState; actions: readonly ShiftAction[] }): string {
  const asked = actions.filter(({ type }) => type !== 'log').map(inOneWord);
  const doing = 'doing' in state ? [state.doing] : [];
  return [[state.phase, ...doing].join(' '), ...asked].join(': ');
}

function inOneWord(action: ShiftAction): string {
  switch (action.type) {
    case 'wait':
      return `wait ${(action.until - now) / 1000} s${action.retry ? ', retry' : ''}`;
    case 'check':
      return `check ${action.stage}`;
    case 'write':
      return `write ${JSON.stringify(action.weights)}${action.rollback ? ', rollback' : ''}`;
    case 'ask':
    case 'log':
    case 'read':
    case 'record':
      return action.type;
  }
}

const retry = 'wait 1 s, retry';
const stopped = { leaseTaken: 'ending read: read', interrupted: 'ending read: read', killed: 'ended' };
const early = { leaseTaken: 'ended', interrupted: 'ended', killed: 'ended' };
const back = { leaseTaken: 'ending read: read', killed: 'ended' };
/** What a state does with the events that it waits for; all others change nothing. */
const transitions: Record<keyof typeof states, Partial<Record<keyof typeof events, string>>> = {
  idle: { started: 'starting read: read', ...early },
  'starting read': {
    live: 'preparing before: check before',
    routerFailed: `starting wait: ${retry}`,
    ...early,
  },
  'starting wait': { waited: 'starting read: read', ...early },
  'preparing before': { checkedBefore: 'announcing record: record', ...stopped },
  'preparing after': { checkedAfter: 'preparing before: check before', ...stopped },
  'preparing wait': { waited: 'preparing after: check after', ...stopped },
  'announcing record': {
    recorded: 'reading read: read',
    recordFailed: `announcing wait: ${retry}`,
    ...stopped,
  },
  'announcing wait': { waited: 'announcing record: record', ...stopped },
  'reading read': {
    live: 'writing: write {"blue":0,"green":100}',
    routerFailed: `reading wait: ${retry}`,
    ...stopped,
  },
  'reading wait': { waited: 'reading read: read', ...stopped },
  writing: { written: 'standing wait: wait 30 s', routerFailed: `reading wait: ${retry}`, ...stopped },
  'standing wait': { waited: 'standing checks: check after', ...stopped },
  'standing checks': { checkedAfter: 'preparing before: check before', ...stopped },
  'paused ask': {
    resumed: 'preparing before: check before',
    notResumed: 'paused wait: wait 30 s',
    cannotResume: 'ending read: read',
    ...stopped,
  },
  'paused wait': { waited: 'paused checks: check after', ...stopped },
  'paused checks': { checkedAfter: 'paused ask: ask', ...stopped },
  'returning record': { recorded: 'returning read: read', recordFailed: 'returning read: read', ...back },
  'returning read': {
    live: 'returning write: write {"blue":100,"green":0}, rollback',
    routerFailed: `returning wait: ${retry}`,
    ...back,
  },
  'returning write': {
    written: 'returning confirm: read',
    routerFailed: `returning wait: ${retry}`,
    ...back,
  },
  'returning confirm': {
    live: `returning wait: ${retry}`,
    routerFailed: `returning wait: ${retry}`,
    ...back,
  },
  'returning wait': { waited: 'returning read: read', ...back },
  'ending read': { live: 'ended', routerFailed: `ending wait: ${retry}`, killed: 'ended' },
  'ending wait': { waited: 'ending read: read', killed: 'ended' },
  ended: {},
};

test.each(Object.entries(states))('%s: which events it waits for', (name, state) => {
  const answered = Object.entries(events).flatMap(([type, event]) => {
    const answer = next(plan, state, event);
    return answer.state === state && answer.actions.length === 0 ? [] : [[type, inShort(answer)]];
  });
  expect(Object.fromEntries(answered)).toEqual(transitions[name as keyof typeof states]);
});

const {
  'standing wait': standing,
  'standing checks': checked,
  'preparing wait': preparing,
  'paused wait': paused,
} = states;
const unmoved = { ...course, index: -1, live: all('blue'), possible: [all('blue')] };
const last = { ...course, index: 1 };
const soon = { ...course, deadlineAt: now + 10_000 };
const late = { ...course, deadlineAt: now };
const unsure: ShiftEvent = {
  ...events.checkedAfter,
  results: [{ name: 'errors', status: 'inconclusive', reason: 'few requests.', figures: [] }],
};
const failed: ShiftEvent = {
  ...events.checkedAfter,
  results: [{ name: 'errors', status: 'fail', reason: 'many.', figures: [] }],
};

test.each<[string, ShiftPlan, ShiftState, ShiftEvent, string]>([
  [
    'before the first step only the checks before it are asked',
    plan,
    { ...preparing, course: unmoved },
    events.waited,
    'preparing before: check before',
  ],
  [
    'a pause before the first step is not watched',
    plan,
    { ...paused, course: unmoved },
    events.waited,
    'paused ask: ask',
  ],
  [
    'a bake follows the last step',
    plan,
    { ...checked, course: last },
    events.checkedAfter,
    'standing wait: wait 30 s',
  ],
  [
    'none follows where there is none',
    { ...plan, bakeMs: 0 },
    { ...checked, course: { ...last, deadlineAt: now } },
    events.checkedAfter,
    'ending read: read',
  ],
  ['a pause lies ahead', { ...plan, pauses: [50] }, checked, events.checkedAfter, 'paused ask: ask'],
  ['checks are asked again', plan, checked, unsure, 'standing wait: wait 30 s'],
  [
    'checks are asked when they are due',
    plan,
    { ...checked, look: { ...checked.look, dueAt: now + 7000 } },
    events.checkedAfter,
    'standing wait: wait 7 s',
  ],
  [
    'no wait goes beyond the deadline',
    plan,
    { ...checked, course: soon },
    unsure,
    'standing wait: wait 10 s',
  ],
  [
    'no pause does',
    plan,
    { ...states['paused ask'], course: soon },
    events.notResumed,
    'paused wait: wait 10 s',
  ],
  [
    'no deadline, no end',
    { ...plan, deadlineMs: null },
    { ...checked, course: { ...course, deadlineAt: null } },
    unsure,
    'standing wait: wait 30 s',
  ],
  ...(
    [
      ['before a step', states['preparing before'], events.checkedBefore],
      ['after a step', checked, events.checkedAfter],
      ['unsure', checked, unsure],
      ['at a pause', states['paused ask'], events.resumed],
    ] as const
  ).map(([when, state, event]): [string, ShiftPlan, ShiftState, ShiftEvent, string] => [
    `it is late ${when}`,
    plan,
    { ...state, course: late },
    event,
    'returning record: record',
  ]),
  [
    'weights that this shift has not written yet are foreign',
    plan,
    states['reading read'],
    { ...events.live, weights: all('green') },
    'ended',
  ],
  [
    'a step whose write was done after all is not written again',
    plan,
    { ...states['reading read'], course: states.writing.course },
    { ...events.live, weights: all('green') },
    'standing wait: wait 30 s',
  ],
  ...(['announcing record', 'announcing wait', 'reading read', 'reading wait'] as const).map(
    (name): [string, ShiftPlan, ShiftState, ShiftEvent, string] => [
      `a check that fails late keeps a step from being written: ${name}`,
      plan,
      states[name],
      failed,
      'returning record: record',
    ],
  ),
  ['a standing wait is no check', plan, standing, events.checkedAfter, 'standing wait'],
])('%s', (_, how, state, event, expected) => {
  expect(inShort(next(how, state, event))).toBe(expected);
});
