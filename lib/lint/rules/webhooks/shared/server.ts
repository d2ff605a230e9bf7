import { Field } from '../../../object';
import type { ManifestObject } from '../../../object';
import type { ObjectIndex } from '../../../object-index';
import type { RawFinding } from '../../../rule';
import type { CalledServiceView } from '../../../views/admission';
import { autoscalersOf, budgetsOf, containersAt, workloads, workloadsBehind } from '../../../views/workloads';
import type { Container, Workload } from '../../../views/workloads';
import { listInWords, nameInWords, objectInWords } from './format';
import { listedInWords } from './server-address';
import type { ServiceCaller } from './server-address';

/** What is known of the server behind a Service. */
export interface KnownServer {
  /** @default - it is not among the objects */
  readonly service?: ManifestObject;
  /** None where they, or the Service, are not among the objects. */
  readonly workloads: readonly Workload[];
}

/** The server behind a Service. */
export function serverOf(objects: ObjectIndex, called: CalledServiceView): KnownServer {
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

/** Too few replicas, and pods that a drain of nodes or a rollout may take away together, or that no drain may. */
export function* evaluateResilience(
  objects: ObjectIndex,
  workloads: readonly Workload[],
  webhooks: readonly ServiceCaller[],
): Iterable<RawFinding> {
  const replicas = leastReplicas(objects, workloads);
  const isAlone = replicas !== undefined && replicas < 2;
  if (isAlone) {
    const object = scaledObject(workloads[0]!);
    const isEnded = workloads.some((workload) => endingAll(workload, 1) !== undefined);
    yield {
      object,
      pointer: Field.of(object).get('spec', 'replicas').pointer,
      message: `${listInWords(workloads.map((each) => objectInWords(scaledObject(each))))} behind ${listedInWords(webhooks)} may have only ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}${isEnded ? ', which each rollout ends before a new one is ready' : ''}`,
      why: 'draining one node, or one crash, takes the server away',
      fix: 'set at least two replicas, for the autoscaler too if there is one',
    };
  }
  for (const workload of workloads.filter((each) => lacksBudget(objects, each))) {
    yield {
      object: workload.object,
      pointer: workload.pod.get('metadata', 'labels').pointer,
      message: `no PodDisruptionBudget selects the pods of ${objectInWords(workload.object)} behind ${listedInWords(webhooks)}`,
      why: 'draining nodes may take all pods of the server at once',
      fix: 'add a PodDisruptionBudget with maxUnavailable: 1',
    };
  }
  const budgets = new Set(workloads.flatMap((workload) => budgetsOf(objects, workload)));
  for (const object of budgets) {
    const block = blockOf(objects, object);
    if (block) {
      yield {
        object,
        pointer: block.field.pointer,
        message: `${objectInWords(object)}, which selects the pods behind ${listedInWords(webhooks)}, has ${block.message}`,
        why: 'then no pod can be evicted, and a drain of the node has to delete its pods',
        fix: 'set maxUnavailable: 1',
      };
    }
  }
  // Of one replica it is said with the replicas.
  for (const workload of isAlone ? [] : workloads) {
    const strategy = endingAll(workload, leastReplicas(objects, [workload]));
    if (strategy) {
      yield {
        object: workload.object,
        pointer: strategy.pointer,
        message: `${objectInWords(workload.object)} behind ${listedInWords(webhooks)} ends all its pods before new ones are ready: ${strategy.steps.at(-1)} ${String(strategy.value)}`,
        why: 'each rollout of the server, and each rollback, takes the webhook away until a new pod is ready',
        fix: 'roll out one pod after the other: strategy RollingUpdate, with a maxUnavailable below the number of replicas',
      };
    }
  }
}

/** What says how many pods there are. */
function scaledObject({ object, rollout }: Workload): ManifestObject {
  return rollout ?? object;
}

/**
 * What keeps every pod of a budget from being evicted.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/controller/disruption/disruption.go (getExpectedPodCount)
 */
function blockOf(
  objects: ObjectIndex,
  budget: ManifestObject,
): { readonly field: Field; readonly message: string } | undefined {
  const spec = Field.of(budget).get('spec');
  const [most, least] = [spec.get('maxUnavailable'), spec.get('minAvailable')];
  if (most.exists) {
    const isNone = most.number === 0 || /^0+%$/.test(most.text ?? '');
    return isNone ? { field: most, message: `maxUnavailable ${String(most.value)}` } : undefined;
  }
  if (!least.exists) {
    return { field: most, message: 'neither maxUnavailable nor minAvailable' };
  }
  if (least.text === '100%') {
    return { field: least, message: 'minAvailable 100%' };
  }
  const replicas = leastReplicas(objects, objects.view(workloadsByBudget).get(budget) ?? []);
  // One of one is a matter of the replicas, which are checked apart.
  return replicas !== undefined && scaled(least, replicas, Math.ceil) >= Math.max(replicas, 2)
    ? { field: least, message: `minAvailable ${String(least.value)}, with replicas ${replicas}` }
    : undefined;
}

function workloadsByBudget(objects: ObjectIndex): ReadonlyMap<ManifestObject, readonly Workload[]> {
  const found = new Map<ManifestObject, Workload[]>();
  for (const workload of objects.view(workloads).all) {
    for (const budget of budgetsOf(objects, workload)) {
      const selected = found.get(budget) ?? [];
      found.set(budget, selected);
      selected.push(workload);
    }
  }
  return found;
}

/**
 * What lets a Deployment end all its pods at once where it rolls out. With one replica, a number says nothing more than that.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts)
 */
function endingAll({ object, rollout }: Workload, replicas: number | undefined): Field | undefined {
  if (object.kind !== 'Deployment' || rollout) {
    return undefined;
  }
  const strategy = Field.of(object).get('spec', 'strategy');
  if (strategy.get('type').text === 'Recreate') {
    return strategy.get('type');
  }
  const most = strategy.get('rollingUpdate', 'maxUnavailable');
  const isAll = replicas !== undefined && replicas > 1 && scaled(most, replicas, Math.floor) >= replicas;
  return isAll || most.text === '100%' ? most : undefined;
}

/** A number of pods, or the pods of a percentage; 0 where it is neither. */
function scaled({ number, text = '' }: Field, of: number, round: (value: number) => number): number {
  const [, percent] = /^(\d+)%$/.exec(text) ?? [];
  return number ?? (percent === undefined ? 0 : round((Number(percent) * of) / 100));
}

/** A container that answers without being asked first whether it can. */
export function* evaluateReadiness(
  service: ManifestObject,
  workloads: readonly Workload[],
  webhooks: readonly ServiceCaller[],
): Iterable<RawFinding> {
  const ports = new Set(webhooks.map((webhook) => webhook.service!.port));
  for (const workload of workloads) {
    const running = workload.containers.filter(({ init }) => !init);
    const answering = containersAt(service, ports, workload).filter(({ init }) => !init);
    const ready = (container: Container): boolean => container.field.get('readinessProbe').exists;
    const [unready] = answering.length > 0 ? answering.filter((each) => !ready(each)) : running;
    if (unready && (answering.length > 0 || !running.some(ready))) {
      yield {
        object: workload.object,
        pointer: unready.field.get('readinessProbe').pointer,
        message: `container ${nameInWords(unready.name)} of ${objectInWords(workload.object)} behind ${listedInWords(webhooks)} has no readiness probe`,
        why: 'a pod is called as soon as its process runs, before it listens or has its certificate',
        fix: 'add a readiness probe that fails until the server can answer',
      };
    }
  }
}
