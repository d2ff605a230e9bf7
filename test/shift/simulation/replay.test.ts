import * as fc from 'fast-check';
import { shiftPlan } from '../../../lib/shift/engine';
import type { ShiftOutcome, ShiftSettings } from '../../../lib/shift/engine';
import { replay, simulate } from '../../../lib/shift/simulation';
import type { CheckOfPlan, Scenario } from '../../../lib/shift/simulation';

const slots = ['blue', 'green'];
const toGreen = { blue: 0, green: 100 };
const steps: ShiftSettings = { step: [5, 20, 50], every: '3m', bake: '6m' };
const share = (max: number, more = {}): CheckOfPlan => ({
  'cloudWatch.errorShare': { max, minRequests: 100, ...more },
});
const strict = [share(0.01), { targetHealth: {} }];
const lax = [share(0.2), { targetHealth: {} }];

/** Green has 5 % of errors from the start, and half of them from 20 % on. */
const scenario: Scenario = {
  requests: { perSecond: 200 },
  errorShare: 0.001,
  metrics: { delay: '30s' },
  slots: { green: { errorShare: 0.05, changes: [{ from: '5m', errorShare: 0.5 }] } },
};

const plan = (settings = steps, wanted = toGreen) => shiftPlan(slots, wanted, settings);

/** The outcome of a shift of the simulator. */
function shifted(checks: readonly CheckOfPlan[], own: Scenario = scenario, settings = steps): ShiftOutcome {
  return simulate({ plan: plan(settings), checks, scenario: own, runs: 1, seed: 3 }).outcome!;
}

const writes = ({ outcome }: { readonly outcome: ShiftOutcome }) =>
  outcome.writes.map(({ weights }) => weights.green);

test('a stricter bound would have taken the traffic back sooner, at fewer percent', () => {
  const outcome = shifted(lax);
  expect(outcome).toMatchObject({ verdict: 'rolledBack', failed: ['cloudWatch.errorShare'] });
  const result = replay({ plan: plan(), checks: strict, outcome });
  expect(result.recorded).toMatchObject({ verdict: 'rolledBack', weights: { blue: 80, green: 20 } });
  expect(result.replayed).toMatchObject({
    verdict: 'rolledBack',
    failed: ['cloudWatch.errorShare'],
    weights: { blue: 95, green: 5 },
    reason: expect.stringMatching(/^green: .* requests failed \(5(\.\d+)? %\)/),
  });
  expect(result.recorded.atSeconds).toBeGreaterThan(300);
  expect(result.replayed.atSeconds).toBe(240);
  expect(result).toMatchObject({
    same: false,
    checks: [
      { name: 'cloudWatch.errorShare', by: 'bounds' },
      { name: 'targetHealth', by: 'bounds' },
    ],
    notAsked: [],
  });
  expect(writes(result)).toEqual([5, 0]);
  expect(result.outcome.startedAt).toBe(outcome.startedAt);
});

test('a laxer bound would not have: the record ends before it is known what came then', () => {
  const outcome = shifted(strict);
  expect(outcome.verdict).toBe('rolledBack');
  const result = replay({ plan: plan(), checks: lax, outcome });
  expect(result.replayed).toEqual({
    verdict: 'open',
    reason: 'The record ends before this plan would have decided: no check had failed by then.',
    failed: [],
    atSeconds: (Date.parse(outcome.endedAt) - Date.parse(outcome.startedAt)) / 1_000,
    // Its next step came before the end, whose figures are still those of 5 %.
    weights: { blue: 80, green: 20 },
  });
  expect(outcome.writes.map(({ weights }) => weights.green)).toEqual([5, 0]);
  expect(result.same).toBe(false);
});

test('smaller steps would have had fewer percent at the outage', () => {
  const outcome = shifted(lax);
  const result = replay({ plan: plan({ ...steps, step: [1, 2, 3, 50] }), checks: lax, outcome });
  expect(result.replayed.verdict).toBe('rolledBack');
  expect(result.replayed.weights!.green).toBeLessThan(4);
});

test('a hold where the record has a rollback', () => {
  const outcome = shifted(lax);
  const result = replay({ plan: plan({ ...steps, onFailure: 'hold' }), checks: lax, outcome });
  expect(result.replayed).toMatchObject({ verdict: 'held', failed: ['cloudWatch.errorShare'] });
  expect(result.replayed.weights).toEqual({ blue: 80, green: 20 });
});

