import type { Schedule, Weights } from '../../shift';
import { schedule, shiftPlan } from '../../shift';
import { liveMembers, slotsOfMembers } from './live-members';
import type { Surroundings } from './parts';
import type { DueRule, RuleShift } from './rule-shift';
import { slotWeights } from './rule-slots';
import { weightsByArn } from './rule-weights';

/**
 * What `up` would do to the live weights as they are now. Target groups that the same `up` makes have nothing yet.
 *
 * @returns undefined where there is nothing to shift, or the live weights are no whole percents
 */
export async function previewSchedule(
  shift: RuleShift,
  due: DueRule,
  { parts, clients, live }: Surroundings,
): Promise<Schedule | undefined> {
  const members = await liveMembers(shift, due, live);
  const member = members.find(({ rule }) => rule.arn === due.ruleArn);
  if (!member) {
    return undefined;
  }
  const slots = await slotsOfMembers(shift, [member], live);
  const arns = slots.targetGroupArns.get(due.ruleArn)!;
  const known = slotWeights(weightsByArn(member.rule.targets), arns);
  if (known === undefined || slots.names.length < 2) {
    return undefined;
  }
  const weights: Weights = Object.fromEntries(slots.names.map((slot) => [slot, known[slot] ?? 0]));
  const wait =
    Object.keys(arns).length < 2
      ? 0
      : (await parts.router({ ruleArn: due.ruleArn, targetGroupArns: arns }, clients).leastWait())
          .milliseconds;
  return schedule(weights, shiftPlan(slots.names, shift.wanted, shift.settings, wait));
}
