import { isDeepStrictEqual } from 'node:util';
import { versionOf } from '../configuration';
import type { SlotSetting } from '../configuration';
import type { SwapPlan } from '../plan';
import type { SwapRecord, SwapSlot } from '../record';
import type { SwapSeen } from '../seen';
import { movedAll, movedPartly, unusable } from './adopt';
import type { Adoptable, LegStart } from './adopt';
import { deleteHasBegun, enterBack, turnBack } from './back';
import { isOnTheWay, misfits } from './fits';
import { enter } from './forward';
import { compareVersions, isWanted, lastVersion, nextName, nextSetting } from './legs';
import {
  carrying,
  describeCluster,
  describeConfiguration,
  describeTraffic,
  hasAll,
  slotsOf,
  takesAll,
} from './sight';
import { abort, end, record, withLog } from './states';
import type { BegunState, SwapAnswer, SwapState } from './states';
import type { SwapStarted } from './events';

/** A state that has looked. */
type Looked = SwapState & { readonly start: SwapStarted; readonly seen: SwapSeen };

/** What there is has been seen: goes on with the swap that has begun, or begins one. */
export function decide(plan: SwapPlan, state: Looked, at: number, isFirst: boolean): SwapAnswer {
  const { record: last, start } = state;
  if (last && !last.ended) {
    const text = isFirst ? goingOn(plan, last) : undefined;
    return withLog(goOn(plan, { ...state, record: last }, at, isFirst), text);
  }
  return start.ask === 'forward' ? beginLeg(plan, state, at) : takeBack(state, at);
}

function goingOn(plan: SwapPlan, { id, old, new: fresh, phase, setting, back }: SwapRecord): string {
  const way = back ? `goes back from ${phase}` : `is at ${phase}`;
  const text = `Goes on with swap ${id} from ${old.name} (${old.version}) to ${fresh.name} (${fresh.version}), which ${way}.`;
  return isWanted(plan, setting)
    ? text
    : `${text} The file asks for ${lastVersion(plan)} by now: that comes after it.`;
}

/** Goes on where the record says, if what there is fits it. */
function goOn(plan: SwapPlan, state: BegunState & Looked, at: number, isFirst: boolean): SwapAnswer {
  const { start, record: last, seen } = state;
  if (start.ask !== 'forward' && deleteHasBegun(last)) {
    const { old, new: fresh } = last;
    const why = `Its delete has begun: ${old.name} may be gone already, and ${fresh.name} ${hasAll(seen.configuration)}.`;
    return abort(state, `There is no way back. ${why} Run it without --back to end it.`);
  }
  // On the way back, traffic may be anywhere: a person may have evacuated the new cluster.
  const asGoing: SwapRecord =
    start.ask === 'forward'
      ? last
      : last.back
        ? isFirst
          ? onceMore(last, seen)
          : last
        : { ...last, back: { why: '', then: 'keep', step: 'shift' } };
  const problems = misfits(asGoing, seen);
  if (problems.length > 0) {
    const other = `; or give this swap up with --forget${asGoing.back ? '' : ', and go on from what there is with --adopt'}`;
    const advice = `Nothing more was changed. Undo what differs, and run it again${other}.`;
    return abort(state, [...problems, advice].join('\n'));
  }
  if (start.ask !== 'forward' && !last.back) {
    const then = start.ask === 'backAndDelete' ? 'delete' : 'keep';
    return turnBack(plan, state, at, `${start.by} requested a rollback.`, undefined, then);
  }
  if (start.ask === 'backAndDelete' && last.back!.then === 'keep') {
    const text = `${last.new.name} is to go as well.`;
    return record(state, { ...asGoing, back: { ...asGoing.back!, then: 'delete' } }, { do: 'look' }, text);
  }
  if (asGoing !== last) {
    const text = `${describeTraffic(seen)} It goes back to ${last.old.name} once more.`;
    return record(state, asGoing, { do: 'look' }, text);
  }
  return last.back ? enterBack(plan, state, seen, at) : enter(plan, state, seen, at);
}

/** A way back whose traffic has left the old cluster again: where a person asks for it, that is taken back once more. */
function onceMore(last: SwapRecord, seen: SwapSeen): SwapRecord {
  const { step, stepStartedAt: _, ...back } = last.back!;
  return !isOnTheWay(step) && !takesAll(seen, last.old.name)
    ? { ...last, back: { ...back, step: 'shift' } }
    : last;
}

