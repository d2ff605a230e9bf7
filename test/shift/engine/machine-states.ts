import type { ShiftContext, ShiftEnd, ShiftEvent, ShiftState, Weights } from '../../../lib/shift/engine';
import { initialState, shiftPlan } from '../../../lib/shift/engine';
import { all, minute } from './world';

export const start = 1_900_000_000_000;
export const now = start + 5 * minute;
export const plan = shiftPlan(['blue', 'green'], all('green'), {
  step: 50,
  every: '2m',
  bake: '10m',
  checkEvery: '30s',
  deadline: '1h',
});
export const half: Weights = { blue: 50, green: 50 };

/** Half of the way is written. */
export const course: ShiftContext = {
  startedAt: start,
  deadlineAt: start + 60 * minute,
  origin: all('blue'),
  way: [
    { percent: 50, weights: half },
    { percent: 100, weights: all('green') },
  ],
  index: 0,
  live: half,
  possible: [half],
  resumedTo: -1,
};
export const look = { dueAt: now, limitFrom: now, unsure: [], passed: [] };
export const end: ShiftEnd = { verdict: 'completed', reason: 'all is well.', finished: true, advice: 'none' };
const begin = { type: 'started', at: start } as const;
const returning = {
  phase: 'returning',
  course,
  target: all('blue'),
  why: 'it failed.',
  isWanted: false,
  attempt: 0,
} as const;

export const states = {
  idle: initialState,
  'starting read': { phase: 'starting', doing: 'read', start: begin, attempt: 0 },
  'starting wait': { phase: 'starting', doing: 'wait', start: begin, attempt: 1 },
  'preparing before': { phase: 'preparing', doing: 'before', course, look },
  'preparing after': { phase: 'preparing', doing: 'after', course, look },
  'preparing wait': { phase: 'preparing', doing: 'wait', course, look },
  'announcing record': { phase: 'announcing', doing: 'record', course, attempt: 0 },
  'announcing wait': { phase: 'announcing', doing: 'wait', course, attempt: 1 },
  'reading read': { phase: 'reading', doing: 'read', course, attempt: 0 },
  'reading wait': { phase: 'reading', doing: 'wait', course, attempt: 1 },
  writing: { phase: 'writing', course: { ...course, possible: [half, all('green')] }, attempt: 0 },
  'standing wait': { phase: 'standing', doing: 'wait', bake: false, course, look },
  'standing checks': { phase: 'standing', doing: 'checks', bake: false, course, look },
  'paused ask': { phase: 'paused', doing: 'ask', place: 50, course },
  'paused wait': { phase: 'paused', doing: 'wait', place: 50, course },
  'paused checks': { phase: 'paused', doing: 'checks', place: 50, course },
  'returning record': { ...returning, doing: 'record' },
  'returning read': { ...returning, doing: 'read' },
  'returning write': { ...returning, doing: 'write' },
  'returning confirm': { ...returning, doing: 'confirm' },
  'returning wait': { ...returning, doing: 'wait' },
  'ending read': { phase: 'ending', doing: 'read', course, end, attempt: 0 },
  'ending wait': { phase: 'ending', doing: 'wait', course, end, attempt: 1 },
  ended: { phase: 'ended', end, origin: all('blue'), live: all('green') },
} satisfies Record<string, ShiftState>;

export const results = [{ name: 'errors', status: 'pass', reason: 'few.', figures: [] }] as const;
export const events = {
  started: { type: 'started', at: now },
  live: { type: 'live', at: now, weights: half },
  routerFailed: { type: 'routerFailed', at: now, failure: 'throttled', message: 'slow down.' },
  recorded: { type: 'recorded', at: now },
  recordFailed: { type: 'recordFailed', at: now, message: 'no table.' },
  written: { type: 'written', at: now },
  waited: { type: 'waited', at: now },
  checkedBefore: { type: 'checked', at: now, stage: 'before', results },
  checkedAfter: { type: 'checked', at: now, stage: 'after', results },
  resumed: { type: 'resumed', at: now },
  notResumed: { type: 'notResumed', at: now },
  cannotResume: { type: 'cannotResume', at: now },
  leaseTaken: { type: 'leaseTaken', at: now, message: 'held by a.' },
  interrupted: { type: 'interrupted', at: now },
  killed: { type: 'killed', at: now },
} satisfies Record<string, ShiftEvent>;
