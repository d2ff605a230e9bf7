import { setTimeout as sleep } from 'node:timers/promises';
import { onCleanUp } from './clean-up';
import type { KubernetesApi, ObjectRef } from './kubernetes-api';

/** Renews Leases of nodes as their kubelets do, each by a clock of its own; it ends with the test file. */
export class ShiftedKubelets {
  private readonly skews = new Map<string, number>();
  private readonly running: Promise<void>[] = [];
  private ended = false;

  /** @param every time between two renewals, in milliseconds; each is up to a quarter longer, so that they spread */
  public constructor(
    private readonly api: KubernetesApi,
    private readonly every: number,
  ) {
    onCleanUp(() => this.end());
  }

  /**
   * Begins to renew the Lease of a node.
   *
   * @param skew seconds that the node's clock is ahead
   */
  public async start(node: string, skew: number): Promise<void> {
    this.skews.set(node, skew);
    const { apiVersion, kind, metadata } = leaseOf(node);
    // kwok takes over what has run out by its own clock.
    const leaseDurationSeconds = 40 + Math.max(0, -skew);
    const spec = { holderIdentity: node, leaseDurationSeconds, renewTime: this.time(node) };
    await this.api.create({ apiVersion, kind, metadata, spec }, { fieldManager: 'kubelet' });
    this.running.push(this.renew(node));
  }

  /** Sets the clock of a node. */
  public set(node: string, skew: number): void {
    this.skews.set(node, skew);
  }

  /** Ends the renewals of a node; its Lease stays. */
  public stop(node: string): void {
    this.skews.delete(node);
  }

  public async end(): Promise<void> {
    this.ended = true;
    await Promise.all(this.running);
  }

  private async renew(node: string): Promise<void> {
    while (!this.ended && this.skews.has(node)) {
      const patch = { spec: { renewTime: this.time(node) } };
      await this.api.patch(leaseOf(node), patch, { fieldManager: 'kubelet' }).catch((error: Error) => {
        // The control plane goes first where a test fails.
        if (!this.ended) {
          process.stderr.write(`${error.message}\n`);
        }
      });
      await sleep(this.every * (1 + Math.random() / 4));
    }
  }

  /** Microseconds, as kubelet writes them. */
  private time(node: string): string {
    const now = new Date(Date.now() + this.skews.get(node)! * 1000);
    return now.toISOString().replace('Z', '000Z');
  }
}

function leaseOf(node: string): ObjectRef {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: node, namespace: 'kube-node-lease' },
  };
}
