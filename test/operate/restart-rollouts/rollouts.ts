import type { Pod } from '../../../lib/operate/restart-rollouts';
import type { ObservedRollout } from '../../../lib/operate/restart-rollouts/rollout';

export const now = new Date('2026-11-21T12:00:00Z');

/** A time before `now`, RFC 3339. */
export const ago = (seconds: number): string =>
  new Date(now.getTime() - seconds * 1000).toISOString().replace('.000', '');

export interface Changes {
  readonly metadata?: object;
  readonly annotations?: Record<string, string>;
  readonly spec?: object;
  readonly status?: object;
}

/** A Rollout that is stuck, with changes. */
export function stuck({
  metadata = {},
  annotations = {},
  spec = {},
  status = {},
}: Changes = {}): ObservedRollout {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: {
      name: 'podinfo',
      namespace: 'podinfo',
      uid: 'u',
      resourceVersion: '7',
      generation: 4,
      annotations: {
        'argocd.argoproj.io/tracking-id': 'podinfo:argoproj.io/Rollout:podinfo/podinfo',
        ...annotations,
      },
      ...metadata,
    },
    spec: { replicas: 2, strategy: { canary: { steps: [] } }, ...spec },
    status: {
      phase: 'Degraded',
      currentPodHash: 'aa',
      stableRS: 'aa',
      observedGeneration: '4',
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      ...status,
    },
  };
}

/** A pod of a revision. */
export function pod(hash = 'aa', { ready = true, since = 3600, gone = false, owner = 'podinfo' } = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      namespace: 'podinfo',
      labels: { 'rollouts-pod-template-hash': hash },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${owner}-${hash}`, uid: 'r', controller: true },
      ],
      ...(gone ? { deletionTimestamp: ago(1) } : {}),
    },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(since) }],
    },
  };
}
