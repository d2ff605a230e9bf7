import { Xoshiro128, derivedSeed } from '../../core/random';
import type { Random } from '../../core/random';
import { DemoFleet } from './fleet';
import type { DemoFault } from './fleet';
import type { ServedRequest } from './traffic-counts';
import { Visitors } from './visitors';
import type { VisitorCounts } from './visitors';
import { WeightedProxy } from './weighted-proxy';

/** A time in which green was broken. Milliseconds since 1970. */
export interface FaultPeriod {
  readonly fault: DemoFault;
  readonly from: number;
  /** @default - it still is */
  readonly until?: number;
}

/** Requests of visitors to one slot. */
export interface SlotRequests {
  readonly requests: number;
  /** No answer, or one with a status from 500 on. */
  readonly failed: number;
  /** Those whose answer took longer than {@link slowAboveMs}. */
  readonly slow: number;
}

/** From here on an answer is slow, in milliseconds: one of the bounds of the proxy. */
export const slowAboveMs = 250;

/** What the proxy has led where, counted request by request. */
export interface DemoTraffic {
  readonly visitors: Readonly<VisitorCounts>;
  /** By slot. */
  readonly slots: Readonly<Record<string, SlotRequests>>;
  /** Those that reached green while it was broken. */
  readonly exposed: SlotRequests;
}

/** What a demo is made with. */
export interface DemoWorldSettings {
  /** The same seed gives the same visitors and the same choices of the proxy; times are those of the machine. */
  readonly seed: number;
  /** Requests of visitors a second, on average. */
  readonly visitorsPerSecond: number;
}

function noRequests(): { requests: number; failed: number; slow: number } {
  return { requests: 0, failed: 0, slow: 0 };
}

/** Servers of each fleet. */
const serversPerFleet = 3;

/** Two fleets of servers behind a weighted proxy, and visitors. Everything is on loopback, and in this process. */
export class DemoWorld {
  public readonly proxy: WeightedProxy;
  private readonly fleets: { readonly blue: DemoFleet; readonly green: DemoFleet };
  private readonly visitorRandom: Random;
  private readonly visitorsPerSecond: number;
  private readonly periods: FaultPeriod[] = [];
  private readonly tallies = { blue: noRequests(), green: noRequests() };
  private readonly exposed = noRequests();
  private visitors: Visitors | undefined;
  private isOver = false;

  public constructor({ seed, visitorsPerSecond }: DemoWorldSettings) {
    const stream = (part: number): Random => Xoshiro128.fromSeed(derivedSeed(seed, part));
    this.fleets = { blue: new DemoFleet('blue', stream(0)), green: new DemoFleet('green', stream(1)) };
    this.visitorRandom = stream(2);
    this.visitorsPerSecond = visitorsPerSecond;
    const { blue, green } = this.fleets;
    this.proxy = new WeightedProxy({
      upstreams: { blue: () => blue.nextPort(), green: () => green.nextPort() },
      weights: { blue: 100, green: 0 },
      random: stream(3),
      onServed: (served, begunAt) => this.count(served, begunAt),
    });
  }

  /** Starts servers, proxy and visitors. */
  public async start(): Promise<void> {
    const { blue, green } = this.fleets;
    await Promise.all([blue.start(serversPerFleet), green.start(serversPerFleet), this.proxy.start()]);
    this.visitors = new Visitors({
      url: this.proxy.url,
      perSecond: this.visitorsPerSecond,
      random: this.visitorRandom,
    });
    this.visitors.start();
  }

  /** Ends all of it; after a start that failed, too. */
  public async stop(): Promise<void> {
    await this.visitors?.stop();
    // What is cut off now is no fault of a slot.
    this.isOver = true;
    await this.proxy.stop();
    await Promise.all(Object.values(this.fleets).map((fleet) => fleet.stop()));
  }

  /** Breaks green from now on. */
  public breakGreen(fault: DemoFault): void {
    if (this.fleets.green.fault !== fault) {
      this.fixGreen();
      this.fleets.green.fault = fault;
      this.periods.push({ fault, from: Date.now() });
    }
  }

  /** Ends what is wrong with green. */
  public fixGreen(): void {
    this.fleets.green.fault = undefined;
    const last = this.periods.at(-1);
    if (last && last.until === undefined) {
      this.periods[this.periods.length - 1] = { ...last, until: Date.now() };
    }
  }

  /** The fault of green now. */
  public get fault(): DemoFault | undefined {
    return this.fleets.green.fault;
  }

  /** When green was broken, the oldest first. */
  public get faults(): readonly FaultPeriod[] {
    return this.periods;
  }

  public get traffic(): DemoTraffic {
    const { blue, green } = this.tallies;
    const visitors = this.visitors?.counts ?? { sent: 0, well: 0, failed: 0, turnedAway: 0 };
    return {
      visitors: { ...visitors },
      slots: { blue: { ...blue }, green: { ...green } },
      exposed: { ...this.exposed },
    };
  }

  private count({ slot, failed, milliseconds }: ServedRequest, begunAt: number): void {
    if (this.isOver) {
      return;
    }
    const isExposed =
      slot === 'green' &&
      this.periods.some(({ from, until = Infinity }) => begunAt >= from && begunAt < until);
    for (const tally of [this.tallies[slot as 'blue' | 'green'], ...(isExposed ? [this.exposed] : [])]) {
      tally.requests += 1;
      tally.failed += failed ? 1 : 0;
      tally.slow += milliseconds > slowAboveMs ? 1 : 0;
    }
  }
}
