/**
 * The label by which Argo CD finds its cluster Secrets.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 */
export const secretTypeLabel = 'argocd.argoproj.io/secret-type';

/** Label and annotation that both name the set which owns a Secret. A copied label alone owns nothing. */
export const ownerKey = 'cluster-canary/cluster-set';

/** Annotation: the ARN of the cluster that a Secret registers. */
export const arnKey = 'cluster-canary/cluster-arn';

/** Annotation: since when the cluster has been missing (RFC 3339). */
export const missingSinceKey = 'cluster-canary/missing-since';

/** Owner of the fields that a set writes. */
export const fieldManager = 'cluster-canary-clusterset';

/** Label of a cluster Secret that says what part its slot has in the traffic. */
export const trafficLabel = 'cluster-canary/traffic';

/** Label, with the value `true`, of the one slot that runs what may run once only. */
export const activeLabel = 'cluster-canary/active';

/**
 * Annotation of a cluster Secret that a drain has paused: which of the two traffic labels it had before, as `traffic`,
 * `active`, `traffic,active` or `none`.
 */
export const labelsBeforeDrainAnnotation = 'cluster-canary/labels-before-drain';

/** User agent of requests that a comparison sends on its own, by which other figures can leave them out. */
export const syntheticAgent = 'cluster-canary/synthetic';

/** Keys that others keep on cluster Secrets, or the set itself: a template may not set them. */
export const reservedKeys: readonly string[] = [
  secretTypeLabel,
  ownerKey,
  arnKey,
  missingSinceKey,
  trafficLabel,
  activeLabel,
];

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

/** Annotation of a webhook configuration that declares its intent, for readers and for tools that evaluate it. */
export const intentAnnotation = 'cluster-canary/intent';

/**
 * Annotation of a cluster Secret that makes Argo CD leave the cluster alone, from 3.4 on. Older ones know it of Applications
 * only, where ApplicationSets would take it off again.
 * @see https://argo-cd.readthedocs.io/en/latest/operator-manual/cluster-management/#skipping-cluster-reconciliation
 */
export const skipReconcileAnnotation = 'argocd.argoproj.io/skip-reconcile';

/** Annotation that holds the record of the newest shift. */
export const shiftRecordAnnotation = 'cluster-canary/shift-record';

/** Annotation that holds the record of the newest swap. */
export const swapRecordAnnotation = 'cluster-canary/swap-record';

/** Annotation that holds what people have answered to swaps. */
export const swapAnswersAnnotation = 'cluster-canary/swap-answers';

/** Annotation that holds where a shift is, for who watches it from another machine. */
export const shiftStatusAnnotation = 'cluster-canary/shift-status';

/** Annotation that holds what people have asked of a shift from another machine. */
export const shiftAnswersAnnotation = 'cluster-canary/shift-answers';

/** Label of a ConfigMap that holds an entry of the history, with the name of the fleet. */
export const historyLabel = 'cluster-canary/history';

/** Label of a ConfigMap that holds a shift that has ended, with the value `true`. */
export const keptShiftLabel = 'cluster-canary/kept-shift';

/** Annotation of such a ConfigMap: which shift it holds. */
export const keptShiftAnnotation = 'cluster-canary/shift-id';

/** What reports Kubernetes Events about shifts. */
export const eventReporter = 'cluster-canary/shift';

/** What comes before the names of shifts in a bucket, unless the settings say something else. */
export const shiftsPrefix = 'cluster-canary/shifts';

/** What signatures of a page's forms are for; the key may sign other things as well. */
export const formPurpose = 'cluster-canary/form/v1';

/** What signatures of links that approve a pause are for; the key may sign other things as well. */
export const approvalPurpose = 'cluster-canary/approve/v1';

/** Annotation of an object that suppresses the findings of one rule in it; its value is the reason. */
export const allowAnnotation = 'cluster-canary/allow-';

/**
 * Annotation of a Service: what is decided about the webhooks that call it, as JSON without `service`. So the values of a
 * chart can say it, and it reaches a post-renderer that takes no arguments.
 *
 * @example
 * metadata:
 *   annotations:
 *     cluster-canary/harden: '{"injectCaFrom": "platform/gate-ca-g1"}'
 */
export const hardenAnnotation = 'cluster-canary/harden';

/** Label of a cluster Secret that names the fleet of the cluster. */
export const fleetLabel = 'cluster-canary/fleet';

/** Label of a cluster Secret that names the slot of the cluster. */
export const slotLabel = 'cluster-canary/slot';

/** Annotation of a Rollout with the times of its latest restarts, RFC 3339, joined by commas. */
export const historyAnnotation = 'cluster-canary/restarts';

/** Annotation of a Rollout with the number of all of its restarts, for metrics. */
export const totalAnnotation = 'cluster-canary/restarts-total';

/** Label of an Application that names the add-on. */
export const addonLabel = 'cluster-canary/addon';

/** Label of an Application that says in which step it is synchronised: `0` is the first. */
export const waveLabel = 'cluster-canary/addon-wave';

/** Tag of a rule that says which rule of which program it is. */
export const ruleTag = 'cluster-canary/rule';

/** Tag of a rule that leads to one slot past the weights, with the slot's name: its requests are no live traffic. */
export const previewTag = 'cluster-canary/preview';

/** Tag of a cluster, a target group or a load balancer that names the fleet: the same word as the label. */
export const fleetTag = fleetLabel;

/** Tag of a cluster or a target group that says which slot it is of: the same word as the label. */
export const slotTag = slotLabel;

/** Tag of the IAM roles of a hub. */
export const hubTag = 'cluster-canary/hub';

/** Label of the Jobs of a restarter, with its name: the NetworkPolicy selects their pods by it. */
export const restarterLabel = 'cluster-canary/restarter';

/** Label of the pods of a clock guard, with its name. */
export const clockGuardLabel = 'cluster-canary/clock-guard';

/** Label of the pods that keep clocks in time, with the name of their DaemonSet. */
export const timeSyncLabel = 'cluster-canary/time-sync';

/** Annotation of the repo-server's pods: a hash of the plugin's configuration, so that they start anew with another one. */
export function pluginAnnotation(plugin: string): string {
  return `cluster-canary/${plugin}-plugin`;
}

/**
 * Field manager of the minimums that a shift has raised: `ignoreDifferences` of an Application can name it. A minimum that is
 * given back belongs to another manager, so that Git decides again.
 */
export const capacityFieldManager = 'cluster-canary-capacity';

/** Annotation of an object whose minimum shifts have raised: the minimum before, and what each shift needs. */
export const capacityAnnotation = 'cluster-canary/capacity';

/**
 * Environment variable: whether `pulumi up` takes an unfinished shift back at once, in one write, where the program wants the weights
 * with which that shift began. `true` or `false`.
 */
export const takeBackVariable = 'CLUSTER_CANARY_TAKE_BACK';
