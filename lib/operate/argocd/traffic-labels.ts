import type { KubernetesSettings } from '../../core/kubernetes/access';
import { openKubernetes } from '../../core/kubernetes/open';
import { activeLabel, fleetLabel, slotLabel, trafficLabel } from '../../core/names';
import type { ShiftObserver, ShiftProgress, Verdict, Weights } from '../../shift/engine';
import { namedHub, registrations } from './registrations';
import type { Hub, Registration } from './registrations';

/**
 * - `live`: carries traffic, and has carried it before the shift that runs.
 * - `canary`: gets traffic by the shift that runs, and had none before.
 * - `standby`: has none.
 * - `draining`: has none any more, in a shift that may still take it back; or is being emptied.
 */
export type TrafficRole = 'live' | 'canary' | 'standby' | 'draining';

/** Where a shift is. */
export interface TrafficState {
  /** Weights before the shift; `null` where none runs. */
  readonly from: Weights | null;
  /** Weights that are live now. */
  readonly live: Weights;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
}

/** The part of a slot in the traffic. */
export function trafficRole({ from, live, wanted }: TrafficState, slot: string): TrafficRole {
  const [before, now, then] = [from ?? live, live, wanted].map((weights) => weights[slot] ?? 0) as [
    number,
    number,
    number,
  ];
  if (now === 0) {
    return before > 0 && then === 0 ? 'draining' : 'standby';
  }
  return before === 0 ? 'canary' : 'live';
}

/** The part of every slot. */
export function trafficRoles(state: TrafficState): Readonly<Record<string, TrafficRole>> {
  const slots = new Set(
    [state.from ?? {}, state.live, state.wanted].flatMap((weights) => Object.keys(weights)),
  );
  return Object.fromEntries([...slots].map((slot) => [slot, trafficRole(state, slot)]));
}

/**
 * The slot that is to be active when no shift runs: the one with the most traffic, and of several with as much, the one that
 * is active already, else the first.
 *
 * @returns undefined where no slot has traffic
 */
export function activeSlot(live: Weights, active: string | undefined): string | undefined {
  const most = Math.max(0, ...Object.values(live));
  const candidates = Object.keys(live).filter((slot) => live[slot] === most);
  return most === 0 ? undefined : candidates.includes(active ?? '') ? active : candidates[0];
}

/** Weights of several routes as one: a slot has traffic where it has some on any of them. */
export function joinedWeights(routes: readonly Weights[]): Weights {
  const sum: Record<string, number> = {};
  for (const [slot, weight] of routes.flatMap((weights) => Object.entries(weights))) {
    sum[slot] = (sum[slot] ?? 0) + weight;
  }
  return sum;
}

/**
 * Keeps the traffic labels of a fleet while shifts of its routes run: hand `observer` to each of them, and call `end` when
 * all have ended. Writes go one after the other, and nothing waits for them but the end.
 */
export class LabelShift {
  private readonly routes = new Map<string, TrafficState>();
  private running: Promise<void> = Promise.resolve();
  private told = '';

  public constructor(private readonly writer: LabelWriter) {}

  /** Watches the shift of one route. */
  public observer(route: string): ShiftObserver {
    return {
      progress: ({ weights, wanted }: ShiftProgress) => {
        if (weights !== null) {
          this.follow(route, { from: this.routes.get(route)?.from ?? weights, live: weights, wanted });
        }
      },
    };
  }

  /**
   * What holds at the end: without a shift every slot is live or on standby, and the active label goes to the slot with most
   * traffic. After a shift that was held or aborted, the labels stay as they are: it is not over.
   *
   * @param verdict of all routes together
   * @param live the weights of each route, as they were last known
   */
  public async end(verdict: Verdict, live: readonly (Weights | null)[]): Promise<boolean> {
    await this.running;
    const known = live.filter((weights) => weights !== null);
    if (!['completed', 'rolledBack'].includes(verdict) || known.length === 0 || known.length < live.length) {
      return false;
    }
    const weights = joinedWeights(known);
    const active = activeSlot(weights, await this.writer.active());
    return this.writer.write({ parts: trafficRoles({ from: null, live: weights, wanted: weights }), active });
  }

  private follow(route: string, state: TrafficState): void {
    this.routes.set(route, state);
    const states = [...this.routes.values()];
    const parts = trafficRoles({
      from: joinedWeights(states.map(({ from }) => from ?? {})),
      live: joinedWeights(states.map(({ live }) => live)),
      wanted: joinedWeights(states.map(({ wanted }) => wanted)),
    });
    const text = JSON.stringify(parts);
    if (text !== this.told) {
      this.told = text;
      this.running = this.running.then(() => this.writer.write({ parts })).then(() => undefined);
    }
  }
}

/** Who the traffic labels belong to. What registers the clusters owns other fields, and leaves these alone. */
export const labelManager = 'cluster-canary-traffic';

/** What the Secrets of a fleet's slots are to say. */
export interface WantedLabels {
  /** Part of each slot in the traffic, by name. */
  readonly parts: Readonly<Record<string, TrafficRole>>;
  /**
   * The slot that is to be active.
   * @default - whichever is: a shift runs
   */
  readonly active?: string;
}

/**
 * Writes the traffic labels of a fleet to the cluster Secrets of its hubs, and only what has changed.
 *
 * The active label is on one slot at most: it is taken off everywhere before it is put on another slot, and where a hub
 * can't be reached, it is put on none. What can't be written is logged and is no error: labels are no reason to leave
 * traffic where it is.
 */
