import { oneOfWords } from '../../../core/validation/formats';
import { InvalidInput, Problems } from '../../../core/validation/problems';
import { addressAllowed, isLoopback, isPublicUrl, parseAddress, publicUrlAllowed } from '../../../shift/page';
import { hasLease, planOfRoute } from '../../../shift/plan-file';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { approverAllowed, approverOf } from './approver';

/**
 * The plan for all of its routes, or for the one that was asked for.
 *
 * @throws InvalidInput for a route that is not in the plan
 */
export function chosenRoutes(plan: CheckedPlanFile, route: string | undefined): CheckedPlanFile {
  if (route === undefined) {
    return plan;
  }
  const names = Object.keys(plan.routes);
  const rule = oneOfWords(...names);
  if (!rule.accepts(route)) {
    throw new InvalidInput(plan.file, [{ path: '--route', value: route, allowed: rule.allowed }]);
  }
  return planOfRoute(plan, route);
}

/**
 * Checks what flags together ask for.
 *
 * @param plan for the routes that were chosen
 * @throws InvalidInput with everything that does not fit
 */
export function checkFlags(plan: CheckedPlanFile, flags: ShiftFlags): void {
  const problems = new Problems('shift');
  const { rollBack, forget, dryRun, resumed } = flags;
  const ofOneRoute = {
    '--to-pause': flags.toPause,
    '--keep-record': flags.keepRecord,
    '--roll-back': rollBack,
    '--forget': forget,
  };
  const routes = Object.keys(plan.routes).length;
  for (const flag of routes > 1 ? givenOf(ofOneRoute) : []) {
    problems.addSecret(flag, `together with --route: the plan has ${routes} routes${orEvacuate(flag)}`);
  }
  const ofTheRecord = givenOf({
    '--keep-record': flags.keepRecord,
    '--roll-back': rollBack,
    '--forget': forget,
  });
  for (const flag of hasLease(plan) ? [] : ofTheRecord) {
    const why = 'left out: the record is in the lease, and this plan has none';
    problems.addSecret(flag, `${why}${orEvacuate(flag)}`);
  }
  const pauses = plan.shift.pause ?? [];
  if (resumed !== undefined && pauses.length > 0 && !pauses.includes(resumed)) {
    problems.add('--resumed', resumed, `a pause of the plan: ${pauses.join(', ')}`);
  }
  checkApprovedBy(problems, flags);
  if (rollBack?.trim() === '') {
    problems.add('--roll-back', rollBack, 'a reason');
  }
  if (flags.ifRecorded === true && rollBack === undefined) {
    problems.addSecret('--if-recorded', 'together with --roll-back');
  }
  const given = givenOf({ ...ofOneRoute, '--dry-run': dryRun, '--resumed': resumed });
  if (given.length > 1 && (rollBack !== undefined || forget === true)) {
    const flag = rollBack === undefined ? '--forget' : '--roll-back';
    const others = given.filter((other) => other !== flag);
    problems.addSecret(flag, `without ${others.join(', ')}: it does not shift`);
  }
  for (const flag of flags.toPause === true
    ? givenOf({ '--resume-file': flags.resumeFile, '--serve': flags.serve })
    : []) {
    problems.addSecret('--to-pause', `without ${flag}, which waits at a pause`);
  }
  checkPageFlags(problems, flags);
  const beside = givenOf({
    ...{ ...ofOneRoute, '--dry-run': dryRun, '--resumed': resumed },
    ...{ '--report': flags.report, '--resume-file': flags.resumeFile, '--if-recorded': flags.ifRecorded },
    '--serve': flags.serve,
  });
  if (flags.rights === true && beside.length > 0) {
    problems.addSecret('--rights', `without ${beside.join(', ')}: it does not shift`);
  }
  if (forget === true && flags.json === true) {
    problems.addSecret('--json', 'without --forget, which has no document to print');
  }
  problems.throwIfAny();
}

/** Flags of the page that a shift is shown on. */
function checkPageFlags(problems: Problems, flags: ShiftFlags): void {
  const { serve, publicUrl, approverHeader } = flags;
  const address = serve === undefined ? undefined : parseAddress(serve);
  if (serve !== undefined && !address) {
    problems.add('--serve', serve, addressAllowed);
  }
  if (address && !isLoopback(address) && publicUrl === undefined) {
    problems.add('--serve', serve, 'an address of loopback, or together with --public-url');
  }
  if (publicUrl !== undefined && !isPublicUrl(publicUrl)) {
    problems.add('--public-url', publicUrl, publicUrlAllowed);
  }
  if (approverHeader !== undefined && !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(approverHeader)) {
    problems.add('--approver-header', approverHeader, 'the name of a header, such as X-Forwarded-Email');
  }
  for (const flag of serve === undefined ? givenOf({ '--public-url': publicUrl }) : []) {
    problems.addSecret(flag, 'together with --serve');
  }
  for (const flag of publicUrl === undefined ? givenOf({ '--approver-header': approverHeader }) : []) {
    problems.addSecret(flag, 'together with --public-url: without a proxy anyone could send it');
  }
  const noPage = givenOf({ '--dry-run': flags.dryRun, '--forget': flags.forget });
  if (serve !== undefined && noPage.length > 0) {
    problems.addSecret('--serve', `without ${noPage.join(', ')}: it does not shift`);
  }
}

function checkApprovedBy(problems: Problems, { approvedBy, resumed }: ShiftFlags): void {
  if (approvedBy === undefined) {
    return;
  }
  if (resumed === undefined) {
    problems.addSecret('--approved-by', 'together with --resumed');
  }
  if (approverOf(approvedBy) === undefined) {
    problems.add('--approved-by', approvedBy, approverAllowed);
  }
}

/** What a person in need may do instead. */
function orEvacuate(flag: string): string {
  return flag === '--roll-back'
    ? '; cluster-canary evacuate SLOT takes all traffic off a slot, on all of its routes'
    : '';
}

function givenOf(flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(flags).filter((flag) => flags[flag] !== undefined);
}

/** What `cluster-canary shift` takes beside the plan. */
export interface ShiftFlags {
  readonly route?: string;
  readonly dryRun?: boolean;
  /** Whether the rights that the plan needs are printed, and nothing else is done. */
  readonly rights?: boolean;
  readonly json?: boolean;
  readonly report?: string;
  readonly resumeFile?: string;
  /** Where the page listens that shows it while it runs. */
  readonly serve?: string;
  /** Where people find that page, behind TLS of their own. */
  readonly publicUrl?: string;
  /** Header in which a proxy names the person. */
  readonly approverHeader?: string;
  readonly resumed?: number;
  /** Who has let it go on: a text, or labels of a workflow as JSON. */
  readonly approvedBy?: string;
  /** Whether it is success to end at a pause. */
  readonly toPause?: boolean;
  /** Whether a shift that completes leaves the record of where it came from. */
  readonly keepRecord?: boolean;
  /** Why the route is to go back to where it came from, instead of on. */
  readonly rollBack?: string;
  /** Whether it is success that there is no unfinished shift to roll back. */
  readonly ifRecorded?: boolean;
  /** Whether the record is marked as ended, and nothing else done. */
  readonly forget?: boolean;
}
