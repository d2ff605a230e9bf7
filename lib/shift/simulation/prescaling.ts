import type { CheckResult, CheckStatus, CheckWindow, Weights } from '../engine';
import { podsFor, worstStatus } from '../engine';
import type { Workload } from './autoscaler';

/**
 * Raises minimums in a simulation as a shift with access to the clusters does: those of the slots that gain weight to what
 * the next weights, and those after them, need at the origin's load per pod, those of the slots that lose weight to what
 * they had.
 */
export class SimulatedPrescaling {
  private pods: Readonly<Record<string, number>> | undefined;

  public constructor(private readonly workloads: Readonly<Record<string, Workload>>) {}

  /** Passes once the pods for the next weights are ready; fails where a maximum is below what the shift needs in the end. */
  public prepare({
    origin,
    next,
    ahead = next,
    wanted,
  }: CheckWindow & { readonly next: Weights }): CheckResult {
    this.pods ??= readyPods(this.workloads);
    const reasons: string[] = [];
    const statuses: CheckStatus[] = [];
    for (const [slot, workload] of Object.entries(this.workloads)) {
      const { ready, maxReplicas } = workload;
      if ((next[slot] ?? 0) <= (origin[slot] ?? 0)) {
        workload.raise(this.pods[slot]!);
        continue;
      }
      const most = podsNeeded(this.pods, origin, wanted[slot] ?? 0);
      if (most > maxReplicas) {
        statuses.push('fail');
        reasons.push(`${slot}: ${most} pods needed at ${wanted[slot]} %, and maxReplicas is ${maxReplicas}`);
        continue;
      }
      const needed = podsNeeded(this.pods, origin, next[slot]!);
      workload.raise(Math.max(needed, podsNeeded(this.pods, origin, ahead[slot] ?? 0)));
      statuses.push(ready < needed ? 'inconclusive' : 'pass');
      reasons.push(`${slot}: ${ready} pods ready, ${needed} needed at ${next[slot]} %`);
    }
    const reason = reasons.join('; ') || 'no slot with an autoscaler gains weight';
    return { status: worstStatus(statuses, 'pass'), reason, figures: [] };
  }

  /** Each minimum is the autoscaler's own again. */
  public giveBack(): void {
    for (const workload of Object.values(this.workloads)) {
      workload.raise(0);
    }
  }
}

function readyPods(workloads: Readonly<Record<string, Workload>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(workloads).map(([slot, { ready }]) => [slot, ready]));
}

/** Pods for a weight, at the load per pod of the slots that had traffic before the shift. */
function podsNeeded(pods: Readonly<Record<string, number>>, origin: Weights, weight: number): number {
  const known = Object.keys(pods).filter((slot) => (origin[slot] ?? 0) > 0);
  const carrying = known.reduce((sum, slot) => sum + pods[slot]!, 0);
  return podsFor(carrying, Object.fromEntries(known.map((slot) => [slot, origin[slot]!])), weight);
}
