import type { ObjectReference } from '../../kubernetes';
import { isKubernetesError } from '../../kubernetes';
import type { ClockMeasurement, NodeClock } from '../clock/clock-measurement';
import type { GateLimits } from './gate';
import { gateDecision } from './gate';
import type { GuardApi } from './guard-api';

/** Opens nodes whose clock is right. Asks about each node until it is open, and never again. */
export class ClockGate {
  /** Nodes that wait, and why. */
  public waiting: ReadonlyMap<string, string> = new Map();
  /** Leases of the nodes that are open. */
  private open = new Set<string>();

  public constructor(
    private readonly api: Pick<GuardApi, 'get' | 'patch'>,
    private readonly limits: GateLimits,
    private readonly concurrency: number,
    private readonly log: (line: string) => void,
  ) {}

  /** Looks at the nodes that are not open yet; answers how many it has opened. */
  public async look({ nodes }: ClockMeasurement, signal: AbortSignal): Promise<number> {
    // Nodes that are gone are forgotten.
    this.open = new Set(nodes.map(({ lease }) => lease).filter((lease) => this.open.has(lease)));
    const waiting = new Map<string, string>();
    const queue = nodes.filter(({ lease }) => !this.open.has(lease));
    let opened = 0;
    const work = async (): Promise<void> => {
      for (let clock = queue.shift(); clock; clock = queue.shift()) {
        const why = await this.lookAt(clock, signal);
        if (why === 'opened') {
          opened += 1;
        } else if (why !== 'isOpen') {
          waiting.set(clock.node, why.because);
        }
      }
    };
    await Promise.all(Array.from({ length: this.concurrency }, work));
    this.waiting = waiting;
    return opened;
  }

  private async lookAt(
    clock: NodeClock,
    signal: AbortSignal,
  ): Promise<'opened' | 'isOpen' | { readonly because: string }> {
    const reference: ObjectReference = { apiVersion: 'v1', kind: 'Node', metadata: { name: clock.node } };
    try {
      const node = await this.api.get(reference, signal);
      const decision = gateDecision(node, clock, this.limits);
      if (decision.gate === 'wait') {
        return { because: decision.why };
      }
      if (decision.gate === 'open') {
        // A list is written whole: with its version, a taint that came meanwhile is not lost.
        const { resourceVersion } = node.metadata;
        await this.api.patch(
          reference,
          { metadata: { resourceVersion }, spec: { taints: decision.taints } },
          { signal },
        );
        this.log(
          `Node ${clock.node}: opened, its clock is off by ${clock.seconds} s ± ${clock.uncertainty} s`,
        );
      }
      this.open.add(clock.lease);
      return decision.gate === 'open' ? 'opened' : 'isOpen';
    } catch (error) {
      if (!isKubernetesError(error)) {
        throw error;
      }
      // A conflict is usual: kubelet writes the node, too.
      if (!isKubernetesError(error, 'conflict', 'notFound')) {
        this.log((error as Error).message);
      }
      return { because: (error as Error).message };
    }
  }
}
