import { isDeepStrictEqual } from 'node:util';
import { inTurn } from '../../core/async';
import type { KubernetesApi, KubernetesObject } from '../../core/kubernetes/api';
import { KubernetesError, isKubernetesError } from '../../core/kubernetes/errors';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import { SourceError } from '../engine';
import type {
  Capacity,
  CapacityLeft,
  CapacityRecord,
  CapacityRequest,
  CheckResult,
  RaisedSlot,
  Weights,
} from '../engine';
import { lookAtCluster, podsOf, writeMinimum } from './cluster';
import type { ClusterLook, OpenCluster } from './cluster';
import { decideCapacity, raiseName, raiseText, slotsCarrying, slotsGaining } from './decision';
import type { CapacityDecision, CapacityView, Raise, WrittenMinimum } from './decision';
import { giveBackCapacity } from './give-back';
import { placeText, raisedMinimum } from './minimums';
import type { MinimumKind } from './minimums';
import { findObstacles } from './obstacles';
import { isShort, readinessOf } from './readiness';
import { findWorkloads } from './workloads';
import type { ServiceName, Workload } from './workloads';

/** What is known of a shift's clusters. */
export interface CapacityPlace {
  /** How each slot's cluster is reached, and the name of the shift. */
  readonly places: Readonly<Record<string, Omit<RaisedSlot, 'minimums'>>>;
  /** ARNs of each slot's target groups. */
  readonly targetGroups: Readonly<Record<string, readonly string[]>>;
  /** @default - those that are bound to the target groups */
  readonly services?: readonly ServiceName[];
  /** What may be written. */
  readonly writable: readonly MinimumKind[];
  readonly open: OpenCluster;
}

/** What was read of a slot. */
interface SlotLook extends ClusterLook {
  readonly api: KubernetesApi;
  readonly workloads: readonly Workload[];
  readonly problems: readonly string[];
}

/** What a preview of a step is made of. */
export type CapacityPreview = Omit<CapacityRequest, 'remember'>;

/** Capacity, and what a shift would do with it. */
export interface SlotCapacity extends Capacity {
  /**
   * What `prepare` would do, and what it would answer: reads the clusters, and changes nothing.
   *
   * @throws SourceError where an API server does not answer
   */
  outlook(request: CapacityPreview, signal?: AbortSignal): Promise<CheckResult>;
}

/** What was read, and the decision on it. */
interface Evaluated {
  readonly view: CapacityView;
  readonly decision: CapacityDecision;
  readonly looks: Readonly<Record<string, SlotLook>>;
  readonly notes: readonly string[];
  /** Why nothing is done. @default - it can be done */
  readonly stops?: CheckResult;
}

/** So many writes are made at once. */
const atOnce = 8;

/** Raises minimums in the clusters of slots. */
export class KubernetesCapacity implements SlotCapacity {
  private readonly written = new Map<string, WrittenMinimum>();
  /** Slots of which this run has read that they have what they are to have: one that is on record may not have it yet. */
  private readonly settled = new Set<string>();

  public constructor(private readonly place: CapacityPlace) {}

  public async prepare(request: CapacityRequest, signal?: AbortSignal): Promise<CheckResult> {
    const asked = this.prepared(request, signal).catch((error: unknown) => {
      // Before anything is raised, a kubeconfig or context that there is not is nothing to wait for.
      if (error instanceof InvalidInput && Object.keys(request.raised ?? {}).length === 0) {
        return verdict('fail', [errorLine(error)]);
      }
      throw error;
    });
    return { ...(await asSource(asked)), holds: true };
  }

  public outlook(request: CapacityPreview, signal?: AbortSignal): Promise<CheckResult> {
    return asSource(this.expected(request, signal));
  }

  public giveBack(
    raised: CapacityRecord,
    signal?: AbortSignal,
    live?: Weights,
  ): Promise<CapacityLeft | undefined> {
    // A record is anybody's who may write the lease: which kubeconfig is read, and so which programs it runs, the plan says.
    const { places } = this.place;
    const [known] = Object.values(places);
    const placed = Object.entries(raised).map(([slot, place]) => {
      const { kubeconfig, context } = Object.hasOwn(places, slot)
        ? places[slot]!
        : { kubeconfig: known?.kubeconfig, context: place.context ?? slot };
      return [slot, { ...place, kubeconfig, context }] as const;
    });
    return giveBackCapacity(Object.fromEntries(placed), this.place.open, signal, live);
  }

  private async prepared(request: CapacityRequest, signal?: AbortSignal): Promise<CheckResult> {
    const { stops, view, decision, looks, notes } = await this.evaluated(request, signal);
    return stops ?? this.carriedOut(view, decision, looks, request.remember, notes, signal);
  }

