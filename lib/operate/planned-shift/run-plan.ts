import { combinedObserver, runShift, runWaves } from '../../shift/engine';
import type { ShiftObserver, ShiftOutcome, ShiftRun, WavesOutcome } from '../../shift/engine';
import { keepShifts, keptLines } from '../../shift/history';
import type { EndedShift, KeepReport } from '../../shift/history';
import { userOnMachine } from '../../shift/leases';
import { deliveryLines, openNotifier, unsetSecrets } from '../../shift/notify';
import type { DeliveryReport, Notifier } from '../../shift/notify';
import type { People } from '../../shift/page';
import { leaseOf, openRoute } from '../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../shift/plan-file';
import { WatchedRun } from '../../shift/watch';
import type { WatchStores } from '../../shift/watch';
import type { OpenLabels, OpenWindows, WatchedRouter } from '../argocd';

/** What came of one route, or of several in waves. */
export type PlanResult = ShiftOutcome | WavesOutcome;

/** What was done about a result beside the shift itself. */
export interface PlanReports {
  /** What sinks got of it. @default - the plan has none */
  readonly notifications?: readonly DeliveryReport[];
  /** What the history got of it. @default - the plan has none, or there was nothing to keep */
  readonly kept?: KeepReport;
}

type OwnOfRoute = 'resume' | 'resumedTo' | 'resumedBy' | 'keepRecord' | 'rollBack' | 'takeBack';

/** What a route is run with beside its plan. */
export interface RouteRun extends Pick<ShiftRun, OwnOfRoute | 'runAgain' | 'runBeyond' | 'runBack'> {
  /** Hear of the shift. */
  readonly observers: readonly ShiftObserver[];
  /** People who may ask something of it, from other machines too where the plan is watched. @default - no one can */
  readonly people?: People | undefined;
  /** Where a person approves a pause, for notifications. @default - nowhere */
  readonly approveUrl?: (shift: string, place: number) => string | undefined;
}

/** How a plan is run. */
export interface PlanRun {
  /** What each route is run with. */
  readonly route: (route: OpenRoute) => RouteRun;
  /** Takes a line for a person. */
  readonly say: (line: string) => void;
  /** Interrupts it, as `signal` of a shift does. */
  readonly signal: AbortSignal;
  /** Ends it at once. @default - nothing does */
  readonly kill?: AbortSignal;
  /** Where people find its page, for notifications. @default - it has none */
  readonly page?: string;
  /** Done at the end, beside the last notifications. @default - nothing */
  readonly ending?: () => Promise<unknown> | undefined;
}

/**
 * Runs the routes of a plan: one as a shift, several in waves. Labels and sync windows of Argo CD follow it, sinks are notified, and
 * the history keeps it, as the plan says.
 *
 * @throws InvalidInput, RouterError where a route can't be begun; nothing is written then
 */
export async function runPlan(plan: CheckedPlanFile, run: PlanRun): Promise<PlanResult & PlanReports> {
  const { say, signal, kill = new AbortController().signal } = run;
  const routes: OpenRoute[] = [];
  const notifier = openNotifier(
    plan.notify,
    plan.file,
    {
      ...{ by: userOnMachine(), source: plan.file },
      ...(run.page !== undefined && { links: { page: run.page } }),
    },
    { leaseOf: (route) => leaseOf(plan, route) },
  );
  (await unsetSecrets(plan.notify)).forEach((line) => say(`warning: ${line}`));
  const labels = await openedLabels(plan, say);
  let windows: OpenWindows | undefined;
  const watched: WatchedRun[] = [];
  try {
    windows = await openedWindows(plan, say);
    for (const name of Object.keys(plan.routes)) {
      routes.push(await openRoute(plan, name));
    }
    const around = (each: WatchedRouter): WatchedRouter => windows?.around(each) ?? each;
    const runs = await Promise.all(
      routes.map(async (route): Promise<readonly [string, ShiftRun]> => {
        const { observers, people, approveUrl = () => undefined, ...own } = run.route(route);
        const { name, checks, capacity, lease } = route;
        const watching = route.watch && people && watchedRun(route.watch, people, say);
        watched.push(...(watching ? [watching] : []));
        const observer = combinedObserver([
          ...observers,
          watching?.observer ?? {},
          notifier.observer(name, own.resume?.how, approveUrl),
        ]);
        const shown = {
          router: own.rollBack === undefined ? route.shifted : route.router,
          observer: labels?.watch(name, observer) ?? observer,
        };
        const planned = { plan: await route.plan(signal), checks, lease, ...(capacity && { capacity }) };
        return [name, { ...own, ...(people && { requests: people }), ...around(shown), ...planned }];
      }),
    );
    const result: PlanResult =
      routes.length === 1
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
      plan.history && keptOf(plan, endedOf(result, routes), kill, say),
      plan.notify.length > 0 ? told(notifier, kill, say) : undefined,
      run.ending?.(),
      ...watched.map((each) => each.end(kill)),
    ]);
    return { ...result, ...(notifications && { notifications }), ...(kept && { kept }) };
  } finally {
    await Promise.all(watched.map((each) => each.close()));
    notifier.close();
    windows?.close();
    labels?.close();
    routes.forEach((route) => route.close());
  }
}

/** Lets other machines watch a route, and passes on what people ask there. */
function watchedRun(stores: WatchStores, people: People, say: (line: string) => void): WatchedRun {
  return new WatchedRun({
    stores,
    say,
    onAnswer: ({ what, place, by }) => {
      if (what !== 'continue') {
        people.ask({ what, by });
      } else if (place !== undefined) {
        people.letContinue(place, by);
      }
    },
  });
}

/** Every run of every route; one that was taken back has run twice. */
function endedOf(result: PlanResult, routes: readonly OpenRoute[]): readonly EndedShift[] {
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
  say: (line: string) => void,
): Promise<KeepReport | undefined> {
  const fleet = labels?.fleet;
  const kept = await keepShifts(history!, ended, {
    plan: file,
    signal,
    ...(fleet !== undefined && { fleet }),
  });
  (kept ? keptLines(kept) : []).forEach(say);
  return kept;
}

/** What could not be delivered is said at the end; it changes no verdict. */
async function told(
  notifier: Notifier,
  kill: AbortSignal,
  say: (line: string) => void,
): Promise<readonly DeliveryReport[]> {
  const patience = setTimeout(() => say('Waits until sinks have got what is left, for 15s at most.'), 2_000);
  const reports = await notifier.end(kill).finally(() => clearTimeout(patience));
  deliveryLines(reports).forEach((line) => say(`warning: ${line}`));
  return reports;
}

/** Most plans have no labels, and load nothing for them. */
async function openedLabels(
  { labels }: CheckedPlanFile,
  say: (line: string) => void,
): Promise<OpenLabels | undefined> {
  return labels && (await import('../argocd')).openLabels(labels, say);
}

async function openedWindows(
  { syncWindow }: CheckedPlanFile,
  say: (line: string) => void,
): Promise<OpenWindows | undefined> {
  return syncWindow && (await import('../argocd')).openWindows(syncWindow, say);
}
