import { Problems } from '../problems';
import type { Problem } from '../problems';
import type { Check, TargetCounts } from '../shift';
import { defaultCapacity, judgeCapacity, referenceSlots, slotsToJudge } from '../shift';
import { checkArguments, share, targetGroupsOf } from './argument-rules';
import { mayDescribeTargetHealth } from './aws-health';
import type { CheckKind, NamedCheck } from './check-kind';
import { countTargets } from './target-states';

/** What {@link capacity} takes. */
export interface CapacityArgs extends NamedCheck {
  /**
   * Least ratio of a gaining slot's healthy targets a percent to the old slots'.
   *
   * @default 0.8 - a little less than before does no harm, since most services run with room to spare
   */
  readonly min?: number;
}

/**
 * Before every step: whether each slot that gains weight has enough healthy targets for the weight it is about to get, by
 * the measure of the slots that lose it. So two cold pods don't get half the traffic.
 *
 * The measure is the old slots' healthy targets for each percent that they carried before the shift. Their live weight
 * would be no measure: near the end, ten pods that serve a last percent would demand a thousand of the new slot.
 *
 * Too few is inconclusive, since a slot may still grow: the shift waits, and the plan's `inconclusiveLimit` makes it a
 * failure. Where the old slots have no healthy target left, any healthy target of the new one is more.
 */
export const capacity: CheckKind<CapacityArgs> = {
  problems: (args: Readonly<Record<string, unknown>>): readonly Problem[] => {
    const problems = new Problems('capacity');
    checkArguments(problems, args, { min: share });
    return problems.all;
  },
  create: (name, { min = defaultCapacity }, { subject, targetHealth: source }): Check => {
    const targetGroups = targetGroupsOf(subject);
    return {
      name,
      stages: ['before'],
      evaluate: async (window, signal) => {
        const slots = [...slotsToJudge(window), ...referenceSlots(window)];
        const counted = await Promise.all(
          slots.map(async (slot): Promise<[string, TargetCounts]> => {
            return [slot, countTargets(await source.targets(targetGroups[slot]!, signal))];
          }),
        );
        return judgeCapacity(window, Object.fromEntries(counted), min);
      },
    };
  },
  rights: () => mayDescribeTargetHealth,
};
