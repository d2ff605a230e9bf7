import type { KubernetesObject } from '../../core/kubernetes/api';
import type { LabelSelector } from '../../core/kubernetes/label-selector';
import { selects } from '../../core/kubernetes/label-selector';
import { oneLine } from '../../core/printable-text';
import { podsFor } from '../engine';
import type { Weights } from '../engine';
import { decideCapacity, podsAtOrigin, slotsCarrying, slotsGaining } from './decision';
import type { CapacityView } from './decision';
import { placeText } from './minimums';
import { asObject, mostPods } from './workloads';
import type { Workload } from './workloads';

/** What is known of a shift's capacity before its first percent. */
export interface Obstacles {
  /** What can't become right by itself. */
  readonly problems: readonly string[];
  /** What may pass: an autoscaler that has no figures yet. */
  readonly waits: readonly string[];
  /** What a person should know, and what is in the way of nothing. */
  readonly notes: readonly string[];
}

/**
 * Evaluates what would stop a shift half way: workloads that the new slot lacks, a maximum below the need, autoscalers that
 * don't scale, PodDisruptionBudgets that ask for more pods than there can be.
 *
 * @param budgets PodDisruptionBudgets by slot
 */
export function findObstacles(
  view: CapacityView,
  wanted: Weights,
  budgets: Readonly<Record<string, readonly KubernetesObject[]>>,
): Obstacles {
  const found = {
    problems: [...decideCapacity({ ...view, next: wanted }).problems],
    waits: [] as string[],
    notes: [] as string[],
  };
  const pods = podsAtOrigin(view);
  const carrying = slotsCarrying(view.origin);
  for (const slot of carrying) {
    const all = view.workloads[slot] ?? [];
    if (all.length > 0 && all.every(({ ready }) => ready === 0)) {
      found.waits.push(
        `${slot}: it has ${view.origin[slot]} % of the traffic and no pod that is ready, so that nothing says what a percent needs`,
      );
    }
    all.flatMap(idleProblem).forEach((line) => found.problems.push(`${slot}: ${line}`));
  }
  for (const slot of slotsGaining(view.origin, wanted)) {
    const all = view.workloads[slot];
    if (!all) {
      continue;
    }
    const ids = new Set(all.map(({ id }) => id));
    for (const [id, count] of pods) {
      if (!ids.has(id) && count > 0) {
        const [kind = '', namespace = '', name = ''] = id.split('/');
        found.problems.push(
          `${slot}: there is no ${kind} ${namespace}/${name} behind its Services, which has ${count} pods in ${carrying.join(', ')}`,
        );
      }
    }
    for (const workload of all) {
      const needed = podsFor(pods.get(workload.id) ?? 0, view.origin, wanted[slot]!);
      if (workload.scaler.kind === 'hpa' && needed > 0) {
        autoscalerObstacles(workload, {
          problem: (line) => found.problems.push(`${slot}: ${line}`),
          wait: (line) => found.waits.push(`${slot}: ${line}`),
        });
      }
      const idle = carrying.includes(slot) ? [] : idleProblem(workload);
      [...idle, ...pauseProblem(workload, needed)].forEach((line) => found.problems.push(`${slot}: ${line}`));
    }
    budgetObstacles(all, budgets[slot] ?? [], view, {
      problem: (line) => found.problems.push(`${slot}: ${line}`),
      note: (line) => found.notes.push(`${slot}: ${line}`),
    });
  }
  return found;
}

/**
 * The HPA controller raises a workload to its minimum before it looks at metrics, but never one that has 0 replicas. Metrics of
 * requests may be missing in a slot that has none yet; those of resources may not.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#implicit-maintenance-mode-deactivation
 */
