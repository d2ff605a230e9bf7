import type { DonePhase, SwapRecord } from '../../../lib/operate/swap/record';
import { swapPhases } from '../../../lib/operate/swap/phases';

/** A swap that runs. */
export const record: SwapRecord = {
  id: '2026-01-02T03:04:05Z-a1b2c3',
  by: 'alex@laptop',
  startedAt: 1_000,
  old: { name: 'blue', version: '1.35' },
  new: { name: 'green', version: '1.36' },
  setting: '1.36',
  phase: 'shift',
  phaseStartedAt: 9_000,
  before: { slots: { blue: '1.35' }, weights: { blue: 100 } },
  written: { slots: { blue: '1.35', green: '1.36' }, weights: { blue: 100, green: 0 } },
  done: [
    { phase: 'ready', startedAt: 1_000, endedAt: 2_000, verdict: 'passed' },
    { phase: 'create', startedAt: 2_000, endedAt: 8_000, verdict: 'passed', approvedBy: 'kim' },
  ],
};

/** Settings of a slot with everything that a slot can say. */
export const longSetting = {
  version: '1.36',
  nodes: { instanceTypes: ['m7i.4xlarge', 'm7a.4xlarge', 'm6i.4xlarge'], min: 12, max: 60, diskSize: 200 },
  tags: Object.fromEntries(
    [...Array(40).keys()].map((index) => [`cost-centre-${index}`, `platform-team-${index}`.repeat(4)]),
  ),
  addons: Object.fromEntries([...Array(10).keys()].map((index) => [`addon-${index}`, { version: 'v1.2.3' }])),
};

const text = 'A check said a lot, in bytes too: 記. '.repeat(100);

/** The longest record that there is: every phase has failed at length, and went back. */
export function longestRecord(setting: SwapRecord['setting'] = longSetting): SwapRecord {
  const ended = (verdict: DonePhase['verdict']) =>
    swapPhases.map((phase): DonePhase => ({
      ...{ phase, verdict, startedAt: 1_700_000_000_000, endedAt: 1_700_000_000_001 },
      ...{ reason: text, approvedBy: text },
    }));
  const configuration = { slots: { blue: setting, green: setting }, weights: { blue: 100, green: 0 } };
  return {
    ...record,
    by: text,
    approvedBy: text,
    back: { why: text, then: 'delete', step: 'shift', stepStartedAt: 1_700_000_000_000 },
    ...{ setting, before: configuration, written: configuration },
    done: [...ended('failed'), ...ended('undone')],
    ended: { at: 1_700_000_000_002, verdict: 'rolledBack' },
  };
}
