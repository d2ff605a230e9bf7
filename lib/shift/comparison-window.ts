import type { CheckWindow } from './check';
import type { SlotCount } from './comparison-counts';

/** What a source of counts knows at a time. */
export interface KnownCounts {
  /** Of whole periods only; a slot without requests in a period may be missing there. */
  readonly counts: readonly SlotCount[];
  /** Where the last whole period ends whose figures are there, in milliseconds since 1970. */
  readonly until: number;
  /** Length of a period, in milliseconds. */
  readonly periodMs: number;
  /**
   * Whether the newest period may still lack figures, as with series that are not written at the same moment. It fails no
   * check alone then, but by what was counted as failed.
   *
   * @default false
   */
  readonly settling?: boolean;
}

/** What too few figures mean. */
export type OnNoData = 'inconclusive' | 'fail' | 'pass';

/** Slots that the shift gives more than they had. */
export function gainingSlots(window: CheckWindow): readonly string[] {
  return Object.keys(window.wanted).filter((slot) => window.wanted[slot]! > (window.origin[slot] ?? 0));
}

/** Slots that the shift gives no more than they had. */
export function baselineSlots(window: CheckWindow): readonly string[] {
  const gaining = gainingSlots(window);
  return Object.keys({ ...window.origin, ...window.wanted }).filter((slot) => !gaining.includes(slot));
}

/** When the shift began: a run that goes on with an older one has writes from before it started. */
export function shiftStart(window: CheckWindow): number {
  return Math.min(window.startedAt, ...window.writes.map(({ at }) => at));
}

/** Whether there is a whole period of figures since the weights that stand now were written. */
export function hasWholePeriod(window: CheckWindow, { until, periodMs }: KnownCounts): boolean {
  return until - periodMs >= window.from;
}

/** Until when a slot is cold: one that had no traffic before the shift, for some time from its first weight on. */
export function warmUntil(window: CheckWindow, slot: string, warmUpMs: number): number {
  if ((window.origin[slot] ?? 0) > 0) {
    return -Infinity;
  }
  const first = window.writes.find(({ weights }) => (weights[slot] ?? 0) > 0);
  return (first?.at ?? shiftStart(window)) + warmUpMs;
}
