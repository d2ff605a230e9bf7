import { sleep } from '../../core/async';
import { shellWord } from '../../core/process/shell-word';
import { oneLine } from '../../core/printable-text';
import { anyOf, approvalContext, openApprovals } from '../../shift/approvals';
import { endWords, formatRoundedDuration } from '../../shift/engine';
import { People } from '../../shift/page';
import { openRoute } from '../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../shift/plan-file';
import { runPlan } from './run-plan';
import type { RouteRun } from './run-plan';

/** A shift was aborted: somebody else has moved the traffic, or it is not known where it is. A person has to look. */
export class ShiftAborted extends Error {
  public override readonly name: string = 'ShiftAborted';
}

/** One that has written nothing and does not know what is there: its lease or its router did not answer. Another try does no harm. */
export class NotBegun extends ShiftAborted {}

/** A shift was rolled back, or held where it was. */
export class NotMoved extends Error {
  public override readonly name = 'NotMoved';
}

/** How traffic is moved. */
export interface MoveOptions {
  /**
   * Whether the traffic goes back: an unfinished shift that began with these weights is taken back at once, and pauses are left
   * out.
   */
  readonly back: boolean;
  /** Takes a line for a person. */
  readonly say: (line: string) => void;
  /**
   * Makes sure, just before something is written, that this process may still do so; throws where it may not.
   *
   * @default - it may
   */
  readonly confirm?: () => Promise<void>;
}

/** How long the lease of a killed run is waited for at most where the lease says nothing of it, in milliseconds. */
const longestLease = 300_000;

/** A run that was killed holds its lease until it expires; one that still runs keeps it beyond that, and is not waited for. */
export async function expired(
  { lease, routerId }: OpenRoute,
  say: MoveOptions['say'],
  signal: AbortSignal,
): Promise<void> {
  const { holder, expiresAt = 0 } = await lease.look(signal);
  // A clock of another machine may be ahead.
  const waits = Math.min(expiresAt - Date.now(), lease.durationMs ?? longestLease);
  if (holder !== undefined && waits > 0) {
    const time = formatRoundedDuration(waits);
    say(`${oneLine(holder)} has the lease of ${routerId}: waits up to ${time} for its end.`);
    await sleep(waits + 1_000, signal);
  }
}

/**
 * Moves the traffic of a plan to its weights, and waits for leases of runs that were killed.
 *
 * @param isAlone whether lines name no route
 * @throws ShiftAborted, NotMoved where the traffic is not there in the end; what `confirm` throws
 */
export async function move(
  plan: CheckedPlanFile,
  { back, say, confirm }: MoveOptions,
  signal: AbortSignal,
  isAlone = Object.keys(plan.routes).length === 1,
): Promise<void> {
  if (!back) {
    for (const name of Object.keys(plan.routes)) {
      const route = await openRoute(plan, name);
      // What can't be read is read again by the run, which says so.
      await expired(route, say, signal).catch(() => undefined);
      route.close();
    }
  }
  signal.throwIfAborted();
  await confirm?.();
  const routeRun = ({ name, routerId, watch }: OpenRoute): RouteRun => {
    const given = { plan: plan.file, route: name, routerId };
    const others = anyOf(openApprovals(plan.approvals ?? {}, given, approvalContext(say)));
    const people = watch && new People(howByWatch(plan.file, isAlone ? undefined : name), others);
    const resume = people ?? others;
    return {
      people,
      takeBack: back,
      runAgain: 'run the same swap again',
      ...(resume && { resume }),
      observers: [{ logged: ({ text }) => say(isAlone ? text : `${name}: ${text}`) }],
    };
  };
  const result = await runPlan(plan, { route: routeRun, say, signal });
  const { verdict, reason } = result;
  const why = reason.split('\n').map(oneLine).join(' ');
  const text = `the shift of ${plan.file} was ${endWords[verdict]}: ${why}`;
  if (verdict === 'aborted') {
    const isBegun = 'shifts' in result || result.from !== null || result.writes.length > 0;
    // Whatever ended it: what another process or a person has set is not taken back.
    throw isBegun ? new ShiftAborted(text) : new NotBegun(text);
  }
  signal.throwIfAborted();
  if (verdict !== 'completed') {
    throw new NotMoved(text);
  }
}

/**
 * How a person lets a shift go beyond a pause from another machine.
 *
 * @param route where a plan has several
 */
export function howByWatch(file: string, route?: string): string {
  const all = ['cluster-canary', 'watch', file, ...(route === undefined ? [] : ['--route', route])];
  return [...all, '--continue'].map(shellWord).join(' ');
}
