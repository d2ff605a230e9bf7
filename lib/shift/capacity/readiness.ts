import type { KubernetesObject } from '../../core/kubernetes/api';
import { selects } from '../../core/kubernetes/label-selector';
import { oneLine } from '../../core/printable-text';
import type { Figure } from '../engine';
import type { Need } from './decision';
import { placeText } from './minimums';
import { asObject } from './workloads';
import type { Workload } from './workloads';

/** What the slots that gain weight have, beside what they need. */
export interface Readiness {
  /** Whether there are enough pods of every workload. */
  readonly isEnough: boolean;
  /** A line for each workload that has too few, or one for all of them. */
  readonly lines: readonly string[];
  readonly figures: readonly Figure[];
}

/** So many workloads are named; of more, the number is said. */
const mostNamed = 5;

/**
 * Whether the pods are there.
 *
 * @param pods of the namespaces of workloads that have too few, by slot
 */
export function readinessOf(
  needs: readonly Need[],
  pods: Readonly<Record<string, readonly KubernetesObject[]>>,
): Readiness {
  const slots = [...new Set(needs.map(({ slot }) => slot))];
  const short = needs.filter(isShort);
  const lines = short.slice(0, mostNamed).map(({ slot, workload, pods: needed }) => {
    const waiting = waitingText(workload, pods[slot] ?? []);
    return `${slot}: ${placeText(workload)} ${workload.ready} of ${needed} ready${waiting && `; ${waiting}`}`;
  });
  const more = short.length - lines.length;
  return {
    isEnough: short.length === 0,
    lines: [...lines, ...(more > 0 ? [`${more} more workloads have too few pods`] : [])],
    figures: slots.map((slot) => {
      const own = needs.filter((need) => need.slot === slot);
      const sum = (of: (need: Need) => number): number => own.reduce((total, need) => total + of(need), 0);
      return {
        name: 'ready pods',
        slot,
        // Pods of one workload are no pods of another.
        value: sum(({ workload, pods: needed }) => Math.min(workload.ready, needed)),
        unit: 'count',
        min: sum(({ pods: needed }) => needed),
      };
    }),
  };
}

/** Whether a workload has too few pods that are ready. */
export function isShort({ workload, pods }: Need): boolean {
  return workload.ready < pods;
}

interface PodCondition {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
}

/** `8 pending: 0/3 nodes are available: insufficient cpu`; nothing where no pod says why. */
function waitingText(workload: Workload, pods: readonly KubernetesObject[]): string {
  const own = pods.filter(
    ({ metadata }) =>
      metadata.namespace === workload.namespace && selects(workload.selector, metadata.labels ?? {}),
  );
  const counts = new Map<string, number>();
  for (const pod of own) {
    const why = whyNotReady(pod);
    if (why !== undefined) {
      counts.set(why, (counts.get(why) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 2)
    .map(([why, count]) => `${count} ${why}`)
    .join('; ');
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions */
function whyNotReady({ metadata, status }: KubernetesObject): string | undefined {
  const { phase, conditions, containerStatuses } = asObject(status);
  const find = (type: string): PodCondition | undefined =>
    (Array.isArray(conditions) ? (conditions as readonly PodCondition[]) : []).find(
      (each) => asObject(each).type === type,
    );
  const over = metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed';
  if (over || find('Ready')?.status === 'True') {
    return undefined;
  }
  const scheduled = find('PodScheduled');
  if (scheduled?.status === 'False') {
    return `pending: ${short(scheduled.message) || (typeof scheduled.reason === 'string' ? scheduled.reason : 'no node')}`;
  }
  const waiting = (Array.isArray(containerStatuses) ? containerStatuses : [])
    .map((each: unknown) => asObject(asObject(asObject(each).state).waiting).reason)
    .find((reason) => typeof reason === 'string' && reason !== 'ContainerCreating');
  return typeof waiting === 'string' ? `not ready: ${waiting}` : 'starting';
}

const longestMessage = 160;

/** The scheduler goes on about preemption after its first sentence. */
function short(message: unknown): string {
  const [first = ''] =
    typeof message === 'string' ? oneLine(message.replace(/\s+/g, ' ')).split(/\. |\.$/) : [];
  return first.length > longestMessage ? `${first.slice(0, longestMessage)}…` : first;
}
