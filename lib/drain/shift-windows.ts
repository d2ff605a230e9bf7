import type { SyncWindow } from '../gitops';
import { shiftWindow, withoutShiftWindow, withShiftWindow } from '../gitops';

/** Whose window is kept, and what it holds up. */
export interface WantedWindow {
  /** Name of the shift: windows of others stay as they are. */
  readonly name: string;
  /** Destination clusters by name or server, with wildcards. @default - every Application of the project */
  readonly clusters?: readonly string[];
  /** How long it holds without being renewed, as Go writes durations. */
  readonly lasts: string;
}

/** Clocks differ: a window that opens a little earlier is open for the hub, too. */
const earlierMs = 2 * 60_000;
const minuteMs = 60_000;

/**
 * A project's windows while a shift runs: those that are there, and the shift's own, made anew.
 *
 * Argo CD refuses a project with two windows that differ in their descriptions alone, so another shift's window of the same
 * minute makes this one open a minute earlier.
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go (HashIdentity)
 *
 * @param now milliseconds since 1970
 */
export function windowsDuringShift(
  windows: readonly SyncWindow[],
  { name, clusters = [], lasts }: WantedWindow,
  now: number,
): SyncWindow[] {
  const others = withoutShiftWindow(windows, name);
  const scope = clusters.length > 0 ? { clusters } : { applications: ['*'] };
  const opensAt = (at: number): SyncWindow => shiftWindow({ from: new Date(at), lasts, ...scope, of: name });
  let at = now - earlierMs;
  let window = opensAt(at);
  while (others.some((each) => each.schedule === window.schedule && each.duration === window.duration)) {
    at -= minuteMs;
    window = opensAt(at);
  }
  return withShiftWindow(others, window);
}

/**
 * A project's windows after a shift.
 *
 * @returns undefined where it has none of this shift
 */
export function windowsAfterShift(windows: readonly SyncWindow[], name: string): SyncWindow[] | undefined {
  const others = withoutShiftWindow(windows, name);
  return others.length === windows.length ? undefined : others;
}
