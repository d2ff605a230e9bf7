import { InvalidInput } from '../../../lib/core/validation';
import type { ShiftSettings } from '../../../lib/shift/engine';
import { shiftPlan } from '../../../lib/shift/engine';
import type {
  AutoscalerScenario,
  Scenario,
  Simulation,
  SimulationResult,
} from '../../../lib/shift/simulation';
import { simulate } from '../../../lib/shift/simulation';

const slots = ['blue', 'green'];
const checks = [{ targetHealth: {} }, { capacity: {} }];

interface Options {
  readonly settings?: ShiftSettings;
  readonly scenario?: Partial<Scenario>;
  readonly green?: Partial<AutoscalerScenario>;
  readonly checks?: typeof checks;
  readonly capacity?: Simulation['capacity'];
  readonly runs?: number;
}

/** A shift of a workload whose autoscalers have this minimum, and this many pods for the traffic. */
function run(minReplicas: number, replicas: number, options: Options = {}): SimulationResult {
  const { settings, scenario, green, capacity = false, runs = 1 } = options;
  return simulate({
    plan: shiftPlan(slots, { green: 100 }, settings),
    checks: options.checks ?? checks,
    capacity,
    runs,
    seed: 1,
    scenario: {
      requests: { perSecond: 50 * replicas },
      slots: {
        blue: { autoscaler: { minReplicas, replicas } },
        green: { autoscaler: { minReplicas, ...green } },
      },
      ...scenario,
    },
  });
}

const workloads = [
  [2, 10],
  [2, 20],
  [2, 100],
  [6, 20],
  [10, 20],
] as const;

describe('a minimum and the pods that carry the traffic', () => {
  test.each(workloads)('%d of %d: steps follow the pods, and none is full', (min, peak) => {
    const { verdicts, workloads: pods, steps } = run(min, peak, { runs: 20 });
    expect([verdicts.completed, steps]).toEqual([20, undefined]);
    const { green, blue } = pods!;
    expect(green!.peakUtilization.max).toBeGreaterThan(0.66);
    expect(green!.peakUtilization.max).toBeLessThanOrEqual(0.9 + 1e-9);
    expect(green!.pods.before).toBe(min);
    expect(green!.pods.after).toBeGreaterThanOrEqual(peak / 1.12);
    // So a late rollback puts all traffic on a few pods.
    expect([blue!.pods.before, blue!.pods.after]).toEqual([peak, min]);
  });

  test.each(workloads)(
    '%d of %d with access: pods are there before traffic, old ones until the end',
    (min, peak) => {
      const { verdicts, workloads: pods } = run(min, peak, { runs: 20, capacity: true });
      expect(verdicts.completed).toBe(20);
      expect(pods!.green!.peakUtilization.max).toBeLessThanOrEqual(0.6 + 1e-9);
      expect(pods).toMatchObject({
        green: { pods: { before: min, least: min, most: peak, after: peak } },
        blue: { pods: { before: peak, least: peak, most: peak, after: peak } },
      });
    },
  );

  test.each(workloads)('%d of %d without the check: more comes than pods can serve', (min, peak) => {
    const { verdicts, workloads: pods, failedRequests } = run(min, peak, { checks: [] });
    expect(verdicts.completed).toBe(1);
    expect(pods!.green!.peakUtilization.max).toBeGreaterThan(1.1);
    expect(failedRequests.p50).toBeGreaterThan(0);
  });
});

test('each step says how many pods were there, and how full they were', () => {
  const { steps } = run(2, 20, { checks: [] });
  const shown = steps!.map(({ weights, pods }) => [
    weights.green,
    pods!.green!.ready,
    Math.round(100 * pods!.green!.utilization),
  ]);
  expect(shown.slice(0, 5)).toEqual([
    [1, 2, 6],
    [2, 2, 12],
    [5, 2, 30],
    [10, 2, 60],
    [25, 2, 150],
  ]);
  expect(steps!.map(({ pods }) => pods!.blue!.ready)).toEqual(
    [...steps!].map(({ pods }) => pods!.blue!.ready).sort((one, other) => other - one),
  );
});

test('the same seed gives the same pods, another seed others', () => {
  const of = (seed: number) =>
    JSON.stringify(
      simulate({
        plan: shiftPlan(slots, { green: 100 }),
        checks,
        seed,
        scenario: {
          requests: { perSecond: 20 },
          slots: {
            blue: { autoscaler: { minReplicas: 2, replicas: 20 } },
            green: { autoscaler: { minReplicas: 2 } },
          },
        },
      }),
    );
  expect(of(5)).toBe(of(5));
  expect(of(5)).not.toBe(of(6));
});

test('a workload of one size is one whose limits are the same', () => {
  const { workloads: pods } = run(20, 20, { green: { maxReplicas: 20 } });
  expect(pods!.green!.pods).toEqual({ before: 20, least: 20, most: 20, after: 20 });
});

