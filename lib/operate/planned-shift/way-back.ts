import { errorLine } from '../../core/validation/problems';
import { settingsBack } from '../../shift/engine';
import { openRoute, planOfRoute } from '../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../shift/plan-file';
import { NotMoved, ShiftAborted, expired, move } from './move';
import type { MoveOptions } from './move';

/**
 * What was cut off goes back first, each route by itself: no check of another one may keep it where it is. Then the rest, the last
 * wave first.
 */
export async function moveBack(
  plan: CheckedPlanFile,
  options: MoveOptions,
  signal: AbortSignal,
): Promise<void> {
  const back = { ...plan, shift: settingsBack(plan.shift, plan.weights), rollBack: 'wave' } as const;
  const waves = [...plan.waves].reverse();
  const unfinished: string[] = [];
  for (const name of waves.flat()) {
    if (await isUnfinished(back, name, options.say, signal)) {
      unfinished.push(name);
    }
  }
  const rest = Object.keys(plan.routes).filter((name) => !unfinished.includes(name));
  const parts = [
    ...unfinished.map((name) => planOfRoute(back, name)),
    {
      ...back,
      routes: Object.fromEntries(rest.map((name) => [name, plan.routes[name]!])),
      waves: waves
        .map((wave) => wave.filter((name) => rest.includes(name)))
        .filter(({ length }) => length > 0),
    },
  ];
  const isCutOff = ({ routes }: CheckedPlanFile): boolean => unfinished.some((name) => name in routes);
  const failures: unknown[] = [];
  for (const part of parts.filter(({ routes }) => Object.keys(routes).length > 0)) {
    try {
      await moveDespite(part, isCutOff(part), options, signal, Object.keys(plan.routes).length === 1);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  if (failures.length > 1) {
    const text = failures.map(errorLine).join('; ');
    throw failures.some((each) => each instanceof ShiftAborted) ? new ShiftAborted(text) : new NotMoved(text);
  }
  if (failures.length === 1) {
    throw failures[0];
  }
}

/** What is beside the traffic and can't be opened is no reason to leave an unfinished shift where it is. */
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
    if (!isCutOff || error instanceof ShiftAborted || error instanceof NotMoved || signal.aborted) {
      throw error;
    }
    options.say(
      `${errorLine(error)}; it is taken back without labels, sync windows, checks, capacity and sinks`,
    );
    await move(bare(plan), options, signal, isAlone);
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
