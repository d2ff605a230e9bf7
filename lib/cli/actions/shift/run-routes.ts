import { shellWord } from '../../../core/process/shell-word';
import { howByWatch, runPlan } from '../../../operate/planned-shift';
import type { PlanReports, PlanResult, RouteRun } from '../../../operate/planned-shift';
import { anyOf, approvalContext, approvalSecrets, openApprovals } from '../../../shift/approvals';
import type { Resume } from '../../../shift/engine';
import { shiftId } from '../../../shift/notify';
import { People, openLinks } from '../../../shift/page';
import type { ShiftPageOptions } from '../../../shift/page';
import { hasLease } from '../../../shift/plan-file';
import type { CheckedPlanFile, OpenRoute } from '../../../shift/plan-file';
import type { Interrupts } from '../../interrupts';
import { approverOf } from './approver';
import type { ShiftFlags } from './flags';
import { servedPage } from './page';
import type { ProgressView } from './progress';
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
): Promise<PlanResult & PlanReports> {
  const say = (line: string): void => view.say(line);
  if (plan.approvals?.link && flags.publicUrl === undefined) {
    say('warning: approvals.link: no link is sent without --public-url, the address of the page of --serve.');
  }
  const isAlone = Object.keys(plan.routes).length === 1;
  const page = await servedPage(flags, await pageOptions(plan, flags), say);
  const routeRun = (route: OpenRoute): RouteRun => {
    const others = resumeOf(plan, route, flags, view);
    const served = page?.route(route.name, others);
    const people = served?.people ?? (route.watch && new People(howToContinue(plan, flags, others), others));
    const resume = flags.toPause === true ? undefined : (people ?? others);
    return {
      runAgain: runAgain(plan, flags),
      runBeyond: (place: number) => `${runAgain(plan, flags)} --resumed ${place}`,
      ...(hasLease(plan) && { runBack: `${command(plan, flags)} --roll-back REASON` }),
      ...(resume && { resume }),
      people,
      ...(flags.resumed === undefined ? {} : { resumedTo: flags.resumed }),
      ...(flags.approvedBy === undefined ? {} : { resumedBy: approverOf(flags.approvedBy)! }),
      ...(flags.keepRecord === true ? { keepRecord: true } : {}),
      ...(flags.rollBack === undefined ? {} : { rollBack: flags.rollBack }),
      observers: [view.observer(isAlone ? '' : route.name), served?.observer ?? {}],
      approveUrl: (shift, place) => page?.approveUrl(shift, route.name, place),
    };
  };
  try {
    return await runPlan(plan, {
      ...{ route: routeRun, say, signal, kill },
      ...(flags.publicUrl !== undefined && { page: new URL(flags.publicUrl).href }),
      ending: () => page?.end(kill),
    });
  } finally {
    await page?.close();
  }
}

function howToContinue({ file }: CheckedPlanFile, { route }: ShiftFlags, other: Resume | undefined): string {
  return `${howByWatch(file, route)}${other ? `; or ${other.how}` : ''}`;
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
