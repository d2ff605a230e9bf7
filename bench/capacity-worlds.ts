import type { Scenario } from '../lib/shift/simulation';
import { derivedSeed, Xoshiro128 } from '../lib/core/random';
import { exp, ln } from '../lib/shift/simulation/random';

/** A shift from blue to green of a workload whose autoscalers know nothing of it. */
export interface CapacityWorld {
  /** It gives this world again. */
  readonly seed: number;
  /** Pods that carry the traffic before the shift. */
  readonly peak: number;
  /** Fewest pods of each slot's autoscaler. */
  readonly min: number;
  /** From a new pod to a healthy target, in seconds. */
  readonly startSeconds: number;
  readonly scenario: Scenario;
}

/** The CPU utilization that every autoscaler aims at. */
export const targetUtilization = 0.6;

/** Share by which the traffic of a minute differs from its mean at most. */
const noise = 0.02;

/** Minutes that have traffic of their own: longer than any of these shifts. */
const noisyMinutes = 180;

/** Small and large ones alike: the logarithm is evenly distributed. */
export function capacityWorld(seed: number): CapacityWorld {
  const random = Xoshiro128.fromSeed(derivedSeed(seed, 0));
  const between = (least: number, most: number): number =>
    exp(ln(least) + random.uniform() * (ln(most) - ln(least)));
  const peak = Math.round(between(3, 500));
  const min = Math.max(1, Math.round(peak * between(0.01, 0.5)));
  const startSeconds = Math.round(10 + random.uniform() * 170);
  const perSecond = Math.round(peak * between(5, 50));
  const changes = Array.from({ length: noisyMinutes }, (_, minute) => ({
    from: `${minute}m`,
    until: `${minute + 1}m`,
    perSecond: perSecond * (1 + noise * (2 * random.uniform() - 1)),
  }));
  const autoscaler = { minReplicas: min, targetUtilization, podStart: `${startSeconds}s` };
  return {
    seed,
    peak,
    min,
    startSeconds,
    scenario: {
      requests: { perSecond, changes },
      slots: { blue: { autoscaler: { ...autoscaler, replicas: peak } }, green: { autoscaler } },
    },
  };
}

/** The same world, with a maximum of green's pods that is below what it needs: 30 to 95 % of that. */
export function withMaximum(world: CapacityWorld): CapacityWorld {
  const { peak, min, scenario, seed } = world;
  const { blue, green } = scenario.slots!;
  const part = 0.3 + 0.65 * Xoshiro128.fromSeed(derivedSeed(seed, 1)).uniform();
  const autoscaler = { ...green!.autoscaler!, maxReplicas: Math.max(min, Math.ceil(part * peak)) };
  return { ...world, scenario: { ...scenario, slots: { blue: blue!, green: { autoscaler } } } };
}

/** The same world, with all of green's pods there from the start. */
export function withAllPods({ peak, scenario }: CapacityWorld): Scenario {
  const { blue, green } = scenario.slots!;
  const ready = { ...green!.autoscaler!, minReplicas: peak };
  return { ...scenario, slots: { blue: blue!, green: { autoscaler: ready } } };
}

/**
 * Whether the autoscaler's pods can get from 1 % of the traffic to 2 %, the least that weights can change, without more
 * load than they can serve. Where 1 % asks for no further pod, each then has nearly twice what its autoscaler aims at: no
 * shift without access can help that.
 */
export function isWithinReach({ peak, min }: CapacityWorld): boolean {
  const percent = peak / 100;
  const pods = percent / min > 1.1 ? Math.ceil(percent) : min;
  return ((2 * percent) / pods) * targetUtilization * (1 + noise) <= 1;
}
