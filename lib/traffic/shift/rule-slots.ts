import type { Weights } from '../../shift';
import type { WeightsByArn } from './rule-weights';

/** A live rule of a shift, as far as slots are to be told from it. */
export interface SlottedRule {
  readonly id: string;
  /** ARN of each slot's target group, or its set identifier, as the program wants it. */
  readonly wanted: Readonly<Record<string, string>>;
  /** What stands on the rule now. */
  readonly live: WeightsByArn;
}

/** The slots of a shift: those of the program, and those that the program has taken off but that carry traffic. */
export interface ShiftSlots {
  /** Names, those of the program first. */
  readonly names: readonly string[];
  /** Slots that the program has taken off. */
  readonly leaving: readonly string[];
  /** ARN of each slot's target group, or its set identifier, by the rule's id. */
  readonly targets: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Target groups that carry traffic and are of no slot. */
export class UnknownTargets extends Error {
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
  rules: readonly SlottedRule[],
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
export function targetGroupName(arn: string): string {
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
