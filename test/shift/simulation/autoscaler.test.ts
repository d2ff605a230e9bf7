import { recommendedReplicas, Workload } from '../../../lib/shift/simulation/autoscaler';
import type { AutoscalerConditions } from '../../../lib/shift/simulation/conditions';

const second = 1000;

describe('recommended pods, as the tests of Kubernetes have them', () => {
  // https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/replica_calculator_test.go
  test.each<[string, number, number, number, number, number]>([
    ['TestReplicaCalcScaleUp', 3, 3, 0.5, 0.3, 5],
    ['TestReplicaCalcScaleUpUnreadyLessScale', 3, 2, 0.6, 0.3, 4],
    ['TestReplicaCalcScaleUpUnreadyNoScale', 3, 1, 0.4, 0.3, 3],
    ['TestReplicaCalcScaleDown', 5, 5, 0.28, 0.5, 3],
    ['TestReplicaCalcScaleDownExcludeUnreadyPods', 5, 3, 0.3, 0.5, 2],
    ['TestReplicaCalcTolerance', 3, 3, 1.02, 1, 3],
  ])('%s', (_, replicas, measured, utilization, targetUtilization, expected) => {
    const settings = { targetUtilization, tolerance: 0.1 };
    expect(recommendedReplicas(settings, { replicas, measured, utilization })).toBe(expected);
  });

  test.each([
    ['a tenth above the target', 10, 10, 0.66, 10],
    ['less than a whole percent more', 10, 10, 0.6699, 10],
    ['a whole percent more', 10, 10, 0.67, 12],
    ['a tenth below the target', 10, 10, 0.54, 10],
    ['more than that', 10, 10, 0.53, 9],
    ['no pod with metrics', 10, 0, 0, 10],
    ['binary fractions add nothing', 20, 20, 0.3, 10],
  ])('%s', (_, replicas, measured, utilization, expected) => {
    const settings = { targetUtilization: 0.6, tolerance: 0.1 };
    expect(recommendedReplicas(settings, { replicas, measured, utilization })).toBe(expected);
  });
});

describe('a workload', () => {
  const settings: AutoscalerConditions = {
    minReplicas: 2,
    maxReplicas: 40,
    targetUtilization: 0.6,
    tolerance: 0.1,
    syncMs: 15 * second,
    scaleDownWindowMs: 300 * second,
    podStartMs: 60 * second,
    replicas: undefined,
    requestsPerPod: undefined,
  };

  /** Ready and wanted pods at some seconds, with so many requests a second; a pod serves 100. */
  function pods(
    at: readonly number[],
    perSecond: (seconds: number) => number,
    {
      replicas = 2,
      change = () => undefined,
      ...others
    }: Partial<AutoscalerConditions> & {
      change?: (workload: Workload, seconds: number) => void;
    } = {},
  ): (readonly [number, number])[] {
    const workload = new Workload({ ...settings, ...others }, 100, replicas, 0, 15 * second);
    const seen: (readonly [number, number])[] = [];
    for (let seconds = 0; seconds <= at.at(-1)!; seconds += 1) {
      workload.change(seconds * second);
      change(workload, seconds);
      if (at.includes(seconds)) {
        seen.push([workload.ready, workload.replicas]);
      }
      workload.serve(perSecond(seconds), second);
    }
    return seen;
  }

  test('doubles at most at each look, or has four; new pods are ready after their start', () => {
    expect(pods([14, 15, 30, 74, 75, 89, 90, 105], () => 1800)).toEqual([
      [2, 2],
      [2, 4],
      // Pods that are not ready count as idle: 2 at 100 % and 2 at 0 % are 50 %.
      [2, 4],
      [2, 4],
      [4, 4],
      [4, 4],
      // 4 at 100 %, where 60 % are wanted.
      [4, 7],
      [4, 7],
    ]);
  });

  test('goes beyond neither limit', () => {
    expect(pods([600], () => 1e6, { maxReplicas: 7 })).toEqual([[7, 7]]);
    expect(pods([600], () => 0, { replicas: 20 })).toEqual([[2, 2]]);
  });

  test('removes pods only after the window has recommended it throughout', () => {
    const load = (seconds: number) => (seconds < 20 ? 1200 : 300);
    expect(pods([20, 314, 330, 345, 360], load, { replicas: 20 })).toEqual([
      [20, 20],
      [20, 20],
      // The look at 30 s saw the old load for some of its time.
      [10, 10],
      [5, 5],
      [5, 5],
    ]);
  });

  test('a raised minimum is wanted at the next look, all of it; given back, pods go if no look of the window wanted them', () => {
    const change = (workload: Workload, seconds: number): void => {
      if (seconds === 20) {
        workload.raise(20);
      } else if (seconds === 600) {
        workload.raise(0);
      }
    };
    expect(pods([29, 30, 89, 90, 600, 615, 900], () => 120, { change })).toEqual([
      [2, 2],
      [2, 20],
      [2, 20],
      [20, 20],
      [20, 20],
      [2, 2],
      [2, 2],
    ]);
  });

  test('pods that are not ready go first', () => {
    const change = (workload: Workload, seconds: number): void => workload.raise(seconds < 40 ? 10 : 0);
    expect(pods([30, 45, 89], () => 60, { change, scaleDownWindowMs: 0 })).toEqual([
      [2, 10],
      [2, 2],
      [2, 2],
    ]);
  });

  test('utilization is what comes, and more than all fails', () => {
    const workload = new Workload(settings, 100, 4, 0, 15 * second);
    expect([workload.capacity, workload.utilization(0.2), workload.utilization(0.5)]).toEqual([
      400, 0.5, 1.25,
    ]);
    workload.note(0.5);
    workload.note(0.1);
    expect(workload.seen).toEqual({ peakUtilization: 1.25, leastReady: 4, mostReady: 4 });
  });
});
