import type { KubernetesObject } from '../../../core/kubernetes/api';
import { conditionOf, fieldsOf, mostSaid, objectsOf, sinceOf, textOf } from './objects';
import { briefGrace } from './vitals';
import type { VitalCount, VitalTimes } from './vitals';

/**
 * Taints of nodes that are on their way out.
 *
 * @see https://karpenter.sh/docs/concepts/disruption/
 * @see https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md
 */
const leaving = /^(karpenter\.sh\/disrupted|ToBeDeletedByClusterAutoscaler)$/;

/** Counts nodes that are not ready. Those that are cordoned or about to go are no loss. */
export function nodeVital(nodes: readonly KubernetesObject[], times: VitalTimes): VitalCount {
  const staying = nodes.filter(({ metadata, spec }) => {
    const { unschedulable, taints } = fieldsOf(spec);
    return (
      metadata.deletionTimestamp === undefined &&
      unschedulable !== true &&
      !objectsOf(taints).some(({ key }) => leaving.test(textOf(key)))
    );
  });
  const sick = staying.filter((node) => conditionOf(node, 'Ready')?.status !== 'True');
  // One that has just come takes as long to become ready as the pods that wait for it.
  const affected = sick.filter((node) => {
    const ready = conditionOf(node, 'Ready');
    const isNew = times.to - sinceOf(node, undefined) < times.grace;
    return times.to - sinceOf(node, ready) >= (isNew ? times.grace : briefGrace(times));
  });
  const cause = mostSaid(
    sick.map((node) => {
      const { reason, message } = conditionOf(node, 'Ready') ?? { reason: 'no condition Ready' };
      return [textOf(reason), textOf(message)].filter(Boolean).join(': ');
    }),
  );
  return {
    affected: affected.length,
    waiting: sick.length - affected.length,
    of: staying.length,
    ...(cause === undefined ? {} : { cause }),
  };
}

/**
 * Whether every node is one of EKS Auto Mode, whose DNS is a service of the node and no pod.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/associate-workload.html
 */
export function isAutoMode(nodes: readonly KubernetesObject[]): boolean {
  return (
    nodes.length > 0 &&
    nodes.every(({ metadata }) => metadata.labels?.['eks.amazonaws.com/compute-type'] === 'auto')
  );
}
