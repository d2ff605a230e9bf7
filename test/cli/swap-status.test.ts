import { forgottenLines } from '../../lib/cli/actions/swap/answers';
import { outcomeLines, statusOf, wavesOutcomeLines } from '../../lib/cli/actions/swap/output';
import type { CheckedSwapFile, SwapOutcome } from '../../lib/operate/swap';
import { record } from '../operate/swap/records';

type Verdict = SwapOutcome['verdict'];

test.each<
  [Verdict, number | undefined, { readonly back?: boolean; readonly wait?: boolean }, boolean, number]
>([
  ['completed', undefined, {}, false, 0],
  ['completed', undefined, {}, true, 0],
  ['rolledBack', undefined, {}, false, 1],
  ['rolledBack', undefined, { back: true }, false, 0],
  // What it waits for is known, and nobody waits.
  ['held', 1, { wait: false }, false, 0],
  // A drain that failed is held, too: that is a failure, however it is run.
  ['held', undefined, { wait: false }, false, 1],
  ['held', undefined, {}, false, 1],
  ['held', undefined, {}, true, 130],
  ['aborted', undefined, { wait: false }, false, 1],
  ['aborted', undefined, { back: true }, false, 1],
])('%s, again %p, %j, interrupted %p: status %i', (verdict, again, flags, interrupted, status) => {
  const outcome = { verdict, ...(again !== undefined && { again }) };
  expect(statusOf(outcome, flags, interrupted)).toBe(status);
});

test.each([
  ['what could not be read before anything was done', { verdict: 'aborted', isUnread: true }, {}, 2],
  ['the same on the way back', { verdict: 'aborted', isUnread: true }, { back: true }, 2],
  ['what went back last, and is not retried', { verdict: 'rolledBack', unchanged: true }, {}, 1],
  ['the same by a schedule', { verdict: 'rolledBack', unchanged: true }, { wait: false }, 0],
  ['what goes back in a scheduled run', { verdict: 'rolledBack' }, { wait: false }, 1],
] as const)('%s', (_, outcome, flags, status) => {
  expect(statusOf(outcome, flags, false)).toBe(status);
});

test('an outcome for a person: how it ended, what to do, and what each phase took', () => {
  const phase = { swap: 'a', from: '1.35', to: '1.36', startedAt: 0, endedAt: 90_000 } as const;
  const outcome: SwapOutcome = {
    ...{ schemaVersion: 1, fleet: 'apps', verdict: 'held', startedAt: 0, endedAt: 1, log: [] },
    reason: 'soak goes on for 23h.\ngreen has all traffic.',
    again: Date.UTC(2026, 0, 2),
    phases: [
      { ...phase, phase: 'create', verdict: 'passed', approvedBy: 'alex@laptop' },
      { ...phase, phase: 'try', verdict: 'skipped', reason: 'a\nb' },
    ],
    leaseProblem: 'refused',
  };
  expect(outcomeLines(outcome)).toEqual([
    'Held: soak goes on for 23h.',
    '  green has all traffic.',
    'Run it again at 2026-01-02T00:00:00.000Z or later.',
    '  1.35 to 1.36  create    passed  after 1m30s  agreed to by alex@laptop',
    expect.stringMatching(/^ {2}1\.35 to 1\.36 {2}try {7}skipped {2}after 1m30s: a.*b$/),
    'The lease could not be given back: refused',
  ]);
});

test('the outcome of several fleets for a person: all together, then what each of them did', () => {
  const one: SwapOutcome = {
    ...{ schemaVersion: 1, fleet: 'apps', verdict: 'completed', startedAt: 0, endedAt: 1, log: [] },
    ...{ reason: 'green has all traffic.', leaseProblem: 'refused\nus: completed', phases: [] },
  };
  const phase = { swap: 'a', from: '1.35', to: '1.36', startedAt: 0, endedAt: 90_000 } as const;
  const lines = wavesOutcomeLines({
    ...{ schemaVersion: 1, verdict: 'held', startedAt: 0, endedAt: 1, again: Date.UTC(2026, 0, 2) },
    ...{ reason: 'us: soak goes on.\nNot run this time: ap.', waves: [['eu'], ['us'], ['ap']] },
    swaps: {
      eu: { ...one, unchanged: true },
      us: { ...one, verdict: 'held', phases: [{ ...phase, phase: 'create', verdict: 'passed' }] },
      ap: null,
    },
  });
  expect(lines).toEqual([
    'Held: us: soak goes on.',
    '  Not run this time: ap.',
    'Run it again at 2026-01-02T00:00:00.000Z or later.',
    'eu: completed, nothing was to be done',
    expect.stringMatching(/^The lease could not be given back: refused.+us: completed$/),
    'us: held',
    '  1.35 to 1.36  create    passed  after 1m30s',
    expect.stringMatching(/^The lease could not be given back: refused/),
    'ap: not run this time',
  ]);
});

test.each<[string, object, boolean]>([
  ['pull requests', { git: { github: {} } }, true],
  ['pushes', { git: {} }, false],
  ['commands', { commands: {} }, false],
])('a swap by %s that is forgotten', (_, program, isOpen) => {
  const lines = forgottenLines({ fleet: 'apps', program: program as CheckedSwapFile['program'] }, record);
  expect(lines.some((line) => line.startsWith('A pull request of it stays open'))).toBe(isOpen);
});
