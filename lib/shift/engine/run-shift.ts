import { Driver } from './driver/driver';
import { personName } from './driver/request-calls';
import type { ShiftOutcome } from './outcome';
import type { ShiftRun } from './shift-run';

/**
 * Runs a shift to its end: reads, writes and waits as the machine says, and tells it what came of it.
 *
 * It does not throw for what happens on the way, be it a router that fails: every end is an outcome.
 */
export function runShift(run: ShiftRun): Promise<ShiftOutcome> {
  const plan = { ...run.plan, unchecked: run.checks.length === 0 };
  const by = run.resumedBy === undefined ? {} : { resumedBy: personName(run.resumedBy) };
  return new Driver({ ...run, ...by, plan }).drive();
}
