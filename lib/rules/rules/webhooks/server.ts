import { Field } from '../../field';
import type { JudgedObject } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import type { CalledService } from '../../objects/called-service';
import type { Workload } from '../../objects/workloads';
import { budgetsOf } from '../../objects/disruption-budgets';
import { autoscalersOf, workloadsBehind } from '../../objects/workloads';

/** What is known of the server behind a Service. */
export interface KnownServer {
  /** @default - it is not among the objects */
  readonly service?: JudgedObject;
  /** None where they, or the Service, are not among the objects. */
  readonly workloads: readonly Workload[];
}

/** The server behind a Service. */
export function serverOf(objects: ObjectIndex, called: CalledService): KnownServer {
  const service = objects.find('', 'Service', called.namespace, called.name);
  return { ...(service ? { service } : {}), workloads: workloadsBehind(objects, called) ?? [] };
}

/**
 * How many pods answer at least; an autoscaler has the last word.
 *
 * @returns nothing where that is no number of the manifests
 */
export function leastReplicas(objects: ObjectIndex, workloads: readonly Workload[]): number | undefined {
  const counts = workloads.map((workload) => replicasOf(objects, workload));
  return counts.length === 0 || counts.includes(undefined)
    ? undefined
    : counts.reduce<number>((sum, each) => sum + each!, 0);
}

function replicasOf(objects: ObjectIndex, workload: Workload): number | undefined {
  const [scaler] = autoscalersOf(objects, workload);
  if (scaler) {
    const spec = Field.of(scaler).get('spec');
    const [key, otherwise] =
      scaler.kind === 'ScaledObject' ? (['minReplicaCount', 0] as const) : (['minReplicas', 1] as const);
    return spec.get(key).exists ? spec.get(key).number : otherwise;
  }
  return workload.object.kind === 'Pod' ? 1 : workload.replicas;
}

/** Whether a drain of nodes may take all pods of a workload at once. It leaves a DaemonSet's pods where they are. */
export function lacksBudget(objects: ObjectIndex, workload: Workload): boolean {
  return workload.object.kind !== 'DaemonSet' && budgetsOf(objects, workload).length === 0;
}
