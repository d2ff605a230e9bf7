import { problemsOf } from '../../../lib/core/validation/schema';
import type { SwapRecord } from '../../../lib/operate/swap';
import { boundedRecord, swapRecord } from '../../../lib/operate/swap/record-schema';
import { longSetting, longestRecord, record } from './records';

const pathsOf = (value: unknown) => problemsOf(swapRecord, value).map(({ path }) => path);

test.each<[string, SwapRecord]>([
  ['one that runs', record],
  ['the longest one', longestRecord()],
  [
    'one with the keys of a newer release',
    { ...record, later: { any: 1 }, old: { ...record.old, arn: 'a' } } as SwapRecord,
  ],
  ['one that was taken over', { ...record, adopted: { phase: 'shift', mayBeDrained: true } }],
  ['one that goes back from a drain', { ...record, back: { why: 'x', then: 'keep', step: 'restore' } }],
  ['one of hubs', { ...record, before: { slots: { blue: longSetting }, active: 'blue' } }],
])('%s is a record', (_what, value) => {
  expect(pathsOf(value)).toEqual([]);
  expect(pathsOf(JSON.parse(JSON.stringify(boundedRecord(value))))).toEqual([]);
});

const hostile = '\u001b[31m\n::error::';

test.each<[string, string, unknown]>([
  ['id', 'id', ''],
  ['id', 'id', hostile.repeat(50)],
  ['by', 'by', 7],
  ['startedAt', 'startedAt', '2026'],
  ['startedAt', 'startedAt', -1],
  ['startedAt', 'startedAt', 1e16],
  ['askedAt', 'askedAt', 8.64e15],
  ['old', 'old', 'blue'],
  ['old.name', 'old', { name: hostile, version: '1.35' }],
  ['new.version', 'new', { name: 'green', version: hostile }],
  ['setting.version', 'setting', { nodes: {} }],
  ['setting', 'setting', 1.36],
  ['phase', 'phase', 'upgrade'],
  ['phaseStartedAt', 'phaseStartedAt', null],
  ['adopted.phase', 'adopted', { phase: hostile, mayBeDrained: false }],
  ['adopted.mayBeDrained', 'adopted', { phase: 'soak', mayBeDrained: 'yes' }],
  ['back.then', 'back', { why: 'x', then: 'hold', step: 'shift' }],
  ['back.step', 'back', { why: 'x', then: 'keep', step: 'create' }],
  ['approvedBy', 'approvedBy', ['kim']],
  ['written.slots', 'written', {}],
  ['before.weights.blue', 'before', { slots: {}, weights: { blue: 50.5 } }],
  ['before.slots.__proto__', 'before', JSON.parse('{"slots": {"__proto__": "1.36"}}')],
  ['before.active', 'before', { slots: {}, active: hostile }],
  ['done', 'done', { phase: 'ready' }],
  ['done[0].verdict', 'done', [{ ...record.done[0], verdict: 'fine' }]],
  ['done[0].reason', 'done', [{ ...record.done[0], reason: {} }]],
  ['ended.verdict', 'ended', { at: 1, verdict: 'held' }],
])('%s is refused', (path, key, value) => {
  expect(pathsOf({ ...record, [key]: value })).toEqual([path]);
});

test('everything that is missing is named at once', () => {
  expect(pathsOf({})).toEqual([
    ...['id', 'by', 'startedAt', 'old', 'new', 'setting', 'phase', 'before', 'done'],
  ]);
});

test('texts are cut, and configurations are not', () => {
  const long = longestRecord();
  const bounded = boundedRecord(long);
  expect(bounded.done.map(({ reason = '', approvedBy = '' }) => [reason.length, approvedBy.length])).toEqual(
    Array(18).fill([500, 200]),
  );
  expect([bounded.by.length, bounded.back!.why.length]).toEqual([200, 1_000]);
  expect(bounded).toMatchObject({ before: long.before, written: long.written, setting: long.setting });
  expect(boundedRecord(record)).toEqual(record);
});
