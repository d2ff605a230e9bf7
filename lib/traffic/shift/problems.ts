import { awsAccessProblems } from '../../aws';
import { checkProblems } from '../../checks';
import { leaseProblems } from '../../plans';
import type { Problem } from '../../problems';
import { oneOf, Problems, wholeNumber } from '../../problems';
import type { ShiftSubject } from '../../shift';
import { shiftSettingsProblems } from '../../shift';
import type { TrafficShiftArgs } from './arguments';
import { shiftSettings } from './arguments';
import { holdsOutputs } from './plain-values';
import { syncWindowProblems } from '../sync-window';

const runner = oneOf('pulumi', 'workflow', 'operator');
const place = wholeNumber(0, 99);

/** What is wrong with the plain values of a shift; checks that hold outputs are judged when these are known. */
export function trafficShiftProblems(
  args: TrafficShiftArgs | false | undefined,
  slots: readonly string[],
  hasOwnActions: boolean,
  layer: ShiftSubject['layer'] = 'http',
): readonly Problem[] {
  const problems = new Problems('shift');
  if (args === false) {
    return [];
  }
  if (hasOwnActions) {
    // A kubeconfig may stand in it.
    problems.addSecret(
      'shift',
      'false where ruleArgs has actions of its own: their weights are not known to a shift',
    );
  }
  if (args === undefined) {
    return problems.all;
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    problems.add('shift', args, 'the settings of a shift, or false for weights that are written at once');
    return problems.all;
  }
  problems.addAll(shiftSettingsProblems(shiftSettings(args), slots), 'shift');
  if (args.runBy !== undefined) {
    problems.check('shift.runBy', args.runBy, runner);
  }
  if (args.resumedTo !== undefined) {
    problems.check('shift.resumedTo', args.resumedTo, place);
  }
  problems.addAll(awsAccessProblems({ roleArn: args.roleArn }), 'shift');
  problems.addAll(leaseProblems(args.lease), 'shift');
  problems.addAll(checksProblems(args.checks, slots, layer), 'shift');
  problems.addAll(syncWindowProblems(args.syncWindow), 'shift');
  if (args.syncWindow !== undefined && (args.runBy ?? 'pulumi') !== 'pulumi') {
    problems.addSecret(
      'shift.syncWindow',
      'left out where somebody else runs the shift: syncWindow of its plan names the hubs by kubeconfig files',
    );
  }
  return problems.all;
}

function checksProblems(
  checks: unknown,
  slots: readonly string[],
  layer: ShiftSubject['layer'],
): readonly Problem[] {
  if (checks === undefined) {
    return [];
  }
  // What a check needs of the load balancer and the clusters is not known yet.
  const subject: ShiftSubject = {
    layer,
    slots: Object.fromEntries(slots.map((slot) => [slot, {}])),
  };
  return Array.isArray(checks) || !holdsOutputs(checks) ? checkProblems(checks, subject, holdsOutputs) : [];
}
