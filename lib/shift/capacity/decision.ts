import { podsFor } from '../engine';
import type { CapacityRecord, RaisedSlot, Weights } from '../engine';
import {
  heldMinimum,
  isReverted,
  minimumBefore,
  minimumFields,
  otherManager,
  placeText,
  raisedMinimum,
  readRecordKey,
  recordKey,
} from './minimums';
import type { CapacityMark, MinimumKind, MinimumState } from './minimums';
import { scalingOf } from './settings';
import type { Workload } from './workloads';

/** What a decision is made of. */
export interface CapacityView {
  /** Weights before the shift. */
  readonly origin: Weights;
  /** Weights that are about to be written. */
  readonly next: Weights;
  /** Weights of the step after that. @default - there is none */
  readonly ahead?: Weights;
  /** Workloads of the slots that could be read. */
  readonly workloads: Readonly<Record<string, readonly Workload[]>>;
  /** What was raised so far. */
  readonly raised: CapacityRecord;
  /** How each slot's cluster is reached, and the name of the shift. */
  readonly places: Readonly<Record<string, Omit<RaisedSlot, 'minimums'>>>;
  /** What may be written. */
  readonly writable: readonly MinimumKind[];
  /** What this run has written, by {@link raiseName}. */
  readonly written: ReadonlyMap<string, WrittenMinimum>;
}

/** What a run has written of one minimum. */
export interface WrittenMinimum {
  readonly minimum: number;
  /** Whether that was after another process had lowered it. */
  readonly isAgain: boolean;
}

/** A minimum that is about to be written. */
export interface Raise {
  readonly slot: string;
  readonly workload: Workload;
  readonly minimum: number;
  readonly mark: CapacityMark;
  /** What the record says of it so far. @default - nothing */
  readonly recorded?: readonly [number | null, number, number];
  /** Whether another process has lowered it since it was written. */
  readonly isAgain: boolean;
}

/** Pods that a slot needs of a workload. */
export interface Need {
  readonly slot: string;
  readonly workload: Workload;
  readonly pods: number;
}

/** What to write, and what keeps it from being written. */
export interface CapacityDecision {
  /** Everything that was raised, or is about to be. */
  readonly record: CapacityRecord;
  readonly raises: readonly Raise[];
  /** What the slots that gain weight need. */
  readonly needs: readonly Need[];
  /** What keeps a minimum from being raised. */
  readonly problems: readonly string[];
  /** What others have undone. */
  readonly reverts: readonly string[];
  /** Whether one of them was written again already, and is left now. */
  readonly isLeft: boolean;
}

/** Names a minimum within a run. */
export function raiseName(slot: string, { scaler }: Workload): string {
  return `${slot} ${placeText(scaler)}`;
}

/** The slots that have weight now, or get some. */
export function slotsGaining(origin: Weights, next: Weights): readonly string[] {
  return Object.keys(next).filter((slot) => next[slot]! > (origin[slot] ?? 0));
}

/** The slots that carried the traffic before the shift. */
export function slotsCarrying(origin: Weights): readonly string[] {
  return Object.keys(origin).filter((slot) => origin[slot]! > 0);
}

/**
 * Pods that served each workload before the shift, in all slots that carried the traffic: what the record has, else what
 * serves now.
 */
export function podsAtOrigin({ origin, raised, workloads }: CapacityView): ReadonlyMap<string, number> {
  const pods = new Map<string, number>();
  const add = (id: string, more: number): void => void pods.set(id, (pods.get(id) ?? 0) + more);
  for (const slot of slotsCarrying(origin)) {
    const recorded = raised[slot];
    if (recorded) {
      for (const [key, [, atOrigin]] of Object.entries(recorded.minimums)) {
        add(readRecordKey(key)?.id ?? key, atOrigin);
      }
    } else {
      workloads[slot]?.forEach(({ id, ready }) => add(id, ready));
    }
  }
  return pods;
}

/** Which minimums to raise, hold or leave. */
export function decideCapacity(view: CapacityView): CapacityDecision {
  const { origin, next, ahead = next, workloads, raised, places } = view;
  const atOrigin = podsAtOrigin(view);
  const record: Record<string, RaisedSlot> = { ...raised };
  const found = {
    raises: [] as Raise[],
    needs: [] as Need[],
    problems: [] as string[],
    reverts: [] as string[],
  };
  let isLeft = false;
  for (const [slot, all] of Object.entries(workloads)) {
    const gains = next[slot]! > (origin[slot] ?? 0);
    const loses = (next[slot] ?? 0) < (origin[slot] ?? 0);
    const carried = (origin[slot] ?? 0) > 0;
    const known = raised[slot]?.minimums ?? {};
    const minimums: Record<string, readonly [number | null, number, number]> = { ...known };
    for (const workload of all) {
      const key = recordKey(workload, workload.scaler);
      // What has come to a slot since it was counted has served nothing at the origin.
      const isCounted = known[key] !== undefined || (carried && raised[slot] === undefined);
      const own = known[key]?.[1] ?? (carried && isCounted ? workload.ready : 0);
      const pods = gains ? podsFor(atOrigin.get(workload.id) ?? 0, origin, next[slot]!) : loses ? own : 0;
      if (gains) {
        found.needs.push({ slot, workload, pods });
        found.problems.push(...maximumProblem({ slot, workload, pods }, next[slot]!));
      }
      const later = podsFor(atOrigin.get(workload.id) ?? 0, origin, ahead[slot] ?? 0);
      const least = gains && view.writable.includes(workload.scaler.kind) ? Math.max(pods, later) : pods;
      const entry = entryOf(view, slot, workload, least, own, found);
      isLeft ||= entry.isLeft;
      if (entry.entry && (isCounted || entry.entry[2] !== entry.entry[0])) {
        minimums[key] = entry.entry;
      }
    }
    if (Object.keys(minimums).length > 0) {
      record[slot] = { ...places[slot], minimums };
    }
  }
  return { record, ...found, isLeft };
}

