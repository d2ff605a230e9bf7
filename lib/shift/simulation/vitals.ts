import { judgeVitals } from '../checks';
import type { ClusterVitals, CountedVital, SimulatedCheckSettings } from '../checks';
import { combinedResult } from '../engine';
import type { CheckResult, CheckWindow } from '../engine';
import { referenceSlots, slotsToEvaluate } from '../evaluation';
import { valueAt } from './conditions';
import type { VitalsScenario } from './scenario';
import type { World } from './world';

/** How large the clusters of a simulation are. */
const sizes: Readonly<Record<CountedVital, number>> = {
  ...{ restarts: 200, oomKills: 200, pendingPods: 200, imagePulls: 200, podNetworks: 200 },
  ...{ refusedPods: 40, nodes: 20, dns: 2, dnsAnswers: 500 },
};

/** The new cluster beside the old one, as `clusterVitals` evaluates it: anew only where one of them is another. */
export function simulatedVitals({
  looked,
  ...bounds
}: Extract<SimulatedCheckSettings, { vitals: object }>['vitals']): (
  window: CheckWindow,
  world: World,
) => CheckResult {
  const counted = Object.entries(sizes).filter(([name]) => looked.some((each) => each === name));
  const clusterOf = (shares: VitalsScenario = {}): ClusterVitals => ({
    counts: Object.fromEntries(
      counted.map(([name, of]) => [
        name,
        { affected: Math.round((shares[name as CountedVital] ?? 0) * of), waiting: 0, of },
      ]),
    ),
    untried: [],
  });
  const last = new Map<string, { now: VitalsScenario; before?: VitalsScenario; result: CheckResult }>();
  return (window, { conditions, startedAt }) => {
    const sharesOf = (slot: string): VitalsScenario =>
      valueAt(conditions.slots[conditions.names.indexOf(slot)]!.doing, window.to - startedAt).vitals;
    const [old] = referenceSlots(window);
    const before = old === undefined ? undefined : sharesOf(old);
    return combinedResult(
      slotsToEvaluate(window).map((slot) => {
        const now = sharesOf(slot);
        const key = `${slot} ${old ?? ''}`;
        const known = last.get(key);
        if (known !== undefined && known.now === now && known.before === before) {
          return known.result;
        }
        const beside = old === undefined ? undefined : { name: old, vitals: clusterOf(before) };
        const result = judgeVitals({ slot, vitals: clusterOf(now) }, beside, bounds);
        last.set(key, { now, ...(before && { before }), result });
        return result;
      }),
    );
  };
}