function autoscalerObstacles(
  { scaler, ...workload }: Workload,
  { problem, wait }: { readonly problem: (line: string) => void; readonly wait: (line: string) => void },
): void {
  const { conditions } = asObject(scaler.object.status);
  for (const each of Array.isArray(conditions) ? conditions : []) {
    const { type, status, reason, message } = asObject(each);
    const why = `${String(reason)}${typeof message === 'string' ? `: ${oneLine(message.replace(/\s+/g, ' ')).slice(0, 160)}` : ''}`;
    if (status !== 'False') {
      continue;
    }
    if (type === 'ScalingActive' && reason === 'ScalingDisabled') {
      problem(
        `${placeText(scaler)} scales nothing, since ${placeText(workload)} has 0 replicas; it takes at least 1`,
      );
    } else if (
      type === 'AbleToScale' ||
      (type === 'ScalingActive' && /^FailedGet(Container)?ResourceMetric$/.test(String(reason)))
    ) {
      wait(`${placeText(scaler)}: ${why}`);
    }
  }
}

/** @see https://keda.sh/docs/latest/concepts/scaling-deployments/#pausing-autoscaling */
const pauses = ['autoscaling.keda.sh/paused', 'autoscaling.keda.sh/paused-replicas'];

/** A workload that is paused stays as it is, which is too little for one that has to grow. */
function pauseProblem({ scaler, ready }: Workload, needed: number): readonly string[] {
  const { annotations = {} } = scaler.object.metadata;
  const pause = pauses.find((key) => Object.hasOwn(annotations, key) && annotations[key] !== 'false');
  return scaler.kind === 'scaledobject' && pause !== undefined && ready < needed
    ? [`${placeText(scaler)} is paused by the annotation ${pause}, with ${ready} of ${needed} pods`]
    : [];
}

/** KEDA keeps no minimum while no trigger is active, where there is a count for that. */
function idleProblem({ scaler }: Workload): readonly string[] {
  const { idleReplicaCount: idle } = asObject(scaler.object.spec);
  return scaler.kind === 'scaledobject' && typeof idle === 'number'
    ? [
        `${placeText(scaler)} has idleReplicaCount ${idle}, to which KEDA scales while no trigger is active, whatever the minimum`,
      ]
    : [];
}

/**
 * A budget says how many pods must be available: more than there can ever be is a contradiction. One that allows no eviction
 * is in the way of no shift, but of replacing nodes.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/
 */
function budgetObstacles(
  workloads: readonly Workload[],
  budgets: readonly KubernetesObject[],
  { writable }: CapacityView,
  { problem, note }: { readonly problem: (line: string) => void; readonly note: (line: string) => void },
): void {
  const covered = new Map<Workload, string[]>();
  for (const { metadata, spec } of budgets) {
    const { minAvailable, maxUnavailable, selector } = asObject(spec);
    const name = `PodDisruptionBudget ${metadata.namespace}/${metadata.name}`;
    // Without a selector a budget is for no pod, with an empty one for all of the namespace.
    const own = workloads.filter(
      ({ namespace, labels }) =>
        selector !== undefined &&
        namespace === metadata.namespace &&
        selects(selector as LabelSelector, labels),
    );
    own.forEach((workload) => covered.set(workload, [...(covered.get(workload) ?? []), name]));
    const isOpen = own.some(({ scaler }) => scaler.most === undefined && writable.includes(scaler.kind));
    const most = own.reduce((sum, { scaler }) => sum + mostPods(scaler), 0);
    if (own.length === 0) {
      continue;
    }
    if (typeof minAvailable === 'number' && minAvailable > most && !isOpen) {
      problem(
        `${name} wants ${minAvailable} pods available, and ${own.map(placeText).join(', ')} can have ${most} at most`,
      );
    } else if (maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%') {
      note(`${name} allows no eviction, so that nodes with its pods can't be replaced`);
    }
  }
  for (const [workload, names] of covered) {
    if (names.length > 1) {
      note(`${names.join(' and ')} cover ${placeText(workload)}: pods with two budgets can't be evicted`);
    }
  }
}
