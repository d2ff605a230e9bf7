import { shellWord } from '../../../core/process/shell-word';
import type { OpenLabels, OpenWindows, WatchedRouter } from '../../../operate/argocd';
import { anyOf, approvalContext, approvalSecrets, openApprovals } from '../../../shift/approvals';
import { combinedObserver, runShift, runWaves } from '../../../shift/engine';
import type { Resume, ShiftObserver, ShiftOutcome, ShiftRun } from '../../../shift/engine';
import { keepShifts, keptLines } from '../../../shift/history';
import type { EndedShift, KeepReport } from '../../../shift/history';
import { userOnMachine } from '../../../shift/leases';
import { deliveryLines, openNotifier, shiftId } from '../../../shift/notify';
import type { DeliveryReport, Notifier } from '../../../shift/notify';
import { People, openLinks } from '../../../shift/page';
import type { ShiftPage, ShiftPageOptions } from '../../../shift/page';
import { hasLease, leaseOf, openRoute } from '../../../shift/plan-file';
import type { OpenRoute, CheckedPlanFile } from '../../../shift/plan-file';
import { WatchedRun } from '../../../shift/watch';
import type { WatchStores } from '../../../shift/watch';
import type { Interrupts } from '../../interrupts';
import { approverOf } from './approver';
import type { ShiftFlags } from './flags';
import { servedPage } from './page';
import type { ProgressView } from './progress';
import type { Result } from './result';
import { resumeFile } from './resume-file';

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

/** What the page of a plan is made with. Links need an address that others reach. */
async function pageOptions(
  { file, approvals }: CheckedPlanFile,
  { publicUrl }: ShiftFlags,
): Promise<Pick<ShiftPageOptions, 'title' | 'links' | 'shiftId'>> {
  const links =
    approvals?.link && publicUrl !== undefined
      ? await openLinks(approvals.link, approvalSecrets, file)
      : undefined;
  return {
    title: `Traffic shift of ${file}`,
    ...(links && { links, shiftId: (route, startedAt) => shiftId({ source: file, route }, startedAt) }),
  };
}

/** How a person lets it continue from another machine. */
function howByWatch(plan: CheckedPlanFile, { route }: ShiftFlags, other: Resume | undefined): string {
  const words = ['cluster-canary', 'watch', plan.file, ...(route === undefined ? [] : ['--route', route])];
  return `${[...words, '--continue'].map(shellWord).join(' ')}${other ? `; or ${other.how}` : ''}`;
}

/** Lets other machines watch a route, and passes on what people ask there. */
function watchedRun(stores: WatchStores, people: People, view: ProgressView): WatchedRun {
  return new WatchedRun({
    stores,
    say: (line) => view.say(line),
    onAnswer: ({ what, place, by }) => {
      if (what !== 'continue') {
        people.ask({ what, by });
      } else if (place !== undefined) {
        people.letContinue(place, by);
      }
    },
  });
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
  const notifier = openNotifier(
    plan.notify,
    plan.file,
    {
      ...{ by: userOnMachine(), source: plan.file },
      ...(flags.publicUrl !== undefined && { links: { page: new URL(flags.publicUrl).href } }),
    },
    { leaseOf: (route) => leaseOf(plan, route) },
  );
  const labels = await openedLabels(plan, view);
  let windows: OpenWindows | undefined;
  let page: ShiftPage | undefined;
  const watched: WatchedRun[] = [];
  try {
    page = await servedPage(flags, await pageOptions(plan, flags), (line) => view.say(line));
    windows = await openedWindows(plan, view);
    for (const name of Object.keys(plan.routes)) {
      routes.push(await openRoute(plan, name));
    }
    const isAlone = routes.length === 1;
    const labelled = (name: string, observer: ShiftObserver): ShiftObserver =>
      labels?.watch(name, observer) ?? observer;
    const around = (each: WatchedRouter): WatchedRouter => windows?.around(each) ?? each;
    const runs = await Promise.all(
      routes.map(async (route): Promise<readonly [string, ShiftRun]> => {
        const others = resumeOf(plan, route, flags, view);
        const served = page?.route(route.name, others);
        const people = served?.people ?? (route.watch && new People(howByWatch(plan, flags, others), others));
        const watching = route.watch && people && watchedRun(route.watch, people, view);
        watched.push(...(watching ? [watching] : []));
        const resume = flags.toPause === true ? undefined : (people ?? others);
        const shared = {
          runAgain: runAgain(plan, flags),
          runBeyond: (place: number) => `${runAgain(plan, flags)} --resumed ${place}`,
          ...(hasLease(plan) && { runBack: `${command(plan, flags)} --roll-back REASON` }),
          ...(resume && { resume }),
          ...(people && { requests: people }),
          ...(flags.resumed === undefined ? {} : { resumedTo: flags.resumed }),
          ...(flags.approvedBy === undefined ? {} : { resumedBy: approverOf(flags.approvedBy)! }),
          ...(flags.keepRecord === true ? { keepRecord: true } : {}),
          ...(flags.rollBack === undefined ? {} : { rollBack: flags.rollBack }),
        };
        const { checks, capacity, lease } = route;
        const seen = combinedObserver([
          view.observer(isAlone ? '' : route.name),
          notifier.observer(route.name, resume?.how, (shift, place) =>
            page?.approveUrl(shift, route.name, place),
          ),
          served?.observer ?? {},
          watching?.observer ?? {},
        ]);
        const shown = {
          router: flags.rollBack === undefined ? route.shifted : route.router,
          observer: labelled(route.name, seen),
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
    const [kept, notifications] = await Promise.all([
      plan.history && keptOf(plan, endedOf(result, routes), kill, view),
      plan.notify.length > 0 ? told(notifier, kill, view) : undefined,
      page?.end(kill),
      ...watched.map((each) => each.end(kill)),
    ]);
    return { ...result, ...(notifications && { notifications }), ...(kept && { kept }) };
  } finally {
    await Promise.all([page?.close(), ...watched.map((each) => each.close())]);
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
  const { serve, publicUrl, approverHeader } = flags;
  const more = [
    ...(serve === undefined ? [] : ['--serve', serve]),
    ...(publicUrl === undefined ? [] : ['--public-url', publicUrl]),
    ...(approverHeader === undefined ? [] : ['--approver-header', approverHeader]),
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
