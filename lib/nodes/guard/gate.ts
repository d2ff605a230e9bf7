import type { KubernetesObject } from '../../kubernetes';
import type { OptionsOf } from '../../problems';
import type { NodeClock } from '../clock/clock-measurement';
import { clockTaint } from './clock-taint';

/** When a node may take pods. */
export interface GateLimits {
  /** How far its clock may be off, in seconds, the uncertainty of the estimate included. */
  readonly limit: number;
  /** How many heartbeats the estimate must rest on. */
  readonly samples: number;
}

export const gateLimitsKeys: OptionsOf<GateLimits> = { limit: 'plain', samples: 'plain' };

/** The defaults. */
export const usualGate: GateLimits = {
  // Half of the skew that is told of: a node does not join to be told of soon.
  limit: 5,
  // A clock that is set while the node starts shows in the second one.
  samples: 2,
};

/** What becomes of a node. */
export type GateDecision =
  /** It takes pods already. */
  | { readonly gate: 'isOpen' }
  /** It is opened. */
  | {
      readonly gate: 'open';
      /** What is left of the node's taints. */
      readonly taints: readonly unknown[];
    }
  /** It waits. */
  | {
      readonly gate: 'wait';
      /** Why, for a person. */
      readonly why: string;
    };

/** Decides whether a node may take pods. */
export function gateDecision(
  node: KubernetesObject,
  clock: NodeClock | undefined,
  { limit, samples }: GateLimits,
): GateDecision {
  const { taints } = (node['spec'] ?? {}) as { taints?: unknown };
  const all = Array.isArray(taints) ? (taints as unknown[]) : [];
  const others = all.filter((taint) => (taint as { key?: unknown } | null)?.key !== clockTaint.key);
  if (others.length === all.length) {
    return { gate: 'isOpen' };
  }
  if (clock === undefined || clock.samples < samples) {
    return { gate: 'wait', why: `${clock?.samples ?? 0} of ${samples} heartbeats` };
  }
  const { seconds, uncertainty } = clock;
  return Math.abs(seconds) + uncertainty > limit
    ? { gate: 'wait', why: `its clock is off by ${seconds} s ± ${uncertainty} s, more than ${limit} s` }
    : { gate: 'open', taints: others };
}
