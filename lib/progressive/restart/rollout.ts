import type { KubernetesObject } from '../../kubernetes';

/** The kind that Argo Rollouts brings. */
export const rolloutKind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' } as const;

/**
 * The label of a pod that says which revision it is of; the ReplicaSet is called `ROLLOUT-HASH`.
 * @see https://github.com/argoproj/argo-rollouts/blob/v1.9.1/rollout/sync.go
 */
const hashLabel = 'rollouts-pod-template-hash';

/** A condition of a Rollout or a pod, as far as it is read. */
export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string;
}

/** A step of a canary, as far as it is read. */
export interface CanaryStep {
  readonly setWeight?: number;
  readonly setCanaryScale?: object;
}

/**
 * What is read of a Rollout.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/
 */
export interface Rollout extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly paused?: boolean;
    readonly restartAt?: string;
    readonly strategy?: { readonly canary?: { readonly steps?: readonly CanaryStep[] } };
  };
  readonly status?: {
    readonly phase?: string;
    readonly abort?: boolean;
    readonly conditions?: readonly Condition[];
    readonly currentPodHash?: string;
    readonly stableRS?: string;
    readonly currentStepIndex?: number;
    /** The generation that the controller has seen, as a text. */
    readonly observedGeneration?: string;
    readonly restartedAt?: string;
  };
}

/** What is read of a pod. */
export interface Pod extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** How many pods a Rollout wants. */
export function wantedReplicas({ spec }: Rollout): number {
  return spec?.replicas ?? 1;
}

/** The revision that a pod of this Rollout is of. Unset where it is of somebody else. */
export function revisionOf(pod: Pod, rollout: Rollout): string | undefined {
  const hash = pod.metadata.labels?.[hashLabel];
  const owner = `${rollout.metadata.name}-${hash ?? ''}`;
  const owned = (pod.metadata.ownerReferences ?? []).some(
    ({ kind, name, controller }) => kind === 'ReplicaSet' && name === owner && controller === true,
  );
  return hash !== undefined && owned ? hash : undefined;
}
