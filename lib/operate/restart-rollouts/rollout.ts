import type { KubernetesObject } from '../../core/kubernetes/api';

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
export interface ObservedCanaryStep {
  readonly setWeight?: number;
  readonly setCanaryScale?: object;
}

/**
 * What is read of a Rollout.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/
 */
export interface ObservedRollout extends KubernetesObject {
  /** What is wanted. */
  readonly spec?: {
    /** Number of pods. @default 1 */
    readonly replicas?: number;
    /** How long a new pod has to be ready before it counts, in seconds. */
    readonly minReadySeconds?: number;
    /** Whether a person has stopped it. */
    readonly paused?: boolean;
    /** Pods that are older than this are made anew, RFC 3339. */
    readonly restartAt?: string;
    /** How a new version comes. */
    readonly strategy?: {
      /** Step by step. */
      readonly canary?: {
        /** The steps, in order. */
        readonly steps?: readonly ObservedCanaryStep[];
      };
    };
  };
  /** What the controller says of it. */
  readonly status?: {
    /** `Healthy`, `Progressing`, `Paused` or `Degraded`. */
    readonly phase?: string;
    /** Whether the update was taken back. */
    readonly abort?: boolean;
    /** What the controller has found, one condition a type. */
    readonly conditions?: readonly Condition[];
    /** Hash of the new version's pods. */
    readonly currentPodHash?: string;
    /** Hash of the stable version's pods. */
    readonly stableRS?: string;
    /** The step that it is at, from 0. */
    readonly currentStepIndex?: number;
    /** The generation that the controller has seen, as a text. */
    readonly observedGeneration?: string;
    /** The last `restartAt` that is done with, RFC 3339. */
    readonly restartedAt?: string;
  };
}

/** What is read of a pod. */
export interface Pod extends KubernetesObject {
  /** What the kubelet says of it. */
  readonly status?: {
    /** `Ready` among them. */
    readonly conditions?: readonly Condition[];
  };
}

/** How many pods a Rollout wants. */
export function wantedReplicas({ spec }: ObservedRollout): number {
  return spec?.replicas ?? 1;
}

/** The revision that a pod of this Rollout is of. Unset where it has another owner. */
export function revisionOf(pod: Pod, rollout: ObservedRollout): string | undefined {
  const hash = pod.metadata.labels?.[hashLabel];
  const owner = `${rollout.metadata.name}-${hash ?? ''}`;
  const owned = (pod.metadata.ownerReferences ?? []).some(
    ({ kind, name, controller }) => kind === 'ReplicaSet' && name === owner && controller === true,
  );
  return hash !== undefined && owned ? hash : undefined;
}