export class LabelWriter {
  public constructor(
    private readonly fleet: string,
    private readonly hubs: readonly Hub[],
    private readonly say: (line: string) => void,
  ) {}

  /** The slot that the hubs call active; undefined where none does, or several do. */
  public async active(): Promise<string | undefined> {
    const found = await Promise.all(this.hubs.map((hub) => this.read(hub)));
    const slots = new Set(
      found
        .flatMap((read) => read ?? [])
        .filter(isActive)
        .map(slotOf),
    );
    return slots.size === 1 ? [...slots][0] : undefined;
  }

  /** Answers whether every hub says what is wanted. */
  public async write({ parts, active }: WantedLabels): Promise<boolean> {
    const read = await Promise.all(this.hubs.map(async (hub) => ({ hub, found: await this.read(hub) })));
    const known = read.flatMap(({ hub, found }) => (found ? [{ hub, found }] : []));
    let isComplete = known.length === read.length;
    for (const { hub, found } of known) {
      for (const registration of found) {
        const slot = slotOf(registration);
        const stays = isActive(registration) && (active === undefined || active === slot);
        isComplete = (await this.apply(hub, registration, parts[slot], stays)) && isComplete;
      }
    }
    if (active === undefined || !isComplete) {
      if (active !== undefined) {
        this.say(
          `labels: no slot becomes active, since not every hub could be updated; ${active} would have`,
        );
      }
      return isComplete;
    }
    for (const { hub, found } of known) {
      for (const registration of found.filter((each) => slotOf(each) === active && !isActive(each))) {
        isComplete = (await this.apply(hub, registration, parts[active], true)) && isComplete;
      }
    }
    return isComplete;
  }

  private async read(hub: Hub): Promise<readonly Registration[] | undefined> {
    const selector = `argocd.argoproj.io/secret-type=cluster,${fleetLabel}=${this.fleet},${slotLabel}`;
    try {
      return await registrations(hub, selector);
    } catch (error) {
      this.say(`labels: hub ${hub.name}: ${(error as Error).message}`);
      return undefined;
    }
  }

  private async apply(
    hub: Hub,
    { secret: name, uid, labels }: Registration,
    part: TrafficRole | undefined,
    active: boolean,
  ): Promise<boolean> {
    const wanted: Readonly<Record<string, string>> = {
      ...(part === undefined ? {} : { [trafficLabel]: part }),
      ...(active ? { [activeLabel]: 'true' } : {}),
    };
    const isThere = [trafficLabel, activeLabel].every((key) => labels[key] === wanted[key]);
    if (isThere) {
      return true;
    }
    try {
      // With its UID, a Secret that has gone meanwhile is not made anew.
      const metadata = { name, namespace: hub.namespace, uid, labels: wanted };
      const applied = await hub.api.apply(
        { apiVersion: 'v1', kind: 'Secret', metadata },
        { fieldManager: labelManager, force: true },
      );
      if (!active && applied.metadata.labels?.[activeLabel] !== undefined) {
        throw new Error(`another field manager owns the label ${activeLabel}`);
      }
      return true;
    } catch (error) {
      this.say(`labels: hub ${hub.name}: Secret ${name}: ${(error as Error).message}`);
      return false;
    }
  }
}

function slotOf({ labels }: Registration): string {
  return labels[slotLabel] ?? '';
}

function isActive({ labels }: Registration): boolean {
  return labels[activeLabel] === 'true';
}

/** Whose traffic labels are kept, and where. */
export interface LabelledFleet {
  /** Name of the fleet, as the Secrets' label `cluster-canary/fleet` has it. */
  readonly fleet: string;
  /** Hubs whose cluster Secrets are labelled. */
  readonly hubs: readonly LabelledHub[];
}

/** A hub whose cluster Secrets are labelled. */
export interface LabelledHub extends KubernetesSettings {
  /** For messages. @default - the context, the file or the server */
  readonly name?: string;
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
}

/** The traffic labels of a fleet while its routes shift. */
export interface OpenLabels {
  /** An observer that keeps the labels, and hands all on. */
  watch(route: string, observer: ShiftObserver): ShiftObserver;
  /**
   * Writes what holds at the end of a shift, or where none was needed.
   *
   * @param verdict of all routes together
   * @param live the weights of each route
   * @returns whether the shift is over, and every hub shows what holds
   */
  end(verdict: Verdict, live: readonly (Weights | null)[]): Promise<boolean>;
  /** Closes connections. */
  close(): void;
}

/**
 * Opens the hubs of a fleet. Nothing is asked yet.
 *
 * @param labelled without it nothing is opened, and nothing is written
 * @param say a line about what could not be written
 * @throws InvalidInput where a kubeconfig can't be used
 */
export async function openLabels(
  labelled: LabelledFleet | undefined,
  say: (line: string) => void,
): Promise<OpenLabels> {
  if (labelled === undefined) {
    return {
      watch: (_route, observer) => observer,
      end: () => Promise.resolve(false),
      close: () => undefined,
    };
  }
  const hubs: Hub[] = [];
  const close = (): void => hubs.forEach(({ api }) => api.close());
  try {
    for (const hub of labelled.hubs) {
      hubs.push(namedHub(hub, await openKubernetes(hub)));
    }
  } catch (error) {
    close();
    throw error;
  }
  const shift = new LabelShift(new LabelWriter(labelled.fleet, hubs, say));
  return {
    watch: (route, observer) => {
      const own = shift.observer(route);
      return {
        ...observer,
        progress: (now) => {
          own.progress?.(now);
          observer.progress?.(now);
        },
      };
    },
    end: (verdict, live) => shift.end(verdict, live),
    close,
  };
}
