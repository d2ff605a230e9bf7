import type { Weights } from '../../shift';
import { schedule, shiftPlan } from '../../shift';
import { liveMembers, slotsOfMembers } from './live-members';
import type { Surroundings } from './parts';
import type { PreviewedShift } from './preview-lines';
import type { DueRule, NewRule, RuleShift } from './rule-shift';
import { slotWeights } from './rule-slots';
import { weightsByArn } from './rule-weights';

/**
 * What `up` would do to the live weights as they are now. Target groups that the same `up` makes have nothing yet.
 *
 * @param due to be updated, or created beside rules that are live
 * @returns undefined where there is nothing to shift, or the live weights are no whole percents
 */
export async function previewSchedule(
  shift: RuleShift,
  due: DueRule | NewRule,
  { parts, clients, live }: Surroundings,
): Promise<PreviewedShift | undefined> {
  const members = await liveMembers(shift, due, live);
  const member = 'id' in due ? members.find(({ rule }) => rule.id === due.id) : members[0];
  if (!member) {
    return undefined;
  }
  const { rule } = member;
  const slots = await slotsOfMembers(shift, [member], live);
  const targets = slots.targets.get(rule.id)!;
  const known = slotWeights(weightsByArn(rule.targets), targets);
  if (known === undefined || slots.names.length < 2) {
    return undefined;
  }
  const weights: Weights = Object.fromEntries(slots.names.map((slot) => [slot, known[slot] ?? 0]));
  const { region } = clients;
  const { milliseconds, writeMilliseconds, because } =
    Object.keys(targets).length < 2
      ? { milliseconds: 0, writeMilliseconds: 0, because: [] }
      : await parts.router(shift.kind.router(rule, targets, { region }), clients).leastWait();
  const plan = shiftPlan(slots.names, shift.wanted, shift.settings, milliseconds, writeMilliseconds);
  return { ...schedule(weights, plan), waits: because };
}
