import { existsSync } from 'node:fs';
import { shellWord } from '../../../core/process/shell-word';
import type { OpenLabels, OpenWindows, WatchedRouter } from '../../../operate/argocd';
import { anyOf, approvalContext, openApprovals } from '../../../shift/approvals';
import { combinedObserver, runShift, runWaves } from '../../../shift/engine';
import type { Resume, ShiftObserver, ShiftOutcome, ShiftRun } from '../../../shift/engine';
import { keepShifts, keptLines } from '../../../shift/history';
import type { EndedShift, KeepReport } from '../../../shift/history';
import { userOnMachine } from '../../../shift/leases';
import { deliveryLines, openNotifier } from '../../../shift/notify';
import type { DeliveryReport, Notifier } from '../../../shift/notify';
import { hasLease, openRoute } from '../../../shift/plan-file';
import type { OpenRoute, CheckedPlanFile } from '../../../shift/plan-file';
import type { Interrupts } from '../../interrupts';
import { approverOf } from './approver';
import type { ShiftFlags } from './flags';
import type { ProgressView } from './progress';
import type { Result } from './result';

/** A person lets a shift go beyond a pause by making the file of that place: `go-50`. */
function resumeFile(path: string): Resume {
  return {
    how: `touch ${path}-PLACE, where PLACE is the percent of the way at which it waits`,
    resumed: (place) => Promise.resolve(existsSync(`${path}-${place}`)),
  };
}

/** Each way in which a person lets a route go beyond a pause. */
function resumeOf(
  { file, approvals = {} }: CheckedPlanFile,
  { name, routerId }: OpenRoute,
  flags: ShiftFlags,
  view: ProgressView,
): Resume | undefined {
  const context = approvalContext((line) => view.say(line));
  return anyOf([
    ...(flags.resumeFile === undefined ? [] : [resumeFile(flags.resumeFile)]),
    ...openApprovals(approvals, { plan: file, route: name, routerId }, context),
  ]);
}

/** What was done about a result beside the shift itself. */
export interface RunReports {
  /** What sinks got of it. @default - the plan has none */
  readonly notifications?: readonly DeliveryReport[];
  /** What the history got of it. @default - the plan has none, or there was nothing to keep */
  readonly kept?: KeepReport;
}

/**
 * Runs the routes of a plan: one as a shift, several in waves.
 *
 * @throws InvalidInput, RouterError where one can't be begun; nothing is written then
 */
export async function runRoutes(
  plan: CheckedPlanFile,
  flags: ShiftFlags,
  { signal, kill }: Interrupts,
  view: ProgressView,
): Promise<Result & RunReports> {
  const routes: OpenRoute[] = [];
  const notifier = openNotifier(plan.notify, plan.file, { by: userOnMachine(), source: plan.file });
  const labels = await openedLabels(plan, view);
  let windows: OpenWindows | undefined;
  try {
    windows = await openedWindows(plan, view);
    for (const name of Object.keys(plan.routes)) {
      routes.push(await openRoute(plan, name));
    }
    const isAlone = routes.length === 1;
    const watched = (name: string, observer: ShiftObserver): ShiftObserver =>
      labels?.watch(name, observer) ?? observer;
    const around = (each: WatchedRouter): WatchedRouter => windows?.around(each) ?? each;
    const runs = await Promise.all(
      routes.map(async (route): Promise<readonly [string, ShiftRun]> => {
        const resume = flags.toPause === true ? undefined : resumeOf(plan, route, flags, view);
        const shared = {
          runAgain: runAgain(plan, flags),
          runBeyond: (place: number) => `${runAgain(plan, flags)} --resumed ${place}`,
          ...(hasLease(plan) && { runBack: `${command(plan, flags)} --roll-back REASON` }),
          ...(resume && { resume }),
          ...(flags.resumed === undefined ? {} : { resumedTo: flags.resumed }),
          ...(flags.approvedBy === undefined ? {} : { resumedBy: approverOf(flags.approvedBy)! }),
          ...(flags.keepRecord === true ? { keepRecord: true } : {}),
          ...(flags.rollBack === undefined ? {} : { rollBack: flags.rollBack }),
        };
        const { checks, capacity, lease } = route;
        const seen = combinedObserver([
          view.observer(isAlone ? '' : route.name),
          notifier.observer(route.name, resume?.how),
        ]);
        const shown = {
          router: flags.rollBack === undefined ? route.shifted : route.router,
          observer: watched(route.name, seen),
        };
        const own = { plan: await route.plan(signal), checks, lease, ...(capacity && { capacity }) };
        return [route.name, { ...shared, ...around(shown), ...own }];
      }),
    );
    const result: Result = isAlone
      ? await runShift({ ...runs[0]![1], signal, kill })
      : await runWaves({
          waves: plan.waves,
          onFailure: plan.rollBack,
          shifts: Object.fromEntries(runs),
          signal,
          kill,
        });
    const outcomes = 'shifts' in result ? Object.values(result.shifts) : [result];
    // Without an unfinished shift there is nothing that labels and windows have to wait for.
    const verdict = outcomes.every((outcome) => outcome?.noRecord === true) ? 'rolledBack' : result.verdict;
    await labels?.end(
      verdict,
      outcomes.map((outcome) => outcome?.final ?? null),
    );
    await windows?.end(verdict);
    const reports = await Promise.all([
      plan.history && keptOf(plan, endedOf(result, routes), kill, view),
      plan.notify.length > 0 ? told(notifier, kill, view) : undefined,
    ]);
    const [kept, notifications] = reports;
    return { ...result, ...(notifications && { notifications }), ...(kept && { kept }) };
  } finally {
    notifier.close();
    windows?.close();
    labels?.close();
    routes.forEach((route) => route.close());
  }
}