function maximumProblem({ slot, workload, pods }: Need, weight: number): readonly string[] {
  const { scaler } = workload;
  const field = scaler.kind === 'hpa' ? 'maxReplicas' : 'maxReplicaCount';
  return scaler.most !== undefined && scaler.most < pods
    ? [
        `${slot}: ${placeText(workload)}: ${pods} pods needed at ${weight} %, and ${field} of ${placeText(scaler)} is ${scaler.most}`,
      ]
    : [];
}

interface Entry {
  readonly entry?: readonly [number | null, number, number];
  readonly isLeft: boolean;
}

/** Decides on one workload: what its record says from now on. */
function entryOf(
  { places, raised, writable, written }: CapacityView,
  slot: string,
  workload: Workload,
  pods: number,
  own: number,
  found: { readonly raises: Raise[]; readonly problems: string[]; readonly reverts: string[] },
): Entry {
  const { scaler } = workload;
  const { state, kind } = scaler;
  const by = places[slot]?.by ?? '';
  const recorded = raised[slot]?.minimums[recordKey(workload, scaler)];
  const held = heldMinimum(state);
  // A minimum above the maximum is refused by the API server; that it is too low is said elsewhere.
  const target = Math.min(pods, scaler.most ?? pods);
  const change = raisedMinimum(state, by, target, recorded);
  if (!change) {
    return { entry: recorded ?? unchanged(state, by, own), isLeft: false };
  }
  const before = minimumBefore(state, recorded);
  const entry = [before, own, change.minimum] as const;
  if (!writable.includes(kind)) {
    found.problems.push(
      `${slot}: ${placeText(workload)}: ${pods} pods needed, and ${minimumFields[kind].field} of ${placeText(scaler)} ` +
        `is ${held}; raise it, or let the shift do it with "${scalingOf(kind)}" in scale`,
    );
    return { entry: recorded ?? unchanged(state, by, own), isLeft: false };
  }
  // A sync that replaces the object takes the note away, too.
  const earlier = written.get(raiseName(slot, workload));
  const isAgain = isReverted(state, by) || (earlier !== undefined && held < earlier.minimum);
  const isLeft = isAgain && earlier?.isAgain === true;
  if (isAgain) {
    const { field } = minimumFields[kind];
    const who = otherManager(scaler.object, kind) ?? 'another process';
    const wrote = earlier?.minimum ?? Math.max(...Object.values(state.mark?.raised ?? {}));
    found.reverts.push(
      `${slot}: ${who} set ${field} of ${placeText(scaler)} back to ${held} after it was raised to ${wrote}` +
        (isLeft ? `; it is not written again. ${advice(who, kind)}` : '; it is written again'),
    );
  }
  if (isLeft) {
    return { entry: recorded ?? entry, isLeft };
  }
  found.raises.push({
    slot,
    workload,
    minimum: change.minimum,
    mark: change.mark,
    isAgain,
    ...(recorded && { recorded }),
  });
  return { entry, isLeft };
}

/** The entry of a minimum that is not written. One that an earlier run of the shift has raised without a record is given back, too. */
function unchanged(state: MinimumState, by: string, own: number): readonly [number | null, number, number] {
  const held = heldMinimum(state);
  const { raised = {} } = state.mark ?? {};
  return Object.hasOwn(raised, by)
    ? [minimumBefore(state), own, Math.max(...Object.values(raised))]
    : [held, own, held];
}

/** @see https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/ */
function advice(who: string, kind: MinimumKind): string {
  return who.startsWith('argocd')
    ? `The Application takes ignoreDifferences with managedFieldsManagers: [cluster-canary-capacity] or jsonPointers: ` +
        `[/spec/${minimumFields[kind].field}], and RespectIgnoreDifferences=true in syncOptions`
    : 'It has to leave the field alone while the shift runs';
}

/** `green: hpa shop/web: minReplicas 2 → 5 for 25 %` */
export function raiseText(
  { slot, workload, minimum }: Raise,
  { origin, next, ahead }: Pick<CapacityView, 'origin' | 'next' | 'ahead'>,
): string {
  const { scaler } = workload;
  const change = `${minimumFields[scaler.kind].field} ${heldMinimum(scaler.state)} → ${minimum}`;
  const after = ahead && ahead[slot]! > next[slot]! ? ` and the ${ahead[slot]} % after it` : '';
  const why =
    next[slot]! > (origin[slot] ?? 0) ? ` for ${next[slot]} %${after}` : ', held until the bake is over';
  return `${slot}: ${placeText(scaler)}: ${change}${why}`;
}
