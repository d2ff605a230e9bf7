import type { KubernetesObject } from '../../kubernetes/api';
import { isPlainObject } from '../../validation/problems';
import type { ReadinessFinding } from '../report';
import { counted, listed, said } from '../words';
import { judgeBudgets } from './budgets';
import type { LabelledPod } from './budgets';
import { liveSubject, namesOf, placeOf } from './subject';

/** What holds up a drain of nodes, or has no room for more load: the pods of an upgrade move, all of them. */
export const workloads = liveSubject({
  name: 'workloads',
  title: 'disruption budgets, single replicas and autoscalers at their maximum',
  access: [
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list'] },
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: ['list'] },
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
  ],
  look: async (reader) => {
    const [budgets, deployments, statefulSets, autoscalers, pods] = await Promise.all([
      reader.list({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }),
      reader.list({ apiVersion: 'apps/v1', kind: 'Deployment' }),
      reader.list({ apiVersion: 'apps/v1', kind: 'StatefulSet' }),
      reader.list({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' }),
      reader.metadata({ apiVersion: 'v1', kind: 'Pod' }, podOf),
    ]);
    const scaled = [...(deployments.value ?? []), ...(statefulSets.value ?? [])];
    return {
      findings: [
        ...judgeBudgets(budgets.value ?? [], pods.value),
        ...judgeReplicas(scaled),
        ...(autoscalers.value ?? []).flatMap(judgeAutoscaler),
      ],
      looked: [
        counted(deployments.value?.length ?? 0, 'Deployment'),
        counted(statefulSets.value?.length ?? 0, 'StatefulSet'),
        counted(budgets.value?.length ?? 0, 'PodDisruptionBudget'),
        counted(autoscalers.value?.length ?? 0, 'HorizontalPodAutoscaler'),
      ].join(', '),
      untried: [budgets, deployments, statefulSets, autoscalers, pods].flatMap(({ untried }) => untried),
    };
  },
});

function podOf({ metadata }: KubernetesObject): LabelledPod {
  return { namespace: metadata.namespace ?? '', name: metadata.name, labels: metadata.labels ?? {} };
}

/** Workloads of one pod, a line for each namespace: they are many, and some are meant so. */
export function judgeReplicas(all: readonly KubernetesObject[]): readonly ReadinessFinding[] {
  const single = new Map<string, string[]>();
  for (const { kind, metadata, spec } of all) {
    const { replicas = 1 } = isPlainObject(spec) ? spec : {};
    if (replicas === 1) {
      const namespace = metadata.namespace ?? '';
      single.set(namespace, [...(single.get(namespace) ?? []), `${kind} ${metadata.name}`]);
    }
  }
  return [...single].map(([namespace, names]) => ({
    id: 'WRK05',
    severity: 'info',
    message: `${names.length === 1 ? '1 workload' : `${names.length} workloads`} of namespace ${said(namespace)} with a single replica: ${listed(names)}`,
    why: 'while its node is drained, it is not there until its pod is ready elsewhere',
    fix: 'run a second replica where a gap matters',
  }));
}

/**
 * An autoscaler that can't add a pod: the cluster that takes the traffic over needs as many and more, since new pods begin
 * with empty caches.
 */
export function judgeAutoscaler({ metadata, spec, status }: KubernetesObject): readonly ReadinessFinding[] {
  const { minReplicas = 1, maxReplicas } = isPlainObject(spec) ? spec : {};
  const { currentReplicas } = isPlainObject(status) ? status : {};
  if (typeof maxReplicas !== 'number' || typeof minReplicas !== 'number') {
    return [];
  }
  const subject = `HorizontalPodAutoscaler ${said(placeOf(namesOf(metadata)))}`;
  const finding = {
    id: 'WRK06',
    fix: 'raise maxReplicas for the time of the upgrade',
    object: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', ...namesOf(metadata) },
  };
  if (minReplicas >= maxReplicas) {
    return [
      {
        ...finding,
        severity: 'info',
        message: `${subject} scales nothing: minReplicas and maxReplicas are ${maxReplicas}`,
        why: 'load that comes with the upgrade finds no more pods',
      },
    ];
  }
  return typeof currentReplicas === 'number' && currentReplicas >= maxReplicas
    ? [
        {
          ...finding,
          severity: 'warning',
          message: `${subject} is at its maximum of ${maxReplicas}`,
          why: 'it may need more pods already, and load that comes with the upgrade finds none',
        },
      ]
    : [];
}
