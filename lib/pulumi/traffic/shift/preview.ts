import { formatRoundedDuration, formatWeights, outlook, schedule, shiftPlan } from '../../../shift/engine';
import type { LeaseLook, Outlook, Schedule, Weights } from '../../../shift/engine';
import { capacityNote } from './capacity-args';
import type { SplitEnvironment } from './dependencies';
import { lookAtLease } from './evacuated';
import { liveMembers, slotWeights, slotsOfMembers } from './live-splits';
import { routeOf } from './split-kind';
import type { PendingUpdate, NewSplit, SplitShift } from './split-kind';
import { weightsByArn } from './weights';

/**
 * What `up` would do to the live weights as they are now. Target groups that the same `up` makes have nothing yet.
 *
 * @param due to be updated, or created beside rules that are live
 * @returns undefined where there is nothing to shift, or the live weights are no whole percents
 */
export async function previewSchedule(
  shift: SplitShift,
  due: PendingUpdate | NewSplit,
  { parts, clients, live }: SplitEnvironment,
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
  const router = parts.router(routeOf(shift.kind, rule, targets, { region }), clients);
  const { milliseconds, writeMilliseconds, because } = await router.minimumWait();
  const plan = {
    ...shiftPlan(slots.names, shift.wanted, shift.settings, milliseconds, writeMilliseconds),
    unchecked,
  };
  const look = await lookAtLease(shift, router.id, { parts, clients });
  const ahead = outlook(plan, look, weights, parts.clock.now(), { takeBack: parts.takesBack() });
  const { capacity } = shift;
  const raised =
    capacity && ahead.schedule.steps.length > 0 ? capacityNote(capacity, weights, plan.wanted) : [];
  return { ...ahead.schedule, waits: because, notes: [...notesOf(look, ahead, shift.holder), ...raised] };
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
    ...(rollsBackTo
      ? [
          use === 'rollsBack'
            ? `up would take an unfinished shift back at once, to ${formatWeights(rollsBackTo)}`
            : `up would first finish a rollback, to ${formatWeights(rollsBackTo)}`,
        ]
      : []),
    ...(use === 'goesOn' ? ['up would go on with an unfinished shift'] : []),
    ...(use === 'startsAnew' ? log.slice(0, 1) : []),
    ...(ends?.verdict === 'aborted' ? [`up would fail: ${ends.reason}`] : []),
  ];
}

/**
 * A shift that takes longer than this should not hold a stack's lock, in milliseconds.
 */
export const longestUnderLock = 30 * 60_000;

/** A shift that `up` would begin. */
interface PreviewedShift extends Schedule {
  /** What a step takes its time for. */
  readonly waits: readonly string[];
  /** What the record of an earlier shift changes. */
  readonly notes: readonly string[];
}

/** What a preview says of a shift. */
export interface PreviewLines {
  readonly info: string;
  readonly warnings: readonly string[];
}

/**
 * The steps of a shift and the least time that `pulumi up` takes for it.
 *
 * @param what is shifted: `FleetTraffic "apps"`
 */
export function previewLines(
  what: string,
  { from, steps, bakeFromMs, leastMs, waits, notes, warnings }: PreviewedShift,
): PreviewLines {
  if (leastMs === 0) {
    const nothing = 'the wanted weights are live already: nothing to shift';
    return { info: `${what}: ${notes.length === 0 ? nothing : notes.join('; ')}`, warnings };
  }
  const lines = steps.map(
    ({ atMs, weights, pauseBefore }) =>
      `  at ${formatRoundedDuration(atMs).padStart(6)}: ${formatWeights(weights)}` +
      (pauseBefore === undefined ? '' : ` (waits for a person before that, at ${pauseBefore} %)`),
  );
  const bake = leastMs - bakeFromMs;
  const info = [
    `${what}: up would shift the traffic from ${formatWeights(from)}, in ${formatRoundedDuration(leastMs)} at least:`,
    ...notes.map((note) => `  ${note}`),
    ...lines,
    ...(bake > 0
      ? [`  at ${formatRoundedDuration(bakeFromMs).padStart(6)}: bakes for ${formatRoundedDuration(bake)}`]
      : []),
    ...waits.map((wait) => `  it takes its time: ${wait}`),
  ].join('\n');
  const long =
    leastMs > longestUnderLock
      ? [
          `${what}: this shift would hold the stack's lock for ${formatRoundedDuration(leastMs)} or longer. ` +
            "With runBy: 'workflow' it runs in the cluster instead, and up ends at once.",
        ]
      : [];
  return { info, warnings: [...long, ...warnings.map((warning) => `${what}: ${warning}`)] };
}
