import type { CheckResult, TargetCounts, Weights } from '../shift';
import {
  combinedResult,
  defaultCapacity,
  defaultHealthyShare,
  judgeCapacity,
  judgeTargets,
  referenceSlots,
  slotsToJudge,
  weightsToBe,
} from '../shift';
import type { SimulatedCheck } from './simulated-check';
import type { World } from './world';

/** The share of healthy targets of each slot that gains weight. */
export function targetHealth(
  name: string,
  { min = defaultHealthyShare }: { readonly min?: number },
): SimulatedCheck {
  return {
    name,
    stages: ['before', 'after'],
    evaluate: untilChanged((window, world) =>
      combinedResult(slotsToJudge(window).map((slot) => judgeTargets(slot, targets(world, slot), min))),
    ),
  };
}

/** Healthy targets for each percent that a gaining slot is about to have, by the measure of the slots before the shift. */
export function capacity(name: string, { min = defaultCapacity }: { readonly min?: number }): SimulatedCheck {
  return {
    name,
    stages: ['before'],
    evaluate: untilChanged((window, world) => {
      const slots = [...slotsToJudge(window), ...referenceSlots(window)];
      const counts = Object.fromEntries(slots.map((slot) => [slot, targets(world, slot)]));
      return judgeCapacity(window, counts, min);
    }),
  };
}

/** Works it out anew only when weights or targets are others. */
function untilChanged(evaluate: SimulatedCheck['evaluate']): SimulatedCheck['evaluate'] {
  let last: { world: World; weights: Weights; changes: number; result: CheckResult } | undefined;
  return (window, world) => {
    const { changes } = world.traffic;
    const weights = weightsToBe(window);
    if (last?.world !== world || last.weights !== weights || last.changes !== changes) {
      last = { world, weights, changes, result: evaluate(window, world) };
    }
    return last.result;
  };
}

function targets(world: World, slot: string): TargetCounts {
  const { registered, healthy } = world.traffic.targets(world.conditions.names.indexOf(slot));
  return { healthy, unhealthy: registered - healthy, undecided: 0, draining: 0, unused: 0, reasons: [] };
}