/** The slot that has all traffic, or what is in the way of a swap. */
function settled(plan: SwapPlan, seen: SwapSeen): SwapSlot | readonly string[] {
  const { configuration, clusters } = seen;
  const [name, second] = carrying(seen);
  if (name === undefined || second !== undefined) {
    const advice =
      name === undefined && plan.moves !== 'hub'
        ? ' Where it is not at target groups that have the tags of the fleet, give route.'
        : '';
    return [`${describeTraffic(seen)} A swap begins where one slot has all of it.${advice}`];
  }
  const { weights, active, slots } = configuration;
  const isAgreed =
    plan.moves === 'hub'
      ? active === name
      : weights !== undefined &&
        Object.entries(weights).every(([each, weight]) => (each === name ? weight === 100 : weight === 0)) &&
        weights[name] === 100;
  const cluster = clusters[name];
  const problems = [
    ...(name in slots && isAgreed
      ? []
      : [
          `${describeTraffic(seen)} The configuration says otherwise (${describeConfiguration(configuration)}).`,
        ]),
    ...(cluster?.status === 'ACTIVE' ? [] : [describeCluster(name, cluster)]),
  ];
  return problems.length > 0 || !cluster ? problems : { name, version: cluster.version };
}

const nothingChanged = 'Nothing was changed.';

/** Begins the next swap: it has to be plain which slot is the old one, and which the new one. */
function beginLeg(plan: SwapPlan, state: Looked, at: number): SwapAnswer {
  const { seen, start } = state;
  const old = settled(plan, seen);
  if (!('name' in old)) {
    const moved = movedPartly(plan, seen);
    return moved && 'phase' in moved && start.adopt
      ? startRecord(state, at, moved)
      : abort(state, [...old, ...(moved ? [adoption(moved)] : []), nothingChanged].join('\n'));
  }
  const others = slotsOf(seen).filter((name) => name !== old.name);
  if (others.length > 1) {
    const text = `Besides ${old.name}, which ${hasAll(seen.configuration)}, there are ${others.join(' and ')}: a swap has two slots.`;
    return abort(state, `${text} ${nothingChanged}`);
  }
  const [other] = others;
  const moved = other === undefined ? undefined : movedAll(plan, seen, old, other);
  const isMoved = moved !== undefined && 'phase' in moved;
  if (isMoved && start.adopt) {
    return startRecord(state, at, moved);
  }
  const setting = nextSetting(plan, old.version);
  if (setting === undefined || isMoved) {
    return nothingNewer(plan, state, old, moved && { name: other!, moved });
  }
  const fresh = newSlot(plan, seen, { old, other, setting, adopt: start.adopt === true });
  if ('problem' in fresh) {
    return abort(state, `${fresh.problem} ${nothingChanged}`);
  }
  const leg = { old, ...fresh, phase: 'ready' } as const;
  const wentBack = wentBackBefore(state, leg);
  return wentBack === undefined || start.retry === true || start.adopt === true
    ? startRecord(state, at, leg)
    : end(state, { verdict: 'rolledBack', unchanged: true, reason: wentBack });
}

/**
 * That the last swap was the same, and went back, for a person: what fails, or a person takes back, must not get traffic again by
 * the next run of a schedule. Another version or other settings of the new cluster are another swap.
 */
function wentBackBefore({ record: last }: Looked, leg: LegStart): string | undefined {
  const isSame =
    // One that was forgotten on its way back has failed as well.
    last?.ended !== undefined &&
    (last.ended.verdict === 'rolledBack' ||
      (last.ended.verdict === 'forgotten' && last.back !== undefined)) &&
    last.old.version === leg.old.version &&
    isDeepStrictEqual(last.setting, leg.setting);
  if (!isSame) {
    return undefined;
  }
  const { id, old, new: fresh, back, ended } = last;
  const way = `Swap ${id} from ${old.name} (${old.version}) to ${fresh.name} (${fresh.version})`;
  const why = back === undefined ? '.' : `: ${back.why}`;
  return `${way} went back at ${new Date(ended!.at).toISOString()}${why}\nIt does not begin again by itself: run it with --retry. ${nothingChanged}`;
}

/** What may be done about what a person has begun. */
function adoption(found: Adoptable): string {
  return 'problem' in found ? found.problem : `Run it with --adopt to go on at ${found.phase}.`;
}

/** There is no newer version to go to. */
function nothingNewer(
  plan: SwapPlan,
  state: Looked,
  { name, version }: SwapSlot,
  other: { readonly name: string; readonly moved: Adoptable } | undefined,
): SwapAnswer {
  const last = lastVersion(plan);
  const has = `${name} (${version}) ${hasAll(state.seen.configuration)}`;
  const isMoved = other !== undefined && 'phase' in other.moved;
  if (!isMoved && compareVersions(version, last) > 0) {
    return abort(state, `${has}, and the plan asks for ${last}, which is older. ${nothingChanged}`);
  }
  if (other === undefined) {
    const reason = `${has}, and there is no other cluster.`;
    const unchanged = state.legs === undefined ? { unchanged: true } : {};
    return end(state, { verdict: 'completed', ...unchanged, reason });
  }
  const also = isMoved ? ` Or take ${other.name} out yourself.` : '';
  const text = `${has}, and there is ${other.name} as well, of which no record says why.`;
  return abort(state, `${text} ${adoption(other.moved)}${also} ${nothingChanged}`);
}

