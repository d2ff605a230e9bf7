import { errorLine } from '../../core/validation/problems';
import { settingsBack } from '../../shift/engine';
import { openRoute, planOfRoute } from '../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../shift/plan-file';
import { NotBegun, NotMoved, ShiftAborted, expired, move } from './move';
import type { MoveOptions } from './move';

/**
 * What was cut off goes back first; then the rest, the last wave first. Each route is a shift of its own: no other one may keep it
 * where it is, and none that fails may take another one to the slot that is given up.
 */
export async function moveBack(
  plan: CheckedPlanFile,
  options: MoveOptions,
  signal: AbortSignal,
): Promise<void> {
  const back = { ...plan, shift: settingsBack(plan.shift, plan.weights) };
  const waves = [...plan.waves].reverse();
  const unfinished: string[] = [];
  for (const name of waves.flat()) {
    if (await isUnfinished(back, name, options.say, signal)) {
      unfinished.push(name);
    }
  }
  const rest = waves.map((wave) => wave.filter((name) => !unfinished.includes(name)));
  const isAlone = Object.keys(plan.routes).length === 1;
  const failures: unknown[] = [];
  for (const names of [...unfinished.map((name) => [name]), ...rest]) {
    const moved = await Promise.allSettled(
      names.map((name) =>
        moveDespite(planOfRoute(back, name), unfinished.includes(name), options, signal, isAlone),
      ),
    );
    failures.push(...moved.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : [])));
    if (signal.aborted) {
      break;
    }
  }
  if (failures.length > 0) {
    throw together(failures);
  }
}

/** One error for all routes: one that may be tried again does not hide one that may not. */
function together(failures: readonly unknown[]): Error {
  const [first] = failures;
  if (failures.length === 1 && first instanceof Error) {
    return first;
  }
  const text = failures.map(errorLine).join('; ');
  const isFinal = (one: unknown): boolean => !(one instanceof NotBegun);
  const finals = [ShiftAborted, NotMoved].find((kind) =>
    failures.some((one) => one instanceof kind && isFinal(one)),
  );
  const kind = finals ?? (failures.every(isFinal) ? Error : NotBegun);
  return new kind(text);
}

/**
 * What is beside the traffic and can't be opened is no reason to leave it where it is. Checks and capacity are, but for a shift that
 * was cut off.
 */
async function moveDespite(
  plan: CheckedPlanFile,
  isCutOff: boolean,
  options: MoveOptions,
  signal: AbortSignal,
  isAlone: boolean,
): Promise<void> {
  try {
    await move(plan, options, signal, isAlone);
  } catch (error) {
    if (error instanceof ShiftAborted || error instanceof NotMoved || signal.aborted) {
      throw error;
    }
    const more = isCutOff ? ', checks, capacity' : '';
    options.say(`${errorLine(error)}; it is taken back without labels, sync windows${more} and sinks`);
    const { checks, capacity } = plan;
    const kept = isCutOff ? {} : { checks, ...(capacity && { capacity }) };
    await move({ ...bare(plan), ...kept }, options, signal, isAlone);
  }
}

/** The routes, their leases and their weights alone. */
function bare({
  labels: _labels,
  syncWindow: _window,
  capacity: _capacity,
  history: _history,
  approvals: _approvals,
  ...plan
}: CheckedPlanFile): CheckedPlanFile {
  return { ...plan, checks: [], notify: [] };
}

/** Whether a shift of a route was cut off; where that can't be read, its run reads it again. */
async function isUnfinished(
  plan: CheckedPlanFile,
  name: string,
  say: MoveOptions['say'],
  signal: AbortSignal,
): Promise<boolean> {
  let route: OpenRoute | undefined;
  try {
    route = await openRoute(bare(plan), name);
    await expired(route, say, signal);
    const { record, problem } = await route.lease.look(signal);
    return problem !== undefined || (record !== undefined && record.ended === undefined);
  } catch (error) {
    signal.throwIfAborted();
    say(`${name}: ${errorLine(error)}`);
    return true;
  } finally {
    route?.close();
  }
}
