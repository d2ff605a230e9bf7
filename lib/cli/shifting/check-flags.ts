import type { Plan } from '../../plans';
import { hasLease } from '../../plans';
import { Problems } from '../../problems';
import type { ShiftFlags } from './shift-flags';

/**
 * Checks what flags together ask for.
 *
 * @param plan for the routes that were chosen
 * @throws InvalidInput with everything that does not fit
 */
export function checkFlags(plan: Plan, flags: ShiftFlags): void {
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
    problems.addSecret(flag, `beside --route: the plan has ${routes} routes`);
  }
  const ofTheRecord = givenOf({
    '--keep-record': flags.keepRecord,
    '--roll-back': rollBack,
    '--forget': forget,
  });
  for (const flag of hasLease(plan) ? [] : ofTheRecord) {
    problems.addSecret(flag, 'left out: the record is in the lease, and this plan has none');
  }
  const pauses = plan.shift.pause ?? [];
  if (resumed !== undefined && pauses.length > 0 && !pauses.includes(resumed)) {
    problems.add('--resumed', resumed, `a pause of the plan: ${pauses.join(', ')}`);
  }
  if (rollBack?.trim() === '') {
    problems.add('--roll-back', rollBack, 'a reason');
  }
  if (flags.ifRecorded === true && rollBack === undefined) {
    problems.addSecret('--if-recorded', 'beside --roll-back');
  }
  const given = givenOf({ ...ofOneRoute, '--dry-run': dryRun, '--resumed': resumed });
  if (given.length > 1 && (rollBack !== undefined || forget === true)) {
    const flag = rollBack === undefined ? '--forget' : '--roll-back';
    const others = given.filter((other) => other !== flag);
    problems.addSecret(flag, `without ${others.join(', ')}: it does not shift`);
  }
  if (flags.toPause === true && flags.resumeFile !== undefined) {
    problems.addSecret('--to-pause', 'without --resume-file, which waits at a pause');
  }
  const beside = givenOf({
    ...{ ...ofOneRoute, '--dry-run': dryRun, '--resumed': resumed },
    ...{ '--report': flags.report, '--resume-file': flags.resumeFile, '--if-recorded': flags.ifRecorded },
  });
  if (flags.rights === true && beside.length > 0) {
    problems.addSecret('--rights', `without ${beside.join(', ')}: it does not shift`);
  }
  if (forget === true && flags.json === true) {
    problems.addSecret('--json', 'without --forget, which has no document to print');
  }
  problems.throwIfAny();
}

function givenOf(flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(flags).filter((flag) => flags[flag] !== undefined);
}