test('a slot whose pods are slow to start: the next step waits for them', () => {
  const seconds = (podStart: string) => run(2, 20, { green: { podStart } }).durationSeconds.p50;
  expect(seconds('180s')).toBeGreaterThan(seconds('10s') + 300);
});

describe('with access', () => {
  test('a maximum below the need fails before the first percent', () => {
    const { outcome, writes, workloads: pods } = run(2, 20, { capacity: true, green: { maxReplicas: 19 } });
    expect([outcome!.verdict, writes.max]).toEqual(['rolledBack', 0]);
    expect(outcome!.reason).toContain('green: 20 pods needed at 100 %, and maxReplicas is 19');
    expect(pods!.green!.pods).toMatchObject({ before: 2, after: 2 });
  });

  test.each([
    [{}, 20],
    [{ scale: 'keda' }, 20],
    [{ scale: ['replicas', 'hpa'] }, 20],
    [{ scale: 'replicas' }, 2],
  ] as const)('%j: autoscalers are raised where they may be', (capacity, left) => {
    expect(run(2, 20, { capacity }).workloads!.blue!.pods.after).toBe(left);
  });

  test('killed and run again: the old slot keeps its pods, and it completes', () => {
    const kill = { at: '10m', resumesAfter: '20m' };
    const { outcome, workloads: pods } = run(2, 20, { capacity: true, scenario: { kill } });
    expect(outcome!.verdict).toBe('completed');
    expect(pods).toMatchObject({ blue: { pods: { least: 20 } }, green: { pods: { after: 20 } } });
    // Without access the same goes on with what the autoscaler has left.
    expect(run(2, 20, { scenario: { kill } }).workloads!.blue!.pods.least).toBe(2);
  });

  test('a rollback finds the pods that carried the traffic', () => {
    const scenario = { interrupt: { at: '23m' } };
    const settings = { onInterrupt: 'rollback' } as const;
    const rolledBack = (capacity: boolean) => run(2, 20, { capacity, scenario, settings });
    expect(rolledBack(true)).toMatchObject({
      verdicts: { rolledBack: 1 },
      workloads: { blue: { pods: { least: 20 }, peakUtilization: { max: expect.closeTo(0.6) } } },
    });
    const without = rolledBack(false);
    expect(without.workloads!.blue!.peakUtilization.max).toBeGreaterThan(1);
    expect(without.outcome!.reason).toContain('it had 20 when it carried 100 %');
  });
});

describe('what a pod serves', () => {
  const scenario = (
    blue: Partial<AutoscalerScenario>,
    green: Partial<AutoscalerScenario>,
  ): Partial<Scenario> => ({
    requests: { perSecond: 600 },
    slots: {
      blue: { autoscaler: { minReplicas: 2, ...blue } },
      green: { autoscaler: { minReplicas: 2, ...green } },
    },
  });

  test('is said, and the old slot has the pods that its traffic needs', () => {
    const result = run(2, 20, { scenario: scenario({ requestsPerPod: 100 }, { requestsPerPod: 50 }) });
    expect(result.workloads!.blue!.pods.before).toBe(10);
    expect(result.workloads!.green!.pods.after).toBeGreaterThanOrEqual(18);
  });

  test('has to be known', () => {
    const message = (given: Partial<Scenario>): string => {
      try {
        run(2, 20, { scenario: given });
        return '';
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidInput);
        return (error as Error).message;
      }
    };
    expect(message(scenario({ requestsPerPod: 100 }, {}))).toMatch(
      /scenario\.slots\.green\.autoscaler\.requestsPerPod.*a number above 0, unless a slot with traffic/,
    );
    expect(message(scenario({}, { replicas: 20 }))).toMatch(/slots\.blue.*\n.*slots\.green/);
    expect(message({ ...scenario({ replicas: 20 }, {}), requests: { perSecond: 0 } })).toMatch(
      /requestsPerPod/,
    );
    expect(message(scenario({ replicas: 20 }, {}))).toBe('');
  });
});

test.each([
  // Pods and their utilization at the origin: an autoscaler needs this many, and one fewer would be too few.
  [2, 0.33],
  [3, 0.42],
  [4, 0.47],
  [6, 0.52],
])(
  '%d pods at a utilization of %d, a minimum of one: the autoscaler is content for long',
  (replicas, utilization) => {
    const autoscaler = { minReplicas: 1, replicas, requestsPerPod: 50 / utilization };
    const { verdicts, workloads: pods } = run(1, replicas, {
      runs: 20,
      scenario: { slots: { blue: { autoscaler }, green: { autoscaler: { ...autoscaler, replicas: 1 } } } },
    });
    expect(verdicts.completed).toBe(20);
    expect(pods!['green']!.peakUtilization.max).toBeLessThanOrEqual(1);
  },
);
