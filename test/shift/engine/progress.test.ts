import type { ShiftProgress, ShiftState } from '../../../lib/shift/engine';
import { progressOf } from '../../../lib/shift/engine/machine/progress';
import { course, half, now, plan, states } from './machine-states';
import { all, minute } from './world';

const nothing = {
  ...{ at: now, step: 0, steps: 0, weights: null, wanted: all('green'), checks: [] },
  ...{ standsUntil: null, endsAt: null, pausedAt: null, verdict: null, from: null, rollbackReason: null },
  ...{ heldBy: null, approvals: [], startedAt: null },
};
/** One of two steps is written: the second one and the bake are left. */
const under = {
  ...nothing,
  from: all('blue'),
  startedAt: course.startedAt,
  step: 1,
  steps: 2,
  weights: half,
  endsAt: now + 12 * minute,
};
const standing = {
  ...states['standing wait'],
  look: { ...states['standing wait'].look, dueAt: now + minute },
};
const late = { ...standing, look: { ...standing.look, dueAt: now - minute } };

test.each<[string, ShiftState, ShiftProgress]>([
  ['before it began', states.idle, { ...nothing, activity: 'starting' }],
  ['at the first look', states['starting read'], { ...nothing, activity: 'starting' }],
  ['before a step', states['preparing before'], { ...under, activity: 'preparing' }],
  ['with a step on record', states['announcing record'], { ...under, activity: 'writing' }],
  ['at the look before a write', states['reading read'], { ...under, activity: 'writing' }],
  ['at a write', states.writing, { ...under, activity: 'writing' }],
  [
    'while weights stand',
    standing,
    { ...under, activity: 'standing', standsUntil: now + minute, endsAt: now + 13 * minute },
  ],
  ['while they stand for longer', late, { ...under, activity: 'standing', standsUntil: now - minute }],
  [
    'in the bake',
    { ...standing, bake: true, course: { ...course, index: 1 } },
    { ...under, activity: 'baking', step: 2, standsUntil: now + minute, endsAt: now + minute },
  ],
  ['at a pause', states['paused ask'], { ...under, activity: 'paused', pausedAt: 50 }],
  [
    'on the way back',
    states['returning write'],
    { ...under, activity: 'rollingBack', endsAt: null, rollbackReason: states['returning write'].why },
  ],
  ['at the last look', states['ending read'], { ...under, activity: 'ending', endsAt: null }],
  [
    'without a way',
    { ...states['preparing before'], course: { ...course, index: -1, way: [] } },
    { ...under, activity: 'preparing', step: 0, steps: 0, endsAt: null },
  ],
  [
    'at its end',
    states.ended,
    { ...nothing, from: all('blue'), activity: 'ending', weights: all('green'), verdict: 'completed' },
  ],
])('what can be seen of a shift: %s', (_, state, expected) => {
  expect(progressOf(plan, state, now, [])).toEqual(expected);
});