  private async expected(request: CapacityPreview, signal?: AbortSignal): Promise<CheckResult> {
    const { stops, decision, notes } = await this.evaluated(request, signal);
    const { raises, needs } = decision;
    const lines = [...raises.map((raise) => raiseText(raise, request)), ...readinessOf(needs, {}).lines];
    return (
      stops ??
      (lines.length > 0
        ? verdict('inconclusive', [...lines, ...notes])
        : verdict('pass', ['no minimum has to be raised', ...notes]))
    );
  }

  /** Reads the clusters, and decides. Asks them whether they would take the first writes; changes nothing. */
  private async evaluated(request: CapacityPreview, signal?: AbortSignal): Promise<Evaluated> {
    const { origin, next, ahead, wanted, raised = {} } = request;
    const isFirst = Object.keys(raised).length === 0;
    const { looks, notes } = await this.lookAtSlots(request, signal);
    const view: CapacityView = {
      origin,
      next,
      ...(ahead && { ahead }),
      raised,
      workloads: bySlot(looks, ({ workloads }) => workloads),
      places: this.place.places,
      writable: this.place.writable,
      written: this.written,
    };
    const found = Object.entries(looks).flatMap(([slot, { problems }]) =>
      problems.map((line) => `${slot}: ${line}`),
    );
    const decision = decideCapacity(view);
    const all = { view, decision, looks };
    if (!isFirst) {
      return { ...all, notes, ...stopsAt([...found, ...decision.problems]) };
    }
    const { problems, waits, notes: more } = findObstacles(view, wanted, bySlot(looks, budgetsOf));
    const refused =
      found.length + problems.length > 0 ? [] : await this.refusedWrites(decision.raises, looks, signal);
    return { ...all, notes: [...notes, ...more], ...stopsAt([...found, ...problems, ...refused], waits) };
  }

  /** Reads the clusters. One that loses its traffic and was read before may be gone: what it had is on record. */
  private async lookAtSlots(
    { origin, next, wanted, raised = {} }: CapacityPreview,
    signal?: AbortSignal,
  ): Promise<{ readonly looks: Readonly<Record<string, SlotLook>>; readonly notes: readonly string[] }> {
    const gaining = slotsGaining(origin, next);
    const later = Object.keys(raised).length === 0 ? slotsGaining(origin, wanted) : [];
    const slots = [...new Set([...slotsCarrying(origin), ...gaining, ...later])];
    const notes: string[] = [];
    const looks = await Promise.all(
      slots.map(async (slot): Promise<readonly (readonly [string, SlotLook])[]> => {
        const isKnown = raised[slot] !== undefined && !gaining.includes(slot) && this.settled.has(slot);
        try {
          const look = await this.lookAtSlot(slot, signal);
          if (isKnown && look.problems.length > 0) {
            notes.push(`${slot}: not looked at again: ${look.problems.join('; ')}`);
            return [];
          }
          return [[slot, look]];
        } catch (error) {
          if (!isKnown || !(error instanceof KubernetesError || error instanceof InvalidInput)) {
            throw error;
          }
          notes.push(`${slot}: not looked at again: ${errorLine(error)}`);
          return [];
        }
      }),
    );
    return { looks: Object.fromEntries(looks.flat()), notes };
  }

  private async lookAtSlot(slot: string, signal?: AbortSignal): Promise<SlotLook> {
    const { kubeconfig, context } = this.place.places[slot] ?? {};
    const groups = this.place.targetGroups[slot] ?? [];
    const api = await this.place.open({ kubeconfig, context });
    const look = await lookAtCluster(api, groups, this.place.services, signal);
    const { workloads, problems } = findWorkloads(look.objects, look.services);
    const none =
      look.services.length === 0 && look.unseen.length === 0
        ? [
            `no TargetGroupBinding has its target groups (${groups.join(', ') || 'none is known'}); give services`,
          ]
        : [];
    // Of what may not be read, everything else follows.
    const reported = look.unseen.length > 0 ? look.unseen : [...problems, ...none];
    return { ...look, api, workloads, problems: reported };
  }

  /** Asks the servers whether they would take the writes: nothing is changed. */
  private async refusedWrites(
    raises: readonly Raise[],
    looks: Readonly<Record<string, SlotLook>>,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const outcomes = await inTurn(raises, atOnce, (raise) =>
      this.write(raise, looks[raise.slot]!.api, true, signal),
    );
    return outcomes.flatMap(({ refused }) => refused ?? []);
  }