/** Every run of every route; one that was taken back has run twice. */
function endedOf(result: Result, routes: readonly OpenRoute[]): readonly EndedShift[] {
  const runsOf = (name: string): readonly (ShiftOutcome | null | undefined)[] =>
    'shifts' in result ? [result.shifts[name], result.reverted[name]] : [result];
  return routes.flatMap(({ name, routerId }) =>
    runsOf(name).flatMap((outcome) => (outcome ? [{ route: name, routerId, outcome }] : [])),
  );
}

/** What could not be kept is said at the end; it changes no verdict. */
async function keptOf(
  { history, file, labels }: CheckedPlanFile,
  ended: readonly EndedShift[],
  signal: AbortSignal,
  view: ProgressView,
): Promise<KeepReport | undefined> {
  const fleet = labels?.fleet;
  const kept = await keepShifts(history!, ended, {
    plan: file,
    signal,
    ...(fleet !== undefined && { fleet }),
  });
  (kept ? keptLines(kept) : []).forEach((line) => view.say(line));
  return kept;
}

/** What could not be delivered is said at the end; it changes no verdict. */
async function told(
  notifier: Notifier,
  kill: AbortSignal,
  view: ProgressView,
): Promise<readonly DeliveryReport[]> {
  const reports = await notifier.end(kill);
  deliveryLines(reports).forEach((line) => view.say(`warning: ${line}`));
  return reports;
}

/** Most plans have no labels, and load nothing for them. */
async function openedLabels(
  { labels }: CheckedPlanFile,
  view: ProgressView,
): Promise<OpenLabels | undefined> {
  return labels && (await import('../../../operate/argocd')).openLabels(labels, (line) => view.say(line));
}

async function openedWindows(
  { syncWindow }: CheckedPlanFile,
  view: ProgressView,
): Promise<OpenWindows | undefined> {
  return (
    syncWindow && (await import('../../../operate/argocd')).openWindows(syncWindow, (line) => view.say(line))
  );
}

/** The same command, but for where it was to go on from. */
function runAgain(plan: CheckedPlanFile, { route, report, resumeFile, ...flags }: ShiftFlags): string {
  const more = [
    ...(report === undefined ? [] : ['--report', report]),
    ...(resumeFile === undefined ? [] : ['--resume-file', resumeFile]),
    ...(flags.toPause === true ? ['--to-pause'] : []),
    ...(flags.keepRecord === true ? ['--keep-record'] : []),
  ];
  return [command(plan, { route }), ...more.map(shellWord)].join(' ');
}

function command({ file }: CheckedPlanFile, { route }: Pick<ShiftFlags, 'route'>): string {
  const words = ['cluster-canary', 'shift', file, ...(route === undefined ? [] : ['--route', route])];
  return words.map(shellWord).join(' ');
}