/** What is known when a new slot is looked for. */
interface NewSlotSearch {
  readonly old: SwapSlot;
  readonly other: string | undefined;
  readonly setting: SlotSetting;
  readonly adopt: boolean;
}

/** The new slot: another one that has the wanted setting, or the next free name. */
function newSlot(
  plan: SwapPlan,
  seen: SwapSeen,
  { old, other, setting, adopt }: NewSlotSearch,
): Pick<LegStart, 'new' | 'setting' | 'adopted'> | { readonly problem: string } {
  const version = versionOf(setting);
  if (other === undefined) {
    const name = nextName(plan, old.name);
    return name === undefined
      ? { problem: `No name is free for the new slot: the plan has ${plan.names.join(', ')}.` }
      : { new: { name, version }, setting };
  }
  const { [other]: found } = seen.configuration.slots;
  if (found === undefined) {
    return { problem: unusable(other, seen, version)! };
  }
  const isSame = isDeepStrictEqual(found, setting);
  if (!isSame && !(adopt && versionOf(found) === version)) {
    const advice =
      versionOf(found) === version
        ? 'Run it with --adopt to take it as it is, or give the plan the same settings.'
        : 'Take it out of the configuration first, or give the plan its version.';
    return {
      problem: `There is a slot ${other} (${versionOf(found)}) without traffic, and it is not what the plan asks for (${version}). ${advice}`,
    };
  }
  const problem = unusable(other, seen, version);
  return problem === undefined
    ? {
        new: { name: other, version },
        setting: found,
        ...(!isSame && { adopted: { phase: 'ready', mayBeDrained: false } }),
      }
    : { problem };
}

function startRecord(state: Looked, at: number, leg: LegStart): SwapAnswer {
  const { start, seen, legs } = state;
  const begun: SwapRecord = {
    id: legs === undefined ? start.id : `${start.id}-${legs + 1}`,
    by: start.by,
    startedAt: at,
    ...leg,
    before: seen.configuration,
    done: [],
  };
  const { old, new: fresh, adopted } = leg;
  const way = `Swap ${begun.id}: ${old.name} (${old.version}) to ${fresh.name} (${fresh.version})`;
  const by =
    adopted === undefined ? '' : `, taken over at ${adopted.phase}: what came before was done by hand`;
  return record(state, begun, { do: 'look' }, `${way}${by}.`);
}

/** The way back where no swap is open: a cluster that the last one kept can go. */
function takeBack(state: Looked, at: number): SwapAnswer {
  const { start, seen, record: last } = state;
  if (last?.ended?.verdict !== 'rolledBack') {
    const text = 'No swap is open: there is nothing to go back from.';
    return abort(state, `${text} ${describeTraffic(seen)}`);
  }
  const { old, new: fresh } = last;
  if (!takesAll(seen, old.name)) {
    return abort(state, `${describeTraffic(seen)} The last swap went back to ${old.name}. ${nothingChanged}`);
  }
  const isKept = fresh.name in seen.configuration.slots || fresh.name in seen.clusters;
  if (!isKept || start.ask === 'back') {
    const kept = isKept
      ? `${fresh.name} is kept; swap --back --delete takes it away.`
      : 'There is no other cluster.';
    const reason = `The last swap went back already: ${old.name} (${old.version}) ${hasAll(seen.configuration)}. ${kept}`;
    return end(state, { verdict: 'rolledBack', unchanged: true, reason });
  }
  const { id, by } = start;
  const { setting, phase } = last;
  const { [fresh.name]: found } = seen.configuration.slots;
  const version = seen.clusters[fresh.name]?.version ?? (found && versionOf(found));
  if (version !== fresh.version || (found && !isDeepStrictEqual(found, setting))) {
    const what =
      version === fresh.version ? 'has other settings by now' : `runs Kubernetes ${version} by now`;
    const text = `${fresh.name} ${what}, and the last swap made it with ${fresh.version}: it may be another cluster. Take it out yourself.`;
    return abort(state, `${text} ${nothingChanged}`);
  }
  const why = `${by} asked to take ${fresh.name} away.`;
  const begun: SwapRecord = {
    id,
    by,
    startedAt: at,
    old,
    new: fresh,
    setting,
    phase,
    before: seen.configuration,
    done: [],
    back: { why, then: 'delete', step: 'shift' },
  };
  return record(state, begun, { do: 'look' }, why);
}
