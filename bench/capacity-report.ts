import type { CapacitySummary } from './capacity';
import { number, table, whole } from './text';

export const capacityHeading = '## Capacity';

/** What came of shifts of workloads with autoscalers, and when. */
export interface CapacitySection {
  /** `2026-01-31` */
  readonly date: string;
  readonly node: string;
  readonly results: readonly CapacitySummary[];
}

/** The section as Markdown, line by line. */
export function capacitySection({ date, node, results }: CapacitySection): string[] {
  const { worlds, outOfReach } = results[1]!;
  return [
    capacityHeading,
    '',
    `Shifts from blue to green with default steps in ${whole(worlds)} simulated workloads (seeds from 1).`,
    '3 to 500 pods carry the traffic. Autoscalers have a minimum of 1 to 50 % of that, and aim at 60 % CPU.',
    'Both numbers are drawn evenly by their logarithm. Pods start in 10 to 180 s, and traffic varies by 2 %.',
    'With access, the shift raises minimums before each step. Without, its steps follow the targets; with a maximum',
    'of 30 to 95 % of the pods that green needs, they end where these are full.',
    'The control needs 0.8 of the targets a percent that the old slot has, and waits for them.',
    '',
    `Measured ${date} with Node.js ${node}.`,
    '',
    ...table(
      [
        '',
        'completed',
        'rolled back',
        'held',
        'in time',
        'time, p50',
        'time, p95',
        'highest CPU',
        'CPU above goal',
        'fewest old pods',
      ],
      results.map((one) => [
        one.name,
        whole(one.verdicts.completed),
        whole(one.verdicts.rolledBack),
        whole(one.verdicts.held),
        percent(one.inTime),
        `${number(one.slowdown[0])} x`,
        `${number(one.slowdown[1])} x`,
        percent(one.peakUtilization),
        whole(one.aboveGoal),
        percent(one.leastOfOld),
      ]),
    ),
    '',
    'Times are relative to the same shift with all pods there from the start. In time: at most twice that, or no longer than the',
    'starts of pods and the looks of the autoscaler make a shift that waits for nothing else. The goal for CPU is 66 % with access',
    `(1.1 times the target) and 100 % without. In ${whole(outOfReach)} workloads no shift without access can meet it: from 1 % of the traffic, the`,
    'next whole percent doubles the load of pods whose autoscaler is content.',
    '',
  ];
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
