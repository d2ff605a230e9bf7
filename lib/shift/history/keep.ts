import { dirname } from 'node:path';
import { within } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import type { ShiftOutcome } from '../engine';
import { userOnMachine } from '../leases';
import type { OpenShiftHistory } from './history-kind';
import { isWorthKeeping, shiftId } from './kept-shift';
import type { ShiftOrigin } from './outcome-schema';
import { openShiftHistory } from './settings';
import type { ShiftHistorySettings } from './settings';

/** A run that has ended. */
export interface EndedShift {
  /** Name of the route in its plan. */
  readonly route: string;
  /** `id` of its router. */
  readonly routerId: string;
  /** What came of it. */
  readonly outcome: ShiftOutcome;
}

/** What became of the documents: a part of `shift --json`. */
export interface KeepReport {
  /** Where they are kept. */
  readonly place: string;
  /** Names of the shifts that are there now. */
  readonly ids: readonly string[];
  /** Why shifts are not there. @default - all are */
  readonly problem?: string;
}

/** How shifts are kept. */
export interface KeepOptions extends Pick<ShiftOrigin, 'plan' | 'fleet'> {
  /** The folder that paths start from. @default - that of the plan */
  readonly base?: string;
  /** @default - the user of this process and its machine */
  readonly by?: string;
  /** How long it may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
  /** Ends it at once. @default - nothing does */
  readonly signal?: AbortSignal;
  /** Opens the history. @default openShiftHistory */
  readonly open?: (settings: ShiftHistorySettings, base: string) => Promise<OpenShiftHistory>;
}

/**
 * Keeps shifts that have ended. It changes nothing about them, and throws nothing: what could not be kept is said.
 *
 * @returns nothing where there is nothing to keep
 */
export async function keepShifts(
  settings: ShiftHistorySettings,
  ended: readonly EndedShift[],
  {
    plan,
    fleet,
    base = dirname(plan),
    by = userOnMachine(),
    timeoutMs = 30_000,
    signal,
    open = openShiftHistory,
  }: KeepOptions,
): Promise<KeepReport | undefined> {
  const shifts = ended
    .filter(({ outcome }) => isWorthKeeping(outcome))
    .map(({ route, routerId, outcome }) => {
      const id = shiftId(route, routerId, outcome);
      return { ...outcome, run: { id, plan, route, ...(fleet !== undefined && { fleet }), by } };
    });
  if (shifts.length === 0) {
    return undefined;
  }
  const ids: string[] = [];
  let place = Object.keys(settings)[0]!;
  let opened: OpenShiftHistory | undefined;
  try {
    opened = await open(settings, base);
    const { history } = opened;
    place = history.name;
    const isDone = await within(timeoutMs, signal, async (own) => {
      for (const shift of shifts) {
        await history.keep(shift, own);
        ids.push(shift.run.id);
      }
      return true;
    });
    return isDone ? { place, ids } : { place, ids, problem: 'interrupted' };
  } catch (error) {
    return { place, ids, problem: errorLine(error) };
  } finally {
    opened?.close();
  }
}

/** For a person, a line each. */
export function keptLines({ place, ids, problem }: KeepReport): readonly string[] {
  return [
    ...ids.map((id) => `kept: ${id} (${place})`),
    ...(problem === undefined ? [] : [`warning: the history has not all of it: ${place}: ${problem}`]),
  ];
}
