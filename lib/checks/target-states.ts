import type { TargetCounts } from '../shift';

/** Health of the targets of target groups. */
export interface TargetHealthSource {
  /**
   * Every target of a target group.
   *
   * @throws SourceError
   */
  targets(targetGroupArn: string, signal?: AbortSignal): Promise<readonly TargetState[]>;
}

/**
 * What a load balancer says of one target.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetHealth.html
 */
export interface TargetState {
  /** `healthy`, `unhealthy`, `initial`, `draining`, `unhealthy.draining`, `unused`, `unavailable` */
  readonly state: string;
  /** `Target.NotInUse` */
  readonly reason?: string;
}

/** Counts targets by what their state means for traffic. */
export function countTargets(targets: readonly TargetState[]): TargetCounts {
  const count = (...states: readonly string[]): number =>
    targets.filter(({ state }) => states.includes(state)).length;
  const known = ['healthy', 'unhealthy', 'draining', 'unhealthy.draining', 'unused'];
  const unclear = targets.filter(({ state }) => state === 'unused' || !known.includes(state));
  return {
    healthy: count('healthy'),
    unhealthy: count('unhealthy'),
    // `initial`, `unavailable`, and whatever AWS adds.
    undecided: targets.filter(({ state }) => !known.includes(state)).length,
    draining: count('draining', 'unhealthy.draining'),
    unused: count('unused'),
    reasons: [...new Set(unclear.flatMap(({ reason }) => reason ?? []))].sort(),
  };
}
