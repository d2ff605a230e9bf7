import type { LiveRule, LiveRules } from './live-rules';
import { findRule, slotTag } from './rule-identity';
import type { DueRule, NewRule, RuleShift } from './rule-shift';
import type { WantedRule } from './wanted-rule';
import type { ShiftSlots } from './rule-slots';
import { shiftSlots, UnknownTargets } from './rule-slots';
import { weightsByArn } from './rule-weights';

/** A rule of the program, and the live one behind it. */
export interface LiveMember {
  readonly wanted: WantedRule;
  readonly rule: LiveRule;
}

/** The live rules of a shift: the one that is due, and those that are found where it stands. */
export async function liveMembers(
  { rules }: Pick<RuleShift, 'rules'>,
  due: DueRule | NewRule,
  live: LiveRules,
  signal?: AbortSignal,
): Promise<readonly LiveMember[]> {
  const standing = await live.at(due.place, signal);
  const own = new Set(rules.flatMap(({ targets }) => Object.values(targets)));
  return rules.flatMap((wanted) => {
    const rule =
      'id' in due && wanted.tag === due.tag
        ? standing.find(({ id }) => id === due.id)
        : findRule(standing, wanted, own);
    return rule ? [{ rule, wanted }] : [];
  });
}

/**
 * The slots of these rules.
 *
 * @throws Error where traffic goes to target groups of which it is not known what slot they are
 */
export async function slotsOfMembers(
  { what, wanted }: Pick<RuleShift, 'what' | 'wanted'>,
  members: readonly LiveMember[],
  live: LiveRules,
  signal?: AbortSignal,
): Promise<ShiftSlots> {
  const rules = members.map((member) => ({
    id: member.rule.id,
    wanted: member.wanted.targets,
    live: weightsByArn(member.rule.targets),
  }));
  const own = new Set(rules.flatMap((rule) => Object.values(rule.wanted)));
  const foreign = rules
    .flatMap((rule) => [...rule.live])
    .filter(([arn, weight]) => weight > 0 && !own.has(arn))
    .map(([arn]) => arn);
  const tags =
    foreign.length === 0 ? new Map<string, LiveRule['tags']>() : await live.tagsOf(foreign, signal);
  const slotOf = new Map(
    [...tags].flatMap(([arn, { [slotTag]: slot }]) => (slot === undefined ? [] : [[arn, slot] as const])),
  );
  try {
    return shiftSlots(Object.keys(wanted), rules, slotOf);
  } catch (error) {
    if (error instanceof UnknownTargets) {
      throw new Error(
        `${what}: traffic goes to target groups that no slot of the program has (${error.message}), and it is not known ` +
          'which of them belong together. Shift the traffic away from that slot first, then take it out of the program.',
        { cause: error },
      );
    }
    throw error;
  }
}
