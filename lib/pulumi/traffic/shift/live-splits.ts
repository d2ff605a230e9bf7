import { slotTag } from '../../../core/names';
import type { Weights } from '../../../shift/engine';
import { findSplit } from './split-kind';
import type { PendingUpdate, LiveSplit, LiveSplits, NewSplit, SplitShift, WantedSplit } from './split-kind';
import { weightsByArn } from './weights';
import type { WeightedTarget, WeightsByArn } from './weights';

/** A live rule of a shift, as far as slots are to be told from it. */
export interface SlottedSplit {
  readonly id: string;
  /** ARN of each slot's target group, or its set identifier, as the program wants it. */
  readonly wanted: Readonly<Record<string, string>>;
  /** What stands on the rule now. */
  readonly live: WeightsByArn;
}

/** The slots of a shift: those of the program, and those that the program has taken off but that carry traffic. */
interface ShiftSlots {
  /** Names, those of the program first. */
  readonly names: readonly string[];
  /** Slots that the program has taken off. */
  readonly leaving: readonly string[];
  /** ARN of each slot's target group, or its set identifier, by the rule's id. */
  readonly targets: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Target groups that carry traffic and are of no slot. */
class UnknownTargets extends Error {
  public constructor(public readonly arns: readonly string[]) {
    super(arns.join(', '));
    this.name = 'UnknownTargets';
  }
}

/**
 * The slots of a shift over live rules. A target group that carries traffic and that the program does not name belongs to
 * a slot that leaves: its traffic is shifted away like any other, before the rule lets go of it.
 *
 * @param slotOf name of the slot that a target group says it is of, by ARN
 * @throws UnknownTargets where several rules have such target groups that don't say their slot
 */
export function shiftSlots(
  names: readonly string[],
  rules: readonly SlottedSplit[],
  slotOf: ReadonlyMap<string, string>,
): ShiftSlots {
  const leaving = new Map<string, string>();
  const arns = new Map<string, Record<string, string>>();
  for (const { id, wanted, live } of rules) {
    const own = new Set(Object.values(wanted));
    const foreign = [...live].filter(([arn, weight]) => weight > 0 && !own.has(arn)).map(([arn]) => arn);
    const ofRule: Record<string, string> = { ...wanted };
    for (const arn of foreign) {
      const slot = leavingName(
        slotOf.get(arn) ?? (rules.length === 1 ? targetGroupName(arn) : undefined),
        names,
      );
      if (slot === undefined || slot in ofRule) {
        throw new UnknownTargets(foreign);
      }
      leaving.set(slot, slot);
      ofRule[slot] = arn;
    }
    arns.set(id, ofRule);
  }
  return { names: [...names, ...leaving.keys()], leaving: [...leaving.keys()], targets: arns };
}

/** A slot whose target group was made anew leaves beside its successor. */
function leavingName(slot: string | undefined, names: readonly string[]): string | undefined {
  return slot !== undefined && names.includes(slot) ? `${slot}-before` : slot;
}

/** `apps-green-web-1a2b3c4` of `arn:…:targetgroup/apps-green-web-1a2b3c4/50dc6c495c0c9188`; a set identifier itself. */
function targetGroupName(arn: string): string {
  return arn.split('/').at(-2) ?? arn;
}

/**
 * The weights of slots in whole percent, from those of their target groups.
 *
 * @returns undefined where they are no whole percents, or a target group with traffic is of no slot
 */
export function slotWeights(
  live: WeightsByArn,
  targetGroupArns: Readonly<Record<string, string>>,
): Weights | undefined {
  const own = new Set(Object.values(targetGroupArns));
  const sum = [...live.values()].reduce((total, weight) => total + weight, 0);
  if (sum === 0 || [...live].some(([arn, weight]) => weight > 0 && !own.has(arn))) {
    return undefined;
  }
  const percents = Object.entries(targetGroupArns).map(
    ([slot, arn]) => [slot, ((live.get(arn) ?? 0) * 100) / sum] as const,
  );
  return percents.every(([, percent]) => Number.isInteger(percent))
    ? Object.fromEntries(percents)
    : undefined;
}

/**
 * The weights of a rule as they are, whatever they are, in percent with two digits after the point: for comparing and
 * telling. A target group of no slot goes by its own name.
 */
export function shownWeights(
  targets: readonly WeightedTarget[],
  targetGroupArns: Readonly<Record<string, string>>,
): Weights {
  const slotOf = new Map(Object.entries(targetGroupArns).map(([slot, arn]) => [arn, slot]));
  const sum = targets.reduce((total, { weight }) => total + weight, 0);
  const shown = new Map(Object.keys(targetGroupArns).map((slot) => [slot, 0]));
  for (const { arn = '', weight } of targets) {
    const name = slotOf.get(arn) ?? targetGroupName(arn);
    const percent = sum === 0 ? 0 : Math.round((weight * 10_000) / sum) / 100;
    if (slotOf.has(arn) || percent > 0) {
      shown.set(name, percent);
    }
  }
  return Object.fromEntries(shown);
}

/** Whether a live rule has the wanted weights. */
export function hasWeights(
  { targets }: Pick<LiveSplit, 'targets'>,
  targetGroupArns: Readonly<Record<string, string>>,
  wanted: Weights,
): boolean {
  const shown = shownWeights(targets, targetGroupArns);
  return Object.entries(shown).every(([slot, percent]) => percent === (wanted[slot] ?? 0));
}

/** A rule of the program, and the live one behind it. */
export interface LiveMember {
  readonly wanted: WantedSplit;
  readonly rule: LiveSplit;
}

/** The live rules of a shift: the one that is due, and those that are found where it stands. */
export async function liveMembers(
  { rules }: Pick<SplitShift, 'rules'>,
  due: PendingUpdate | NewSplit,
  live: LiveSplits,
  signal?: AbortSignal,
): Promise<readonly LiveMember[]> {
  const standing = await live.at(due.place, signal);
  const own = new Set(rules.flatMap(({ targets }) => Object.values(targets)));
  return rules.flatMap((wanted) => {
    const rule =
      'id' in due && wanted.tag === due.tag
        ? standing.find(({ id }) => id === due.id)
        : findSplit(standing, wanted, own);
    return rule ? [{ rule, wanted }] : [];
  });
}

/**
 * The slots of these rules.
 *
 * @throws Error where traffic goes to target groups of which it is not known what slot they are
 */
export async function slotsOfMembers(
  { what, wanted }: Pick<SplitShift, 'what' | 'wanted'>,
  members: readonly LiveMember[],
  live: LiveSplits,
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
    foreign.length === 0 ? new Map<string, LiveSplit['tags']>() : await live.tagsOf(foreign, signal);
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