  private async carriedOut(
    view: CapacityView,
    { raises, record, needs, reverts, isLeft }: CapacityDecision,
    looks: Readonly<Record<string, SlotLook>>,
    remember: CapacityRequest['remember'],
    notes: readonly string[],
    signal?: AbortSignal,
  ): Promise<CheckResult> {
    if (!isDeepStrictEqual(record, view.raised)) {
      await remember(record);
    }
    const outcomes = await inTurn(raises, atOnce, (raise) =>
      this.write(raise, looks[raise.slot]!.api, false, signal),
    );
    const open = raises.filter((_, index) => outcomes[index]!.refused ?? outcomes[index]!.changed);
    for (const slot of Object.keys(looks)) {
      if (open.every((raise) => raise.slot !== slot)) {
        this.settled.add(slot);
      }
    }
    const refused = outcomes.flatMap((outcome) => outcome.refused ?? []);
    const changed = outcomes.flatMap((outcome) => outcome.changed ?? []);
    const short = needs.filter(isShort);
    const pods = await this.podsOfSlots(short, looks, signal);
    const { isEnough, lines, figures } = readinessOf(needs, pods);
    const waits = [...reverts, ...changed, ...lines];
    if (refused.length > 0) {
      return { ...verdict('fail', refused), figures };
    }
    if (!isEnough || isLeft || waits.length > 0) {
      return { ...verdict('inconclusive', [...waits, ...notes]), figures };
    }
    const enough = figures.map(
      ({ slot, min = 0 }) => `${slot}: ${min} pods for ${view.next[slot!]} % are ready`,
    );
    const reasons = enough.length > 0 ? enough : ['no slot gains weight'];
    return { ...verdict('pass', [...reasons, ...notes]), figures };
  }

  private async podsOfSlots(
    short: CapacityDecision['needs'],
    looks: Readonly<Record<string, SlotLook>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, readonly KubernetesObject[]>>> {
    const slots = [...new Set(short.map(({ slot }) => slot))];
    const found = await Promise.all(
      slots.map(async (slot) => {
        const own = short.filter((need) => need.slot === slot);
        const namespaces = [...new Set(own.map(({ workload }) => workload.namespace))];
        return [slot, await podsOf(looks[slot]!.api, namespaces, signal)] as const;
      }),
    );
    return Object.fromEntries(found);
  }

  /** Writes what was remembered, and nothing else. */
  private async write(
    raise: Raise,
    api: KubernetesApi,
    dryRun: boolean,
    signal?: AbortSignal,
  ): Promise<{ readonly refused?: string; readonly changed?: string }> {
    const { slot, workload, minimum, mark } = raise;
    const { scaler } = workload;
    const by = this.place.places[slot]?.by ?? '';
    try {
      const isWritten = await writeMinimum(
        api,
        scaler,
        (state) => {
          const change = raisedMinimum(state, by, mark.raised[by]!, raise.recorded);
          return change?.minimum === minimum && change.mark.minimum === mark.minimum ? change : undefined;
        },
        { object: scaler.object, dryRun, ...(signal && { signal }) },
      );
      if (isWritten && !dryRun) {
        const name = raiseName(slot, workload);
        this.written.set(name, {
          minimum,
          isAgain: raise.isAgain || this.written.get(name)?.isAgain === true,
        });
      }
      return isWritten || dryRun ? {} : { changed: `${slot}: ${placeText(scaler)} has changed meanwhile` };
    } catch (error) {
      if (isKubernetesError(error, 'denied', 'invalid', 'unsupported')) {
        return { refused: `${slot}: ${placeText(scaler)}: ${errorLine(error)}` };
      }
      if (isKubernetesError(error, 'conflict', 'notFound')) {
        return { changed: `${slot}: ${placeText(scaler)}: ${errorLine(error)}` };
      }
      throw error;
    }
  }
}

/** @throws SourceError where an API server does not answer */
async function asSource<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof KubernetesError || error instanceof InvalidInput) {
      throw new SourceError(errorLine(error), { cause: error });
    }
    throw error;
  }
}

function stopsAt(problems: readonly string[], waits: readonly string[] = []): Pick<Evaluated, 'stops'> {
  if (problems.length > 0) {
    return { stops: verdict('fail', problems) };
  }
  return waits.length > 0 ? { stops: verdict('inconclusive', waits) } : {};
}

function budgetsOf({ objects }: SlotLook): readonly KubernetesObject[] {
  return objects.budgets;
}

function bySlot<T>(
  looks: Readonly<Record<string, SlotLook>>,
  of: (look: SlotLook) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(looks).map(([slot, look]) => [slot, of(look)]));
}

function verdict(status: CheckResult['status'], lines: readonly string[]): CheckResult {
  return { status, reason: lines.join('; '), figures: [] };
}
