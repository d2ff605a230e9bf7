import type { Hub, Registration } from './hub-registration';
import { fleetLabel, registrations, slotLabel } from './hub-registration';
import type { TrafficPart } from './traffic-labels';
import { activeLabel, trafficLabel } from './traffic-labels';

/** Who the traffic labels belong to. What registers the clusters owns other fields, and leaves these alone. */
export const labelManager = 'cluster-canary-traffic';

/** What the Secrets of a fleet's slots are to say. */
export interface WantedLabels {
  /** Part of each slot in the traffic, by name. */
  readonly parts: Readonly<Record<string, TrafficPart>>;
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
 * can't be reached, it is put on none. What can't be written is told and is no error: labels are no reason to leave
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
        this.say(`labels: no slot becomes active, since not every hub could be told; ${active} would have`);
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
    part: TrafficPart | undefined,
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
        throw new Error(`somebody else owns the label ${activeLabel}`);
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
