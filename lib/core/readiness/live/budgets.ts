import type { KubernetesObject } from '../../kubernetes/api';
import { selects } from '../../kubernetes/label-selector';
import type { LabelSelector, Labels } from '../../kubernetes/label-selector';
import { isPlainObject } from '../../validation/problems';
import type { ReadinessFinding, ReadinessObject } from '../report';
import { counted, said } from '../words';
import { mapping } from './fields';
import { namesOf, placeOf } from './subject';

/** What matters of a pod. */
export interface LabelledPod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

const whyBlocked =
  'a drain of its nodes waits until it allows an eviction: node groups are not replaced, and an upgrade of theirs fails';

/**
 * What PodDisruptionBudgets mean for an upgrade, in which every node is drained. A pair of clusters needs no eviction: so it
 * is a warning.
 *
 * @param pods all pods; undefined where they could not be listed
 */
export function judgeBudgets(
  budgets: readonly KubernetesObject[],
  pods: readonly LabelledPod[] | undefined,
): readonly ReadinessFinding[] {
  return [...budgets.flatMap(blocks), ...(pods === undefined ? [] : judgeSelection(budgets, pods))];
}

/** @see the function `getExpectedPodCount` of kubernetes, pkg/controller/disruption/disruption.go: percentages are rounded up */
function blocks(budget: KubernetesObject): readonly ReadinessFinding[] {
  const spec = mapping(budget.spec);
  const { disruptionsAllowed, expectedPods, currentHealthy, desiredHealthy } = mapping(budget.status);
  const expected = number(expectedPods);
  if (expected === 0) {
    return [];
  }
  const subject = `PodDisruptionBudget ${said(placeOf(namesOf(budget.metadata)))}`;
  const never = neverAllows(spec, expected);
  if (never !== undefined) {
    return [
      {
        id: 'WRK01',
        severity: 'warning',
        message: `${subject} never allows an eviction: ${never}`,
        why: whyBlocked,
        fix: 'allow one pod to be unavailable, with at least one replica more than must be available',
        object: budgetObject(budget),
      },
    ];
  }
  return disruptionsAllowed === 0
    ? [
        {
          id: 'WRK02',
          severity: 'warning',
          message: `${subject} allows no eviction now: ${number(currentHealthy)} of ${counted(expected, 'pod')} are healthy, and ${number(desiredHealthy)} must be`,
          why: whyBlocked,
          fix: 'see why its pods are not ready; with unhealthyPodEvictionPolicy: AlwaysAllow, those that are not ready are evicted all the same',
          object: budgetObject(budget),
        },
      ]
    : [];
}

function neverAllows(
  { minAvailable, maxUnavailable }: Readonly<Record<string, unknown>>,
  expected: number,
): string | undefined {
  if (maxUnavailable !== undefined) {
    return scaled(maxUnavailable, expected) === 0
      ? `maxUnavailable is ${said(shown(maxUnavailable))}`
      : undefined;
  }
  const least = scaled(minAvailable, expected);
  return least !== undefined && least >= expected
    ? `minAvailable is ${said(shown(minAvailable))} of ${counted(expected, 'pod')}`
    : undefined;
}

function scaled(value: unknown, total: number): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  const [, percent] = /^(\d{1,9})%$/.exec(typeof value === 'string' ? value : '') ?? [];
  return percent === undefined ? undefined : Math.ceil((Number(percent) * total) / 100);
}

/** The eviction API refuses a pod of two budgets, whatever they say: `pkg/registry/core/pod/storage/eviction.go`. */
function judgeSelection(
  budgets: readonly KubernetesObject[],
  pods: readonly LabelledPod[],
): readonly ReadinessFinding[] {
  const byNamespace = new Map<string, LabelledPod[]>();
  for (const pod of pods) {
    const found = byNamespace.get(pod.namespace);
    if (found) {
      found.push(pod);
    } else {
      byNamespace.set(pod.namespace, [pod]);
    }
  }
  const selected = budgets.map((budget) => ({
    budget,
    pods: selectedBy(budget, byNamespace.get(budget.metadata.namespace ?? '') ?? []),
  }));
  const owners = new Map<LabelledPod, KubernetesObject[]>();
  selected.forEach((each) =>
    each.pods.forEach((pod) => owners.set(pod, [...(owners.get(pod) ?? []), each.budget])),
  );
  const shared = new Map<string, { readonly budgets: KubernetesObject[]; readonly pods: LabelledPod[] }>();
  for (const [pod, all] of owners) {
    if (all.length > 1) {
      const key = JSON.stringify([pod.namespace, all.map(({ metadata }) => metadata.name).sort()]);
      const found = shared.get(key) ?? { budgets: all, pods: [] };
      found.pods.push(pod);
      shared.set(key, found);
    }
  }
  return [
    ...[...shared.values()].map(({ budgets: all, pods: both }) => twice(all, both)),
    ...selected.filter((each) => each.pods.length === 0).map(({ budget }) => empty(budget)),
  ];
}

/** Without a selector, a budget of `policy/v1` selects nothing. */
function selectedBy({ spec }: KubernetesObject, pods: readonly LabelledPod[]): readonly LabelledPod[] {
  const { selector } = mapping(spec);
  return isPlainObject(selector)
    ? pods.filter(({ labels }) => selects(selector as LabelSelector, labels))
    : [];
}

function twice(budgets: readonly KubernetesObject[], pods: readonly LabelledPod[]): ReadinessFinding {
  const [first] = budgets;
  const names = budgets.map(({ metadata }) => metadata.name).sort();
  const [pod] = pods;
  return {
    id: 'WRK04',
    severity: 'warning',
    message: `PodDisruptionBudgets ${names.map(said).join(' and ')} of namespace ${said(pod?.namespace)} both select ${counted(pods.length, 'pod')}: ${said(pod?.name)}${pods.length > 1 ? ' and others' : ''}`,
    why: 'the API server refuses to evict a pod of more than one budget, whatever they allow',
    fix: 'leave one of them',
    ...(first === undefined ? {} : { object: budgetObject(first) }),
  };
}

function empty(budget: KubernetesObject): ReadinessFinding {
  return {
    id: 'WRK03',
    severity: 'info',
    message: `PodDisruptionBudget ${said(placeOf(namesOf(budget.metadata)))} selects no pod`,
    why: 'it protects nothing; labels may have changed since it was written',
    fix: 'compare its selector with the labels of the pods, or remove it',
    object: budgetObject(budget),
  };
}

function budgetObject({ metadata }: KubernetesObject): ReadinessObject {
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...namesOf(metadata) };
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
