import type { AccessRule } from '../../core/kubernetes/api';
import type { ClusterAccessRule } from '../checks';
import type { ShiftSubject } from '../engine';
import { writable } from './settings';
import type { CapacitySettings } from './settings';

const workloads = ['deployments', 'statefulsets'];

/**
 * The rights that capacity takes on the slots' API servers: to read what leads from a target group to its pods, and to change
 * the minimums that `scale` names. With `services`, in their namespaces; else in all, since bindings may be anywhere.
 */
export function capacityAccess(
  settings: CapacitySettings,
  { slots }: ShiftSubject,
): readonly ClusterAccessRule[] {
  const { kubeconfig, contexts = {}, services } = settings;
  const at = Object.entries(slots).map(([slot, { clusterName }]) => ({
    kubeconfig,
    context: contexts[slot] ?? clusterName,
  }));
  const namespaces = services ? [...new Set(services.map(({ namespace }) => namespace))] : [undefined];
  const rules: readonly AccessRule[] = [
    ...(services
      ? []
      : [{ apiGroups: ['elbv2.k8s.aws'], resources: ['targetgroupbindings'], verbs: ['list'] }]),
    ...namespaces.flatMap((namespace) =>
      rulesWithin(settings).map((rule) => ({ ...rule, ...(namespace !== undefined && { namespace }) })),
    ),
  ];
  return rules.map((rule) => ({ cluster: 'slots', at, rule }));
}

function rulesWithin(settings: CapacitySettings): readonly AccessRule[] {
  const kinds = writable(settings);
  const verbs = (kind: (typeof kinds)[number]): readonly string[] =>
    kinds.includes(kind) ? ['get', 'list', 'patch'] : ['list'];
  return [
    { apiGroups: [''], resources: ['pods', 'services'], verbs: ['list'] },
    { apiGroups: ['apps'], resources: workloads, verbs: verbs('deployment') },
    { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: verbs('rollout') },
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: verbs('hpa') },
    { apiGroups: ['keda.sh'], resources: ['scaledobjects'], verbs: verbs('scaledobject') },
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
  ];
}
