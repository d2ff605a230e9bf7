import { highest, lowest, percentile } from './percentiles';
import type { World } from './world';

/** The pods of one slot while the shift ran. */
export interface SimulatedWorkload {
  /**
   * Highest CPU utilization of its ready pods: requests that came, as a share of those that they can serve. Above 1,
   * requests failed.
   */
  readonly peakUtilization: {
    /** Of the run in the middle. */
    readonly p50: number;
    /** Of the run with the highest. */
    readonly max: number;
  };
  /** Ready pods. */
  readonly pods: {
    /** Before the shift, in the run in the middle. */
    readonly before: number;
    /** Fewest at any time, of all runs. */
    readonly least: number;
    /** Most at any time, of all runs. */
    readonly most: number;
    /** When the shift ended, in the run in the middle. */
    readonly after: number;
  };
}

/** What came of one slot's pods in one run. */
interface WorkloadFigures {
  readonly peakUtilization: number;
  readonly before: number;
  readonly least: number;
  readonly most: number;
  readonly after: number;
}

/** What came of all pods in one run, by slot. */
export type RunWorkloads = Readonly<Record<string, WorkloadFigures>>;

/** To a hundredth of a percent. */
export function shownUtilization(utilization: number): number {
  return Math.round(utilization * 1e4) / 1e4;
}

/** Ready pods, by slot. */
export function readyPods({ workloads }: World): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(workloads).map(([slot, { ready }]) => [slot, ready]));
}

/** @param before ready pods before the shift */
export function runWorkloads({ workloads }: World, before: Readonly<Record<string, number>>): RunWorkloads {
  return Object.fromEntries(
    Object.entries(workloads).map(([slot, { seen, ready }]): [string, WorkloadFigures] => [
      slot,
      {
        peakUtilization: shownUtilization(seen.peakUtilization),
        before: before[slot]!,
        least: Math.min(seen.leastReady, ready),
        most: Math.max(seen.mostReady, ready),
        after: ready,
      },
    ]),
  );
}

/** What came of the pods in many runs, by slot; undefined where no slot has an autoscaler. */
export function workloadSummary(
  runs: readonly RunWorkloads[],
): Readonly<Record<string, SimulatedWorkload>> | undefined {
  const slots = Object.keys(runs[0] ?? {});
  const figures = slots.map((slot): [string, SimulatedWorkload] => {
    const of = (figure: keyof WorkloadFigures): readonly number[] => runs.map((run) => run[slot]![figure]);
    const peaks = of('peakUtilization');
    return [
      slot,
      {
        peakUtilization: { p50: percentile(peaks, 0.5), max: highest(peaks) },
        pods: {
          before: percentile(of('before'), 0.5),
          least: lowest(of('least')),
          most: highest(of('most')),
          after: percentile(of('after'), 0.5),
        },
      },
    ];
  });
  return slots.length === 0 ? undefined : Object.fromEntries(figures);
}
