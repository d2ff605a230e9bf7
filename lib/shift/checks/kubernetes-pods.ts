import { parseDuration } from '../../core/durations';
import type { KubernetesObject } from '../../core/kubernetes/api';
import { optional, record } from '../../core/validation/collections';
import { labelKey, labelValue } from '../../core/validation/formats';
import { dnsLabelText, fits, that } from '../../core/validation/values';
import { combinedResult } from '../engine';
import type { Check, CheckResult, CheckStatus, CheckWindow } from '../engine';
import { slotsToEvaluate } from '../evaluation';
import { checkArgs, checkKind } from './check-kind';
import type { CommonCheckArgs } from './check-kind';
import { askKubernetes } from './shared/kubernetes-source';
import { timeSpan } from './shared/schemas';
import {
  slotAccess,
  slotServerEntries,
  slotServerProblems,
  slotServers,
  slotServersOfPrograms,
} from './shared/slot-servers';
import type { SlotServersArgs } from './shared/slot-servers';

/** What {@link kubernetesPods} takes. */
export interface KubernetesPodsArgs extends CommonCheckArgs, SlotServersArgs {
  /** Namespace of the pods, the same in every slot. */
  readonly namespace: string;
  /** Pods that have all of these labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** How long they may take; a pod that is not ready by then fails the check. @default '5m' */
  readonly timeout?: string;
}

const defaultTimeout = '5m';

const podLabels = that(
  record(
    fits(labelValue, { pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$' }),
    fits(labelKey, {
      pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
    }),
  ),
  'at least one label',
  (labels) => Object.keys(labels).length > 0,
  { minProperties: 1 },
);

/**
 * Pods with some labels in each slot that gains weight: all ready, before and after every step.
 *
 * Pods that are not ready yet are inconclusive, so that the shift waits, for `timeout` since the last change of the
 * weights; from then on they fail. Pods that have ended or are being deleted count for nothing, and no pod at all is
 * inconclusive. The plan's `inconclusiveLimit` ends the waiting, too, if it is shorter.
 *
 * Before a rule is created, pods that wait for nothing but a readiness gate of the AWS Load Balancer Controller count as ready:
 * it opens when their target group is on a rule.
 */
export const kubernetesPods = checkKind('kubernetesPods', {
  asks: "Each slot's API server: are pods with some labels ready?",
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: true,
  needs: 'nothing',
  args: checkArgs<KubernetesPodsArgs>({
    ...slotServerEntries,
    namespace: dnsLabelText,
    labels: podLabels,
    timeout: optional(timeSpan),
  }),
  programOnly: slotServersOfPrograms,
  problems: slotServerProblems,
  create: (name, settings, { subject, kubernetes }): Check => {
    const servers = slotServers(settings, subject);
    const { namespace, labels, timeout = defaultTimeout } = settings;
    return {
      name,
      stages: ['before', 'after'],
      evaluate: async (window, signal) => {
        const findings = await Promise.all(
          slotsToEvaluate(window).map(async (slot) => {
            const pods = await askKubernetes(kubernetes, servers[slot]!, (reader) =>
              reader.list(
                { apiVersion: 'v1', kind: 'Pod' },
                { namespace, labelSelector: selectorOf(labels), ...(signal ? { signal } : {}) },
              ),
            );
            return evaluatePods(slot, pods, window, parseDuration(timeout)!);
          }),
        );
        return combinedResult(findings);
      },
    };
  },
  access: (settings, subject) => {
    const { namespace } = settings;
    return [
      slotAccess(settings, subject, { apiGroups: [''], resources: ['pods'], verbs: ['list'], namespace }),
    ];
  },
});

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** @param timeout in milliseconds */
function evaluatePods(
  slot: string,
  pods: readonly KubernetesObject[],
  window: CheckWindow,
  timeout: number,
): CheckResult {
  const present = pods.filter(isPresent);
  const isUnused = Object.values(window.live).every((weight) => weight === 0);
  const waiting = present
    .filter((pod) => !isReady(pod) && !(isUnused && waitsForRule(pod)))
    .map(({ metadata }) => metadata.name);
  const ready = present.length - waiting.length;
  // A run that goes on after a kill has waited since its own start only.
  const waited = window.to - Math.max(window.from, window.startedAt);
  const status: CheckStatus = waiting.length > 0 && waited >= timeout ? 'fail' : 'inconclusive';
  const names = waiting.length > 3 ? `${waiting.slice(0, 3).join(', ')}, …` : waiting.join(', ');
  return {
    status: present.length > 0 && waiting.length === 0 ? 'pass' : status,
    reason:
      present.length === 0
        ? `${slot}: no pod with these labels`
        : `${slot}: ${ready} of ${present.length} pods ready${names ? `, waiting for ${names}` : ''}`,
    figures: [
      {
        ...{ name: 'ready pods', slot, value: ready, unit: 'count', min: Math.max(present.length, 1) },
        ...(names !== '' && {
          counts: {
            ...{ counted: ready, of: present.length, what: 'pods are ready' },
            cause: `waiting for ${names}`,
          },
        }),
      },
    ],
  };
}

/**
 * What a readiness gate of the AWS Load Balancer Controller begins with.
 * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/deploy/pod_readiness_gate
 */
const targetHealth = 'target-health.elbv2.k8s.aws/';

/** Whether all is ready but the health of the pod as a target, which is `unused` while its target group is on no rule. */
function waitsForRule(pod: KubernetesObject): boolean {
  const { readinessGates = [] } = (pod.spec ?? {}) as {
    readonly readinessGates?: readonly { readonly conditionType: string }[];
  };
  const { conditions = [] } = (pod.status ?? {}) as PodStatus;
  const isTrue = (type: string): boolean =>
    conditions.some((each) => each.type === type && each.status === 'True');
  const closed = readinessGates.map(({ conditionType }) => conditionType).filter((type) => !isTrue(type));
  return (
    isTrue('ContainersReady') && closed.length > 0 && closed.every((type) => type.startsWith(targetHealth))
  );
}

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
}

function isPresent({ metadata, status }: KubernetesObject): boolean {
  const { phase } = (status ?? {}) as PodStatus;
  return metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions */
function isReady({ status }: KubernetesObject): boolean {
  const { conditions } = (status ?? {}) as PodStatus;
  return conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}
