import { checkKinds } from '../../../lib/shift/checks';
import type { AnyCheckKind } from '../../../lib/shift/checks';
import { shiftPlan } from '../../../lib/shift/engine';
import type { ComparisonCheckSettings, KnownCounts } from '../../../lib/shift/evaluation';
import { evaluateComparison, evaluateShares } from '../../../lib/shift/evaluation';
import type { CheckOfPlan, Scenario } from '../../../lib/shift/simulation';
import { simulate } from '../../../lib/shift/simulation';
import { scaled } from '../../runs';
import { minute, start, window } from '../checks/metric-samples';

const shifts = scaled(100, 40);

/** Nothing is wrong with either slot, but that answers are counted late. */
function healthy(check: CheckOfPlan, late: { share: number; lasts?: string }, runs = shifts) {
  const scenario: Scenario = { requests: { perSecond: 1000 }, errorShare: 0.001, metrics: { late } };
  return simulate({ plan: shiftPlan(['blue', 'green'], { green: 100 }), checks: [check], scenario, runs });
}

const checks: Record<string, CheckOfPlan> = {
  errorShare: { 'cloudWatch.errorShare': { max: 0.01 } },
  comparison: { 'cloudWatch.comparison': {} },
};

describe.each([0.02, 0.05])('%d of the answers of a minute are late', (share) => {
  test.each(Object.keys(checks))('%s: no healthy slot is rolled back', (kind) => {
    expect(healthy(checks[kind]!, { share }).verdicts).toMatchObject({ completed: shifts, rolledBack: 0 });
  });

  test.each(Object.keys(checks))('%s: nor where they are late by more than the delay', (kind) => {
    const { verdicts } = healthy(checks[kind]!, { share, lasts: '3m' });
    expect(verdicts).toMatchObject({ completed: shifts, rolledBack: 0 });
  });

  test('taken half a minute after its end, most healthy slots are', () => {
    const hasty = { 'cloudWatch.errorShare': { max: 0.01, delay: '30s' } };
    const { runs, detection, verdicts } = healthy(hasty, { share }, scaled(50));
    expect(verdicts.rolledBack).toBe(detection.falseAlarms);
    expect(detection.falseAlarms).toBeGreaterThan(0.6 * runs);
  });
});

test('sources that count errors themselves know of no late answers', () => {
  const { verdicts } = healthy({ 'prometheus.errorShare': { max: 0.01 } }, { share: 0.05 }, scaled(50));
  expect(verdicts.completed).toBe(scaled(50));
});

test.each([
  [1, 'an outage'],
  [0.05, 'five percent'],
])('%d: %s of a bad slot is found all the same', (errorShare) => {
  const { verdicts } = simulate({
    plan: shiftPlan(['blue', 'green'], { green: 100 }),
    checks: Object.values(checks),
    scenario: {
      requests: { perSecond: 1000 },
      errorShare: 0.001,
      slots: { green: { errorShare } },
      metrics: { late: { share: 0.05 } },
    },
    runs: shifts,
  });
  expect(verdicts.rolledBack).toBe(shifts);
});

describe('the newest minute alone', () => {
  const at = (index: number, errors: number, failures?: number) => ({
    slot: 'green',
    at: start + index * minute,
    requests: 1000,
    errors,
    ...(failures !== undefined && { failures }),
  });
  const known = (settling: boolean, newest: number, failures: number): KnownCounts => ({
    counts: [at(0, 1, 1), at(1, 1, 1), at(2, newest, failures)],
    until: start + 3 * minute,
    periodMs: minute,
    settling,
  });

  test.each<[string, boolean, number, number, string]>([
    ['late answers', true, 50, 1, 'inconclusive'],
    ['the same without the rule', false, 50, 1, 'fail'],
    ['failures', true, 50, 50, 'fail'],
  ])('a bound: %s', (_name, settling, errors, failures, status) => {
    const settings = { max: 0.01 };
    expect(evaluateShares(window, known(settling, errors, failures), settings).status).toBe(status);
  });

  const alone = (settling: boolean, failures: number): KnownCounts => ({
    counts: [
      { ...at(0, 9, 9), slot: 'blue', requests: 9000 },
      { ...at(1, 9, 9), slot: 'blue', requests: 9000 },
      at(1, 1000, failures),
    ],
    until: start + 2 * minute,
    periodMs: minute,
    settling,
  });
  test.each<[string, boolean, number, string]>([
    ['late answers', true, 0, 'inconclusive'],
    ['the same without the rule', false, 0, 'fail'],
    ['failures', true, 1000, 'fail'],
  ])('a comparison: %s', (_name, settling, failures, status) => {
    const settings: ComparisonCheckSettings = { warmUpMs: 0 };
    expect(evaluateComparison(window, alone(settling, failures), settings).status).toBe(status);
  });
});

test('simulated checks wait as long as real ones', () => {
  const counting = Object.entries(checkKinds as Record<string, AnyCheckKind>).flatMap(([word, kind]) => {
    const settings = kind.simulated?.({});
    const times = settings && kind.canaryTimes?.({});
    return times && 'counts' in settings ? [[word, settings.counts.delayMs, times.delayMs]] : [];
  });
  expect(counting.map(([word]) => word)).toEqual([
    'cloudWatch.errorShare',
    'cloudWatch.slowShare',
    'datadog.errorShare',
    'datadog.slowShare',
    'prometheus.errorShare',
    'prometheus.slowShare',
  ]);
  for (const [word, simulated, real] of counting) {
    expect([word, simulated]).toEqual([word, real]);
  }
});
