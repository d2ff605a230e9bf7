import { Field } from '../../field';
import type { JudgedObject } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import type { Container, Workload } from '../../objects/workloads';
import { containersAt } from '../../objects/workloads';
import type { RawFinding } from '../../rule';
import { budgetsOf } from '../../objects/disruption-budgets';
import type { Caller } from './callers';
import { inWords } from './server-address';
import { lacksBudget, leastReplicas } from './server';
import { listInWords, nameInWords, objectInWords } from './words';

/** Too few replicas, and pods that a drain of nodes may take away together. */
export function* judgeResilience(
  objects: ObjectIndex,
  workloads: readonly Workload[],
  webhooks: readonly Caller[],
): Iterable<RawFinding> {
  const replicas = leastReplicas(objects, workloads);
  if (replicas !== undefined && replicas < 2) {
    const { object } = workloads[0]!;
    yield {
      object,
      pointer: Field.of(object).get('spec', 'replicas').pointer,
      message: `${listInWords(workloads.map((each) => objectInWords(each.object)))} behind ${inWords(webhooks)} may have only ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`,
      why: 'draining one node, or one crash, takes the server away',
      fix: 'ask for at least two replicas, of the autoscaler too if there is one',
    };
  }
  for (const workload of workloads.filter((each) => lacksBudget(objects, each))) {
    yield {
      object: workload.object,
      pointer: workload.pod.get('metadata', 'labels').pointer,
      message: `no PodDisruptionBudget selects the pods of ${objectInWords(workload.object)} behind ${inWords(webhooks)}`,
      why: 'draining nodes may take all pods of the server at once',
      fix: 'add a PodDisruptionBudget with maxUnavailable: 1',
    };
  }
  const budgets = new Set(workloads.flatMap((workload) => budgetsOf(objects, workload)));
  yield* [...budgets].filter(saysNoNumber).map((object) => ({
    object,
    pointer: Field.of(object).get('spec', 'maxUnavailable').pointer,
    message: `${objectInWords(object)}, which selects the pods behind ${inWords(webhooks)}, has neither maxUnavailable nor minAvailable`,
    why: 'then no pod may be evicted at all, and whoever drains a node has to take the pods away without asking',
    fix: 'set maxUnavailable: 1',
  }));
}

/** @see https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/controller/disruption/disruption.go (getExpectedPodCount) */
function saysNoNumber(budget: JudgedObject): boolean {
  const spec = Field.of(budget).get('spec');
  return !spec.get('maxUnavailable').exists && !spec.get('minAvailable').exists;
}

/** A container that answers without being asked first whether it can. */
export function* judgeReadiness(
  service: JudgedObject,
  workloads: readonly Workload[],
  webhooks: readonly Caller[],
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
        message: `container ${nameInWords(unready.name)} of ${objectInWords(workload.object)} behind ${inWords(webhooks)} has no readiness probe`,
        why: 'a pod is called as soon as its process runs, before it listens or has its certificate',
        fix: 'add a readiness probe that fails until the server can answer',
      };
    }
  }
}
