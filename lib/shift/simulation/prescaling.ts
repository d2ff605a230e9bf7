import type { CheckResult, Weights } from '../engine';
import type { Workload } from './autoscaler';

/**
 * Raises minimums in a simulation as a shift with access to the clusters does: those of the slots that gain weight to what
 * the next weights need at the origin's load per pod, those of the slots that lose weight to what they had.
 */
export class SimulatedPrescaling {
  private pods: Readonly<Record<string, number>> | undefined;

  public constructor(private readonly workloads: Readonly<Record<string, Workload>>) {}

  /** Passes once the pods for the next weights are ready. */
  public prepare(origin: Weights, next: Weights): CheckResult {
    this.pods ??= this.readyPods();
    const results: string[] = [];
    let status: CheckResult['status'] = 'pass';
    for (const [slot, workload] of Object.entries(this.workloads)) {
      const gains = (next[slot] ?? 0) > (origin[slot] ?? 0);
      const needed = gains ? neededPods(this.pods, origin, next[slot]!) : this.pods[slot]!;
      const min = Math.min(needed, workload.maxReplicas);
      workload.raise(min);
      if (gains) {
        const isLimited = min < needed;
        if (isLimited) {
          status = 'fail';
        } else if (workload.ready < needed && status === 'pass') {
          status = 'inconclusive';
        }
        const limit = isLimited ? `, but maxReplicas is ${workload.maxReplicas}` : '';
        results.push(`${slot}: ${workload.ready} pods ready of ${needed} for ${next[slot]} %${limit}`);
      }
    }
    return { status, reason: results.join('; ') || 'no slot with an autoscaler gains weight', figures: [] };
  }

  /** Each minimum is the autoscaler's own again. */
  public giveBack(): void {
    for (const workload of Object.values(this.workloads)) {
      workload.raise(0);
    }
  }

  private readyPods(): Readonly<Record<string, number>> {
    return Object.fromEntries(Object.entries(this.workloads).map(([slot, { ready }]) => [slot, ready]));
  }
}

/** Pods for a weight, at the load per pod of the slots that had traffic before the shift. */
function neededPods(pods: Readonly<Record<string, number>>, origin: Weights, weight: number): number {
  const known = Object.keys(pods).filter((slot) => (origin[slot] ?? 0) > 0);
  const percent = known.reduce((sum, slot) => sum + origin[slot]!, 0);
  const carrying = known.reduce((sum, slot) => sum + pods[slot]!, 0);
  return percent === 0 ? 0 : Math.ceil((carrying * weight) / percent);
}
