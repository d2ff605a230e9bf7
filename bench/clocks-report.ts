import type { ClockResult } from './clocks';
import { measuredLine } from './text';

export const clocksHeading = '## Clocks';

/** Where and when `doctor clock` was measured, and what came out. */
export interface ClocksSection {
  /** `2026-01-31` */
  readonly date: string;
  /** `v20.19.0` */
  readonly node: string;
  /** Load average before the first sample. */
  readonly load: number;
  readonly results: readonly ClockResult[];
}

/** The section on `doctor clock`. */
export function clocksSection({ date, node, load, results }: ClocksSection): string[] {
  return [
    clocksHeading,
    '',
    '`cluster-canary doctor clock --json`: four heartbeats of every node, 10 s apart, so that most of the time is waiting. The API server is a small server in another process on the same machine. Beside it a bare program that lists the Leases as often, without a pause, in the same pages, and parses the JSON; the ratio is that of the processor time, start of the process included. One node in a hundred is 91 s slow, and each is found.',
    '',
    measuredLine(date, node, load),
    '',
    '| nodes | seconds | lists | MB a list | processor seconds | peak MB | bare lists: processor seconds | peak MB | ratio |',
    '|---|---|---|---|---|---|---|---|---|',
    ...results.map(({ nodes, looks, megabytes, doctor, bare }) =>
      [
        '',
        nodes.toLocaleString('en'),
        doctor.seconds.toFixed(1),
        looks,
        megabytes.toFixed(2),
        doctor.cpuSeconds.toFixed(2),
        doctor.peakMegabytes.toFixed(0),
        bare.cpuSeconds.toFixed(2),
        bare.peakMegabytes.toFixed(0),
        (doctor.cpuSeconds / bare.cpuSeconds).toFixed(2),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
    '',
  ];
}
