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
    '`cluster-canary doctor clock --json` with four heartbeats of each node, 10 s apart. The bare program lists the same Leases as often, without a pause.',
    '',
    measuredLine(date, node, load),
    '',
    '| nodes | seconds | lists | MB each | CPU s | MB | bare, CPU s | bare, MB | CPU ratio |',
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
