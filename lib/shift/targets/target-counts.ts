/** How many targets of a target group there are of each sort. */
export interface TargetCounts {
  /** They pass the target group's health checks, and get traffic. */
  readonly healthy: number;
  /** They fail the health checks, or can't be reached. */
  readonly unhealthy: number;
  /** Not known yet, or not to be known: the first health checks are under way, or there are none. */
  readonly undecided: number;
  /** On their way out: they get no new connections and count for nothing. */
  readonly draining: number;
  /** They get no traffic: the target group is on no listener, or their zone is not enabled. */
  readonly unused: number;
  /** Reasons of the targets that are undecided or unused. */
  readonly reasons: readonly string[];
}

/** Why there is no target to judge; unset where there is one. */
export function emptiness(counts: TargetCounts): string | undefined {
  const { healthy, unhealthy, undecided, draining, unused, reasons } = counts;
  if (healthy + unhealthy + undecided > 0) {
    return undefined;
  }
  if (unused > 0) {
    return reasons.includes('Target.NotInUse')
      ? `${unused} unused: the target group is on no listener (weight 0 on the rule is enough), or their zone is not enabled`
      : `${unused} unused (${reasons.join(', ')})`;
  }
  return draining > 0 ? `only ${draining} on their way out` : 'no target is registered';
}
