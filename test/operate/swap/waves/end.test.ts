import { endOfWaves } from '../../../../lib/operate/swap/waves/end';
import type { WavesStop } from '../../../../lib/operate/swap/waves/end';
import type { SwapOutcome } from '../../../../lib/operate/swap';

const outcome = (verdict: SwapOutcome['verdict'], more: Partial<SwapOutcome> = {}): SwapOutcome => ({
  ...{ schemaVersion: 1, fleet: 'apps', verdict, startedAt: 0, endedAt: 1, phases: [], log: [] },
  ...{ reason: `why ${verdict}`, ...more },
});

const [done, same, back, broken, failed] = [
  outcome('completed'),
  outcome('completed', { unchanged: true }),
  outcome('rolledBack'),
  outcome('aborted'),
  outcome('held'),
];

const soaks = (again: number) => outcome('held', { again });

const forward: WavesStop = { isBack: false, isCut: false };
const backward: WavesStop = { isBack: true, isCut: false };

const later = { until: Date.UTC(2026, 0, 2), wave: ['us', 'ap'] };

test.each<[string, Readonly<Record<string, SwapOutcome | null>>, WavesStop, ReturnType<typeof endOfWaves>]>([
  [
    'all have completed',
    { eu: same, us: done },
    forward,
    { verdict: 'completed', reason: 'The wanted version, and no other cluster: eu, us.' },
  ],
  [
    'nothing was to be done',
    { eu: same },
    forward,
    { verdict: 'completed', unchanged: true, reason: 'The wanted version, and no other cluster: eu.' },
  ],
  [
    'one went back',
    { eu: done, us: back, ap: null },
    forward,
    { verdict: 'rolledBack', reason: 'us: why rolledBack\nNot run this time: ap.' },
  ],
  [
    'one soaks, one went back, one can not go on: the worst counts, and each is said',
    { eu: soaks(5), us: back, ap: broken },
    forward,
    { verdict: 'aborted', reason: 'eu: why held\nus: why rolledBack\nap: why aborted' },
  ],
  [
    'one soaks, one went back: no later run completes that by itself',
    { eu: soaks(5), us: back },
    forward,
    { verdict: 'rolledBack', reason: 'eu: why held\nus: why rolledBack' },
  ],
  [
    'two wait: the first of them counts',
    { eu: soaks(7), us: soaks(5), ap: null },
    forward,
    { verdict: 'held', again: 5, reason: 'eu: why held\nus: why held\nNot run this time: ap.' },
  ],
  [
    'one waits, and one is held by a failure: a time would hide that',
    { eu: soaks(7), us: failed },
    forward,
    { verdict: 'held', reason: 'eu: why held\nus: why held' },
  ],
  [
    'the next wave comes later',
    { eu: done, us: null, ap: null },
    { ...forward, later },
    {
      verdict: 'held',
      again: later.until,
      reason: 'The next wave (us, ap) begins at 2026-01-02T00:00:00.000Z.\nNot run this time: us, ap.',
    },
  ],
  [
    'an interrupt before the first',
    { eu: null },
    { ...forward, isCut: true },
    {
      verdict: 'held',
      reason: 'It was interrupted. Run it again: it goes on there.\nNot run this time: eu.',
    },
  ],
  [
    'an interrupt of the last one',
    { eu: done, us: failed },
    forward,
    { verdict: 'held', reason: 'us: why held' },
  ],
  [
    'those that were open are back',
    { eu: null, us: back },
    backward,
    { verdict: 'rolledBack', reason: 'All traffic is on the old cluster: us.\nNo open swap: eu.' },
  ],
  ['one could not go back', { eu: failed, us: back }, backward, { verdict: 'held', reason: 'eu: why held' }],
  [
    'none was open',
    { eu: null },
    backward,
    { verdict: 'aborted', reason: 'No swap is open: there is nothing to go back from.' },
  ],
  [
    'an interrupt on the way back',
    { eu: null, us: back },
    { ...backward, isCut: true },
    {
      verdict: 'held',
      reason: 'It was interrupted. Run it again: it goes on there.\nNot run this time: eu.',
    },
  ],
])('%s', (_, outcomes, stop, expected) => {
  expect(endOfWaves(outcomes, stop)).toEqual(expected);
});
