import type { Clock } from '../../../../lib/core/async';
import { memorySwapStore, runSwap, runSwapWaves } from '../../../../lib/operate/swap';
import type { SwapRun, SwapWavesOutcome, SwapWavesRun, WaveSwap } from '../../../../lib/operate/swap';
import { Killed, SwapWorld } from '../driver-world';
import { t0 } from '../machine/plans';

/** Several fleets with one time. */
export class WavesWorld {
  public now = t0;
  /** What was done, in order: `eu: ready green`. */
  public readonly done: string[] = [];
  public readonly lines: string[] = [];
  public readonly worlds: Readonly<Record<string, SwapWorld>>;
  /** What is added to the run of every fleet. */
  public more: (name: string) => Partial<SwapRun> = () => ({});
  private runs = 0;

  public readonly clock: Clock = {
    now: () => this.now,
    sleep: (milliseconds) => {
      this.now += milliseconds;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };

  public constructor(public readonly waves: readonly (readonly string[])[]) {
    this.worlds = Object.fromEntries(waves.flat().map((name) => [name, this.world(name)]));
  }

  /** Why the record of a fleet can't be read, by its name. */
  public readonly unreadable: Record<string, string> = {};

  private world(name: string): SwapWorld {
    const world = new SwapWorld();
    const all = this.done;
    world.done.push = (...items) => all.push(...items.map((item) => `${name}: ${item}`));
    return world;
  }

  /** The swaps of one run, as a process of its own has them. */
  private swaps(): Readonly<Record<string, WaveSwap>> {
    this.runs += 1;
    const holder = `run ${this.runs}`;
    const entries = Object.entries(this.worlds).map(([name, world]): [string, WaveSwap] => {
      const kept = memorySwapStore({ memory: world.memory, holder, clock: this.clock });
      const why = this.unreadable[name];
      const refuses = (): Promise<never> => Promise.reject(new Error(why));
      const store = why === undefined ? kept : { ...kept, look: refuses, acquire: refuses };
      const run = world.swap({ clock: this.clock, store, ...this.more(name) });
      return [name, { plan: world.plan, store, run: (how) => runSwap({ ...run, ...how }) }];
    });
    return Object.fromEntries(entries);
  }

  public run(more: Partial<SwapWavesRun> = {}): Promise<SwapWavesOutcome> {
    const log = ({ text }: { readonly text: string }): void => void this.lines.push(text);
    return runSwapWaves({ waves: this.waves, swaps: this.swaps(), clock: this.clock, log, ...more });
  }

  /** Runs until something kills it; a new run finds the leases of the old one expired. */
  public async killed(more: Partial<SwapWavesRun> = {}): Promise<boolean> {
    try {
      await this.run(more);
      return false;
    } catch (error) {
      if (!(error instanceof Killed)) {
        throw error;
      }
      this.now += 300_001;
      return true;
    }
  }

  /** What there is in the end, by fleet. */
  public get ends(): object {
    const all = Object.entries(this.worlds).map(([name, { seen, memory }]) => [
      name,
      { seen, ended: memory.record?.ended?.verdict, holder: memory.holder },
    ]);
    return Object.fromEntries(all) as object;
  }

  /** Fleets in the order of their first and last deeds: `+eu +ap -eu -ap`. */
  public get order(): string {
    const names = this.done.map((line) => line.split(':')[0]!);
    return names
      .flatMap((name, at) => [
        ...(names.indexOf(name) === at ? [`+${name}`] : []),
        ...(names.lastIndexOf(name) === at ? [`-${name}`] : []),
      ])
      .join(' ');
  }
}
