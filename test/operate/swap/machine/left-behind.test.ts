import { drainedBy } from '../../../../lib/operate/swap';
import type { SwapBack, SwapPhase, SwapRecord } from '../../../../lib/operate/swap';
import { record } from '../records';

const back = (step: SwapBack['step'], stepStartedAt?: number): Partial<SwapRecord> => ({
  back: { why: 'bo asked', then: 'delete', step, ...(stepStartedAt !== undefined && { stepStartedAt }) },
});

test.each<[phase: SwapPhase, changes: Partial<SwapRecord>, slot: string | undefined]>([
  ['shift', {}, undefined],
  ['soak', {}, undefined],
  ['drain', { phaseStartedAt: undefined }, undefined],
  ['drain', {}, 'blue'],
  ['delete', { phaseStartedAt: undefined }, 'blue'],
  ['drain', back('allow'), 'blue'],
  ['drain', back('restore', 1), 'blue'],
  ['drain', back('deliver'), 'blue'],
  ['drain', back('prescale'), 'blue'],
  ['drain', back('shift'), undefined],
  ['drain', back('drain'), undefined],
  ['soak', back('drain', 1), 'green'],
  ['soak', back('delete'), 'green'],
])('given up at %s with %o, it leaves %s drained', (phase, changes, slot) => {
  expect(drainedBy({ ...record, phase, ...changes } as SwapRecord)).toBe(slot);
});