test.each([
  ['an outage', { slots: { green: { errorShare: 1 } } }],
  ['nothing wrong', { slots: {} }],
  ['late trouble', scenario],
  ['unhealthy targets', { slots: { green: { healthyTargets: 5 } } }],
  ['a metric source that fails', { metrics: { failing: { share: 1, from: '4m' } } }],
])('the same plan decides the same, step by step: %s', (_, own) => {
  const checks = [...lax, { 'cloudWatch.comparison': {} }, { capacity: {} }];
  const outcome = shifted(checks, { ...scenario, slots: {}, ...own } as Scenario);
  const result = replay({ plan: plan(), checks, outcome });
  expect(result.replayed).toEqual(result.recorded);
  expect(result.same).toBe(true);
  expect(result.outcome.writes).toEqual(outcome.writes);
  const onRecord = new Set(outcome.checks.map(({ name }) => name));
  expect(result.checks).toEqual(
    [
      { name: 'cloudWatch.errorShare', by: 'bounds' },
      { name: 'targetHealth', by: 'bounds' },
      { name: 'cloudWatch.comparison', by: 'answers' },
      { name: 'capacity', by: 'answers' },
    ].map((each) => (onRecord.has(each.name) ? each : { ...each, by: 'missing' })),
  );
  expect(replay({ plan: plan(), checks, outcome })).toEqual(result);
});

test('checks that are not on record pass, and those that the plan lacks are not asked', () => {
  const outcome = shifted(lax);
  const result = replay({
    plan: plan(),
    checks: [{ targetHealth: {} }, { 'cloudWatch.alarms': { names: ['a'] } }],
    outcome,
  });
  expect(result.checks).toEqual([
    { name: 'targetHealth', by: 'bounds' },
    { name: 'cloudWatch.alarms', by: 'missing' },
  ]);
  expect(result.notAsked).toEqual(['cloudWatch.errorShare']);
  expect(result.replayed.verdict).toBe('open');
});

test('more requests than there were: it would have waited, and gone back for that', () => {
  const outcome = shifted(strict, { ...scenario, slots: {} });
  expect(outcome.verdict).toBe('completed');
  const settings = { ...steps, inconclusiveLimit: '4m' };
  const result = replay({ plan: plan(settings), checks: [share(0.01, { minRequests: 1e9 })], outcome });
  expect(result.replayed).toMatchObject({ verdict: 'rolledBack', weights: { blue: 95, green: 5 } });
});

test('queries: a value of another bound', () => {
  const base = shifted(lax);
  const answer = (minute: number, value: number) => ({
    ...{ at: new Date(Date.parse(base.startedAt) + minute * 60_000).toISOString(), name: 'prometheus.query' },
    ...{ stage: 'after' as const, status: 'pass' as const, reason: 'within the bounds' },
    figures: [{ name: 'value', slot: 'green', value, max: 10 }],
  });
  const outcome = { ...base, checks: [answer(1, 2), answer(2, 7), answer(8, 2)] };
  const query = (max: number): CheckOfPlan => ({
    'prometheus.query': { url: 'https://metrics.example.com', query: 'up', max },
  });
  expect(replay({ plan: plan(), checks: [query(8)], outcome }).replayed.verdict).toBe('open');
  expect(replay({ plan: plan(), checks: [query(5)], outcome }).replayed).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining(
      'prometheus.query: by the bounds of this plan: value of green 7 (at most 5)',
    ),
    weights: { green: 5 },
  });
});

test.each<[string, Partial<ShiftOutcome>, string]>([
  ['of other weights', { to: { blue: 50, green: 50 } }, 'must be those of the record: blue 50, green 50'],
  ['of other slots', { to: { red: 100, green: 0 } }, 'must be weights of the slots of the plan: blue, green'],
  ['that has read nothing', { from: null }, 'from: null'],
  ['without answers', { checks: [] }, 'must be at least one check that is on record: there is none'],
])('a record %s is refused', (_, own, said) => {
  expect(() => replay({ plan: plan(), checks: lax, outcome: { ...shifted(lax), ...own } })).toThrow(said);
});

test('whatever the record and the plan are, it ends, with a verdict, and the same each time', () => {
  const outcomes = [shifted(lax), shifted(strict), shifted(strict, { ...scenario, slots: {} })];
  fc.assert(
    fc.property(
      fc.constantFrom(...outcomes),
      fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 20, max: 400 }),
      fc.double({ min: 0.0005, max: 0.5, noNaN: true }),
      fc.constantFrom<ShiftSettings['onFailure']>('rollback', 'hold'),
      (outcome, step, every, max, onFailure) => {
        const settings: ShiftSettings = {
          ...{ step: [...step].sort((one, other) => one - other), every: `${every}s`, bake: '2m' },
          ...(onFailure && { onFailure }),
        };
        const input = { plan: plan(settings), checks: [share(max)], outcome };
        const { replayed, outcome: moved } = replay(input);
        expect(['completed', 'rolledBack', 'held', 'open']).toContain(replayed.verdict);
        expect(moved.writes.length).toBeLessThanOrEqual(settings.step ? step.length + 2 : 0);
        expect(replayed.atSeconds).toBeLessThanOrEqual(
          (Date.parse(outcome.endedAt) - Date.parse(outcome.startedAt)) / 1_000 + 15,
        );
        expect(replay(input).replayed).toEqual(replayed);
      },
    ),
    { numRuns: 40 },
  );
});
