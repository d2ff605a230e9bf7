import { systemClock } from '../../../core/async';
import { openKubernetes, openedOnce } from '../../../core/kubernetes/open';
import { giveBackCapacity } from '../../../shift/capacity';
import { capacityLeftText, formatWeights, markEnded } from '../../../shift/engine';
import type { Capacity, CapacityLeft, ShiftOutcome } from '../../../shift/engine';
import { openRoute, readPlan } from '../../../shift/plan-file';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { takeInterrupts } from '../../interrupts';
import {
  couldNotRun,
  interruptedStatus,
  jsonText,
  somethingWrong,
  stdoutToStderr,
  writeDocument,
  writeNotes,
  writeOut,
} from '../../output';
import { makeReportFolder, saveReport } from '../../written-files';
import { showDryRun } from './dry-run';
import { checkFlags, chosenRoutes } from './flags';
import type { ShiftFlags } from './flags';
import { ProgressView, progressStream } from './progress';
import { reportFolders, reportsOf, resultLines } from './result';
import type { PlanResult } from '../../../operate/planned-shift';
import { showRights } from './rights';
import { runRoutes } from './run-routes';

/**
 * Marks the record of the only route as ended, so that the next shift starts from the live weights, and gives back capacity
 * that the shift has raised: its record names the clusters, whatever the plan says by now.
 *
 * @throws LeaseTaken where a shift runs
 */
async function forgetRoute(plan: CheckedPlanFile): Promise<void> {
  const [name] = Object.keys(plan.routes);
  const route = await openRoute(plan, name!);
  // It takes a second, and between its two writes the lease is held.
  const interrupts = takeInterrupts(() => undefined);
  let said: string;
  let left: CapacityLeft | undefined;
  const open = openedOnce((cluster) => openKubernetes(cluster));
  const giveBack: Capacity['giveBack'] = async (raised, signal) => {
    // A slot with traffic keeps the pods of what nothing scales; so does each where the live weights are not known.
    const live = await route.router.read(signal).catch(() => undefined);
    left = await giveBackCapacity(raised, open, signal, live);
    return left;
  };
  try {
    const ended = { at: systemClock.now(), verdict: 'forgotten', live: null } as const;
    const record = await markEnded(route.lease, ended, undefined, { giveBack });
    said = record
      ? `the shift from ${formatWeights(record.origin)} to ${formatWeights(record.wanted)} is forgotten`
      : 'there is no unfinished shift';
  } finally {
    interrupts.release();
    route.close();
  }
  await writeOut([`${name}: ${said}; ${route.router.name} is as it was.`]);
  if (left) {
    writeNotes(capacityLeftText(left.problem));
    process.exitCode = somethingWrong;
  }
}

/**
 * Runs `cluster-canary shift`, and sets the exit status.
 *
 * @throws what keeps it from running: bad input, or a router that can't be reached
 */
export async function shift(file: string, flags: ShiftFlags): Promise<void> {
  const plan = chosenRoutes(readPlan(file), flags.route);
  checkFlags(plan, flags);
  if (flags.rights === true) {
    await showRights(plan, flags.json === true);
    return;
  }
  if (flags.forget === true) {
    await forgetRoute(plan);
    return;
  }
  if (flags.dryRun === true) {
    await showDryRun(plan, flags);
    return;
  }
  if (flags.report !== undefined) {
    makeReportFolder(flags.report, reportFolders(plan));
  }
  const view = new ProgressView(progressStream());
  const does = plan.shift.onInterrupt === 'rollback' ? 'rolls back' : 'holds';
  const interrupts = takeInterrupts(() =>
    view.say(`Interrupted: ${does}. SIGINT or SIGTERM once more ends it at once.`),
  );
  // A library that prints something would spoil the document.
  const undo = stdoutToStderr();
  let result: PlanResult | undefined;
  try {
    result = await runRoutes(plan, flags, interrupts, view);
  } catch (error) {
    if (!interrupts.signal.aborted) {
      throw error;
    }
  } finally {
    view.stop();
    undo();
    interrupts.release();
  }
  if (result === undefined) {
    writeNotes('Interrupted before it wrote anything.');
    process.exitCode = interruptedStatus;
    return;
  }
  await (flags.json === true ? writeDocument(jsonText(result)) : writeOut(resultLines(result)));
  if (flags.report !== undefined) {
    for (const { below, outcome, title } of reportsOf(plan, result)) {
      saveReport(flags.report, outcome, { title }, below);
    }
  }
  process.exitCode = statusOf(result, interrupts.signal.aborted, flags);
}

/** A shift that could not even read the live weights did not run. */
export function statusOf(result: PlanResult, wasInterrupted: boolean, flags: ShiftFlags = {}): number {
  if (result.verdict === 'completed' || isWhatWasAsked(result, flags)) {
    return leavesSomething(result) ? somethingWrong : 0;
  }
  if (wasInterrupted) {
    return interruptedStatus;
  }
  const ran = outcomesOf(result).some((outcome) => outcome.from !== null || outcome.writes.length > 0);
  return ran ? somethingWrong : couldNotRun;
}

function outcomesOf(result: PlanResult): readonly ShiftOutcome[] {
  return 'shifts' in result ? Object.values(result.shifts).filter((outcome) => outcome !== null) : [result];
}

/** The next run would take the shift for unfinished, or has capacity to give back. */
function leavesSomething(result: PlanResult): boolean {
  const ofWaves = 'shifts' in result && (result.leaseProblems?.length ?? 0) > 0;
  return ofWaves || outcomesOf(result).some((one) => (one.leaseProblem ?? one.capacityProblem) !== undefined);
}

/** A pause that was to be reached, or a rollback that was asked for, if there was something to take back. */
function isWhatWasAsked(result: PlanResult, { toPause, rollBack, ifRecorded }: ShiftFlags): boolean {
  const isPaused = 'pausedAt' in result && result.pausedAt !== undefined;
  const hadNone = 'noRecord' in result && result.noRecord === true;
  return (
    (toPause === true && isPaused) ||
    (rollBack !== undefined && result.verdict === 'rolledBack') ||
    (ifRecorded === true && hadNone)
  );
}
