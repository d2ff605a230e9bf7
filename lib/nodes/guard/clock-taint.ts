/**
 * The taint that a node starts with where clocks are gated. Pods wait until the guard has taken it away.
 *
 * kubelet registers it (`--register-with-taints=cluster-canary/clock=unchecked:NoSchedule`); for a node group of the fleet
 * `clockGate: true` does.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export const clockTaint = {
  /** Key of the taint. */
  key: 'cluster-canary/clock',
  /** The taint's value. */
  value: 'unchecked',
  /** Pods that don't tolerate it are not put on the node. */
  effect: 'NoSchedule',
} as const;
