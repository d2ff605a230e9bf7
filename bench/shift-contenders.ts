import type { ShiftPlan, Weights } from '../lib/shift/engine';
import type { World } from '../lib/shift/simulation';
import type { SimulatedCheck } from '../lib/shift/simulation/checks';
import { runSimulated } from '../lib/shift/simulation/simulated-shift';
import { courierApply } from './shift-courier';
import { flaggerShift } from './shift-flagger';

/** What one shift from blue to green came to. */
export interface ShiftSample {
  /** Whether it decided that green is bad. */
  readonly detected: boolean;
  /** From the start of the shift; unset where nothing was detected. */
  readonly detectionSeconds?: number;
  /** Requests to a bad green until then. */
  readonly exposedUntilDetection?: number;
  /** Requests to a bad green in the hour after the start. */
  readonly exposedInHour: number;
  readonly writes: number;
  /** Green's weight an hour after the start. */
  readonly weightAfterHour: number;
}

/** Limits of those who have nothing else: shares of errors and of slow requests. */
export const fixedLimits = { errors: 0.02, slow: 0.2 };

export const slots = ['blue', 'green'];
export const before: Weights = { blue: 100, green: 0 };
const green = 1;
const hourMs = 3_600_000;

/** Follows a shift in a world, and counts. */
export class Watch {
  private writes = 0;
  private detection: Pick<ShiftSample, 'detectionSeconds' | 'exposedUntilDetection'> | undefined;

  public constructor(private readonly world: World) {}

  /** New weights, `times` times the same. */
  public write(at: number, weight: number, times = 1): void {
    this.world.advance(at);
    this.writes += times;
    this.world.weigh({ blue: 100 - weight, green: weight });
  }

  public detected(): void {
    const { world } = this;
    this.detection ??= {
      detectionSeconds: (world.now - world.startedAt) / 1000,
      exposedUntilDetection: world.traffic.exposure.requests,
    };
  }

  /** Lets the rest of the hour pass. */
  public sample(): ShiftSample {
    const { world } = this;
    world.advance(world.startedAt + hourMs);
    return {
      detected: this.detection !== undefined,
      ...this.detection,
      exposedInHour: world.traffic.exposure.requests,
      writes: this.writes,
      weightAfterHour: world.weights.green!,
    };
  }
}

/** `eksctl_courier_alb` from 100/0 to 0/100. */
export function courierSample(
  world: World,
  settings: { readonly stepWeight: number; readonly stepIntervalMs: number },
  random: () => number,
): ShiftSample {
  const watch = new Watch(world);
  courierApply({
    ...settings,
    destinations: [0, 100],
    exists: true,
    // The measured runs made 145 to 280 calls a second.
    callsPerSecond: 200,
    random,
    analyse: (atMs) => {
      world.advance(world.startedAt + atMs);
      // Three immediate retries meet the same spell. No points: its query fills them with 0, else the first question
      // of every shift would fail.
      const good = !world.source.fails(world.now) && newestWithin(world) !== false;
      if (!good) {
        watch.detected();
      }
      return good;
    },
    write: (atMs, [, weight], times) => watch.write(world.startedAt + atMs, weight, times),
  });
  return watch.sample();
}

/** Flagger from 0 to 100 % for the canary. */
export function flaggerSample(
  world: World,
  settings: { readonly weights: readonly number[]; readonly threshold: number },
): ShiftSample {
  const watch = new Watch(world);
  let failed = 0;
  flaggerShift({
    ...settings,
    analyse: (atMs) => {
      world.advance(world.startedAt + atMs);
      const good = !world.source.fails(world.now) && newestWithin(world) === true;
      failed += good ? 0 : 1;
      if (failed >= settings.threshold) {
        watch.detected();
      }
      return good;
    },
    write: (atMs, weight) => watch.write(world.startedAt + atMs, weight),
  });
  return watch.sample();
}

/** This library, by the machine that real shifts run on. */
export function ownSample(world: World, plan: ShiftPlan, checks: readonly SimulatedCheck[]): ShiftSample {
  const { detectedAt, exposedAtDetection, writes } = runSimulated(plan, checks, world);
  world.advance(world.startedAt + hourMs);
  return {
    detected: detectedAt !== undefined,
    ...(detectedAt === undefined
      ? {}
      : {
          detectionSeconds: (detectedAt - world.startedAt) / 1000,
          exposedUntilDetection: exposedAtDetection,
        }),
    exposedInHour: world.traffic.exposure.requests,
    writes: writes.length,
    weightAfterHour: world.weights.green!,
  };
}

/** Whether green's newest figures of the last ten minutes are within the limits; undefined where there are none. */
function newestWithin(world: World): boolean | undefined {
  const { source } = world;
  const until = source.shownUntil(world.now);
  for (let minute = until - 1; minute >= Math.max(0, until - 10); minute -= 1) {
    const { requests, errors, slow } = source.sums(green, minute, minute + 1);
    if (requests > 0) {
      return errors / requests <= fixedLimits.errors && slow / requests <= fixedLimits.slow;
    }
  }
  return undefined;
}
