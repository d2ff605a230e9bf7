import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoLines, startLines } from '../../lib/cli/actions/demo';
import { demoResult } from '../../lib/shift/demo';
import type { DemoRun } from '../../lib/shift/demo';
import type { ShiftOutcome } from '../../lib/shift/engine';
import { root } from './run-cli';
import { clusterCanary } from './run-here';

jest.setTimeout(120_000);

test.each([
  ['a fault', ['--fault', 'fire'], /--fault: "fire": must be one of "errors", "latency", "outage", "none"/],
  ['a seed', ['--seed', '-1'], /It must be a whole number from 0 to/],
  ['a folder', ['--report', join(root, 'package.json')], /a folder; there is a file of that name/],
])('%s that can not be: 2', async (_what, args, message) => {
  const { status, stderr } = await clusterCanary(['demo', ...args]);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
});

describe('what a person reads', () => {
  const start = Date.UTC(2026, 0, 1, 12);
  const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
  const outcome = (verdict: ShiftOutcome['verdict'], failedAt?: number): ShiftOutcome => ({
    ...{ schemaVersion: 1, verdict, reason: 'It is so.', from: { blue: 100, green: 0 } },
    ...{ to: { blue: 0, green: 100 }, final: { blue: 100, green: 0 }, startedAt: at(0), endedAt: at(21) },
    ...{ writes: [], log: [] },
    checks:
      failedAt === undefined
        ? []
        : [{ at: at(failedAt), name: 'a', stage: 'after', status: 'fail', reason: 'b', figures: [] }],
  });
  const traffic: DemoRun['traffic'] = {
    visitors: { sent: 4_012, well: 3_990, failed: 22, turnedAway: 0 },
    slots: {
      blue: { requests: 3_950, failed: 1, slow: 2 },
      green: { requests: 62, failed: 21, slow: 3 },
    },
    exposed: { requests: 60, failed: 21, slow: 3 },
  };
  const lines = (run: Pick<DemoRun, 'outcome' | 'faults'>) =>
    demoLines(demoResult({ takenBack: false, ...run, traffic }, 1));

  test('a fault that was found', () => {
    const faults = [{ fault: 'errors', from: start + 15_000 }] as const;
    expect(lines({ outcome: outcome('rolledBack', 20), faults })).toEqual([
      'Rolled back: It is so.',
      '',
      '  before  blue 100, green 0',
      '  wanted  blue 0, green 100',
      '  live    blue 100, green 0',
      '  0 writes in 21s',
      '  failed  a: b',
      '',
      'Visitors sent 4,012 requests:',
      '  blue    3,950 requests, 1 failed, 2 slow',
      '  green   62 requests, 21 failed, 3 slow',
      'While green was broken, 60 requests reached it: 21 failed, 3 were slow. A check failed after 5s.',
    ]);
  });

  test.each<[string, Pick<DemoRun, 'outcome' | 'faults'>, string | undefined, boolean]>([
    ['no fault, completed', { outcome: outcome('completed'), faults: [] }, undefined, true],
    ['no fault, rolled back', { outcome: outcome('rolledBack'), faults: [] }, 'completed', false],
    [
      'a fault, completed',
      { outcome: outcome('completed'), faults: [{ fault: 'errors', from: start }] },
      'rolled back',
      false,
    ],
    [
      'a fault that was repaired',
      { outcome: outcome('completed'), faults: [{ fault: 'errors', from: start, until: start + 1 }] },
      undefined,
      true,
    ],
    ['held', { outcome: outcome('held'), faults: [] }, 'completed', false],
  ])('%s', (_what, run, instead, asExpected) => {
    const last = lines(run).at(-1)!;
    expect(last.startsWith('It should have ended otherwise')).toBe(instead !== undefined);
    expect(last).toContain(instead ?? '');
    expect(demoResult({ takenBack: false, ...run, traffic }, 1).asExpected).toBe(asExpected);
  });

  test.each(['README.md', 'README.ja.md'])('%s shows lines that are printed', (readme) => {
    const [, shown = ''] =
      /```text\n(From 10 %[^]*?)```/.exec(readFileSync(join(root, readme), 'utf8')) ?? [];
    const [first, ...rest] = shown.trim().split('\n');
    const faults = [{ fault: 'errors', from: start + 15_000 }] as const;
    const printed = lines({ outcome: outcome('rolledBack', 20), faults }).at(-1)!;
    const shape = (line: string) => line.replace(/\d+/g, '#');
    expect(startLines({ url: '' }, 'errors')).toContain(first);
    expect(shape(rest.at(-1)!)).toBe(shape(printed));
  });
});
