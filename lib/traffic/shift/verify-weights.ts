import { HookRefusal } from '../../bridge';
import type { ShiftRunner } from './arguments';
import type { RuleReading } from './drift';
import { drifted, driftError, driftNote, leftOverNotes } from './drift';
import type { LiveRules } from './live-rules';
import type { ShiftLog } from './progress';
import type { RuleShift } from './rule-shift';
import { shownWeights } from './shown-weights';

/**
 * Compares live weights with the wanted ones.
 *
 * @param ids of the rules, in their order; those that are not known are left out
 * @throws HookRefusal where they differ, unless somebody else runs the shift and knows every slot that has traffic
 */
export async function verifyWeights(
  shift: RuleShift,
  ids: readonly (string | undefined)[],
  runBy: ShiftRunner,
  live: LiveRules,
  log: ShiftLog,
): Promise<void> {
  const { what, wanted } = shift;
  const readings = await readRules(shift, ids, live);
  leftOverNotes(what, readings, runBy).forEach((note) => log.warn(note));
  const off = drifted(wanted, readings);
  if (off.length === 0) {
    return;
  }
  const unnamed = off.some(({ weights }) => Object.keys(weights).some((slot) => !(slot in wanted)));
  if (runBy === 'pulumi' || unnamed) {
    throw new HookRefusal(driftError(what, wanted, off, runBy));
  }
  log.info(driftNote(what, wanted, off, runBy));
}

async function readRules(
  { kind, rules }: RuleShift,
  ids: readonly (string | undefined)[],
  live: LiveRules,
): Promise<readonly RuleReading[]> {
  const places = new Set(ids.flatMap((id) => (id === undefined ? [] : [kind.placeOf(id)])));
  const standing = (await Promise.all([...places].map((place) => live.at(place)))).flat();
  return ids.flatMap((id, index) => {
    const rule = standing.find((each) => each.id === id);
    const targets = rules[index]?.targets;
    if (!rule || !targets) {
      return [];
    }
    const own = new Set(Object.values(targets));
    const leftOver = (kind.holdsTargets ? rule.targets : []).flatMap(({ arn, weight }) =>
      arn !== undefined && weight === 0 && !own.has(arn) ? [arn] : [],
    );
    return [{ name: `${kind.word} ${rule.id}`, weights: shownWeights(rule.targets, targets), leftOver }];
  });
}
