import type { LeaseLook, Outlook, Weights } from '../../shift';
import { describeWeights, outlook, schedule, shiftPlan } from '../../shift';
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
  const unchecked = shift.unchecked === true;
  if (Object.keys(targets).length < 2) {
    const plan = { ...shiftPlan(slots.names, shift.wanted, shift.settings), unchecked };
    return { ...schedule(weights, plan), waits: [], notes: [] };
  }
  const router = parts.router(shift.kind.router(rule, targets, { region }), clients);
  const { milliseconds, writeMilliseconds, because } = await router.leastWait();
  const plan = {
    ...shiftPlan(slots.names, shift.wanted, shift.settings, milliseconds, writeMilliseconds),
    unchecked,
  };
  const look = await lookAtLease(shift, router.id, { parts, clients });
  const ahead = outlook(plan, look, weights, parts.clock.now());
  return { ...ahead.schedule, waits: because, notes: notesOf(look, ahead, shift.holder) };
}

/** A preview may run with fewer rights than the update, so a lease that can't be read is said and no more. */
async function lookAtLease(
  { lease, holder }: RuleShift,
  routerId: string,
  { parts, clients }: Pick<Surroundings, 'parts' | 'clients'>,
): Promise<LeaseLook> {
  try {
    const opened = await parts.lease(lease, { routerId, holder, clients });
    try {
      return await opened.lease.look();
    } finally {
      opened.close();
    }
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** What the record of an earlier shift changes. */
function notesOf(
  { problem, holder }: LeaseLook,
  { ends, rollsBackTo, use, log }: Outlook,
  own: string,
): readonly string[] {
  return [
    ...(holder === undefined || holder === own ? [] : [`another shift of these weights runs now: ${holder}`]),
    ...(problem === undefined ? [] : [`the record of the last shift can't be read: ${problem}`]),
    ...(rollsBackTo ? [`up would first finish a rollback, to ${describeWeights(rollsBackTo)}`] : []),
    ...(use === 'goesOn' ? ['up would go on with an unfinished shift'] : []),
    ...(use === 'startsAnew' ? log.slice(0, 1) : []),
    ...(ends?.verdict === 'aborted' ? [`up would fail: ${ends.reason}`] : []),
  ];
}
