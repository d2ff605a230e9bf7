import { openKubernetes, openedOnce } from '../../core/kubernetes/open';
import { Problems } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { RaisedSlot, ShiftSubject } from '../engine';
import type { OpenCluster } from './cluster';
import { KubernetesCapacity } from './kubernetes-capacity';
import type { SlotCapacity } from './kubernetes-capacity';
import { capacityProblems, capacitySettings, shiftName, writable } from './settings';
import type { CapacitySettings } from './settings';

/** What capacity is moved with. */
export interface CapacityContext {
  /**
   * What is shifted, the same for every run: the id of its router. Shifts that raise the same workload at once differ
   * in it.
   */
  readonly id: string;
  /** Opens an API server. @default openKubernetes */
  readonly open?: OpenCluster;
}

/**
 * The capacity of slots that are Kubernetes clusters. No cluster is asked yet.
 *
 * @param subject what is shifted; of several routers that shift together, the subject of each
 * @throws InvalidInput with everything that is wrong with the settings, or where neither the name of a slot's cluster nor a
 * context is known
 */
export function openCapacity(
  settings: CapacitySettings,
  subject: ShiftSubject | readonly [ShiftSubject, ...ShiftSubject[]],
  context: CapacityContext,
): SlotCapacity {
  const subjects: readonly ShiftSubject[] = 'slots' in subject ? [subject] : subject;
  const problems = new Problems('capacity');
  problems.addAll(problemsOf(capacitySettings, settings));
  problems.throwIfAny();
  subjects.forEach((each) => problems.addAll(capacityProblems(settings, each)));
  const places = slotPlaces(settings, subjects, shiftName(context.id), problems);
  problems.throwIfAny();
  const clusters = openedOnce(context.open ?? ((cluster) => openKubernetes(cluster)));
  return new KubernetesCapacity({
    places,
    targetGroups: targetGroupsOf(subjects),
    ...(settings.services && { services: settings.services }),
    writable: writable(settings),
    open: clusters,
  });
}

/** How each slot's cluster is reached. */
function slotPlaces(
  { kubeconfig, contexts = {} }: CapacitySettings,
  subjects: readonly ShiftSubject[],
  by: string,
  problems: Problems,
): Readonly<Record<string, Omit<RaisedSlot, 'minimums'>>> {
  const slots = new Set(subjects.flatMap((each) => Object.keys(each.slots)));
  const placed = [...slots].map((slot) => {
    const known = subjects.map((each) => each.slots[slot]?.clusterName).find((name) => name !== undefined);
    const context = Object.hasOwn(contexts, slot) ? contexts[slot] : known;
    if (context === undefined) {
      problems.require(`contexts.${slot}`, 'a context of the kubeconfig, unless the slot has clusterName');
    }
    return [slot, { ...(kubeconfig !== undefined && { kubeconfig }), context, by }] as const;
  });
  return Object.fromEntries(placed);
}

function targetGroupsOf(subjects: readonly ShiftSubject[]): Readonly<Record<string, readonly string[]>> {
  const groups = new Map<string, string[]>();
  for (const [slot, { targetGroupArn }] of subjects.flatMap(({ slots }) => Object.entries(slots))) {
    groups.set(slot, [
      ...(groups.get(slot) ?? []),
      ...(targetGroupArn === undefined ? [] : [targetGroupArn]),
    ]);
  }
  return Object.fromEntries(groups);
}
