import type { DrainArgs } from './drain-arguments';
import type { KubeconfigParts } from './kubeconfig';

/** What the mark in a cluster says of its slot. */
export interface MarkedSlot extends KubeconfigParts {
  readonly fleet: string;
  readonly slot: string;
  readonly clusterArn: string;
  readonly drain: DrainArgs;
  /** @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
}

/**
 * Reads a mark from the inputs of its ConfigMap.
 *
 * @throws Error where it is none
 */
export function markedSlot(inputs: unknown): MarkedSlot {
  const { data } = (inputs ?? {}) as { data?: { slot?: unknown } };
  try {
    const marked = JSON.parse(String(data?.slot)) as Partial<MarkedSlot> | null;
    if (typeof marked?.clusterName === 'string' && typeof marked.endpoint === 'string' && marked.drain) {
      return marked as MarkedSlot;
    }
  } catch {
    // It is no JSON.
  }
  throw new Error('the ConfigMap that says how a slot is emptied can not be read: its data has been changed');
}
