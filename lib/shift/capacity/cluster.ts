import { inTurn } from '../../core/async';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { KubernetesApi, KubernetesObject, ObjectKind } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { CarefulReader } from '../../core/kubernetes/tolerant-reader';
import { capacityFieldManager } from '../../core/names';
import { minimumFields, minimumPatch, minimumState, referenceOf } from './minimums';
import type { MinimumChange, MinimumPlace, MinimumState } from './minimums';
import { boundServices } from './workloads';
import type { ClusterObjects, ServiceName } from './workloads';

/** Opens the API server of a cluster; nothing is asked yet. */
export type OpenCluster = (
  settings: Pick<KubernetesSettings, 'kubeconfig' | 'context'>,
) => Promise<KubernetesApi>;

/** @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/targetgroupbinding/spec/ */
const bindingKind: ObjectKind = { apiVersion: 'elbv2.k8s.aws/v1beta1', kind: 'TargetGroupBinding' };

const kinds: Readonly<Record<keyof ClusterObjects, ObjectKind>> = {
  services: { apiVersion: 'v1', kind: 'Service' },
  deployments: minimumFields.deployment,
  statefulSets: minimumFields.statefulset,
  rollouts: minimumFields.rollout,
  autoscalers: minimumFields.hpa,
  scaledObjects: minimumFields.scaledobject,
  budgets: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
};

/** So many calls run at once: API servers limit how many one user may have under way. */
const atOnce = 8;

/** What was read of one cluster. */
export interface ClusterLook {
  readonly objects: ClusterObjects;
  readonly services: readonly ServiceName[];
  /** What could not be read, and the right that is missing. */
  readonly unseen: readonly string[];
}

/**
 * Reads what says which workloads serve.
 *
 * @param given the Services; @default - those of the target groups
 * @throws KubernetesError where the server does not answer
 */
export async function lookAtCluster(
  api: KubernetesApi,
  targetGroupArns: readonly string[],
  given: readonly ServiceName[] | undefined,
  signal?: AbortSignal,
): Promise<ClusterLook> {
  const reader = new CarefulReader(api, signal);
  const services = given ?? boundServices((await reader.list(bindingKind)) ?? [], targetGroupArns);
  const namespaces = [...new Set(services.map(({ namespace }) => namespace))];
  const wanted = namespaces.flatMap((namespace) =>
    Object.entries(kinds).map(([key, kind]) => ({ key, kind, namespace })),
  );
  const lists = await inTurn(
    wanted,
    atOnce,
    async ({ kind, namespace }) => (await reader.list(kind, { namespace })) ?? [],
    signal,
  );
  const of = (key: keyof ClusterObjects): readonly KubernetesObject[] =>
    lists.flatMap((list, index) => (wanted[index]!.key === key ? list : []));
  const objects = Object.fromEntries(Object.keys(kinds).map((key) => [key, of(key as keyof ClusterObjects)]));
  return { objects: objects as unknown as ClusterObjects, services, unseen: reader.unseen };
}

/** Pods of namespaces; none where they may not be read. */
export async function podsOf(
  api: KubernetesApi,
  namespaces: readonly string[],
  signal?: AbortSignal,
): Promise<readonly KubernetesObject[]> {
  const reader = new CarefulReader(api, signal);
  const pod = { apiVersion: 'v1', kind: 'Pod' };
  const lists = await inTurn(namespaces, atOnce, (namespace) => reader.list(pod, { namespace }), signal);
  return lists.flatMap((list) => list ?? []);
}

/** How often an object is read again that changes all the time: its status does. */
const mostTries = 4;

/** How a write is made. */
export interface MinimumWrite {
  /** What was read already. @default - it is read first */
  readonly object?: KubernetesObject;
  /** Whether the server only checks. @default false */
  readonly dryRun?: boolean;
  /** Whom the fields belong to from then on. @default - shifts that raise capacity */
  readonly manager?: string;
  readonly signal?: AbortSignal;
}

/**
 * Changes a minimum, and again where something else of the object has changed meanwhile.
 *
 * @param decide the change, from what the object says now; undefined for none
 * @returns whether it was changed
 * @throws KubernetesError
 */
export async function writeMinimum(
  api: KubernetesApi,
  place: MinimumPlace,
  decide: (state: MinimumState) => MinimumChange | undefined,
  { object, dryRun = false, manager = capacityFieldManager, signal }: MinimumWrite = {},
): Promise<boolean> {
  const reference = referenceOf(place);
  for (let tries = 1; ; tries += 1) {
    const found = (tries === 1 ? object : undefined) ?? (await api.get(reference, signal));
    const change = decide(minimumState(found, place.kind));
    if (!change) {
      return false;
    }
    try {
      await api.patch(reference, minimumPatch(found, place.kind, change), {
        fieldManager: manager,
        dryRun,
        ...(signal && { signal }),
      });
      return true;
    } catch (error) {
      if (!isKubernetesError(error, 'conflict') || tries >= mostTries) {
        throw error;
      }
    }
  }
}
