import type { KubernetesObject } from '../../../core/kubernetes/api';
import { conditionOf, fieldsOf, sinceOf, textOf } from './objects';
import { briefGrace, leastOfAnswers } from './vitals';
import type { VitalCount, VitalTimes } from './vitals';

/**
 * How CoreDNS's pods are found, in EKS and elsewhere, and where they serve metrics.
 *
 * @see https://docs.aws.amazon.com/eks/latest/best-practices/monitoring-eks-workloads-for-network-performance-issues.html
 * @see https://coredns.io/plugins/metrics
 */
export const coreDns = { namespace: 'kube-system', labelSelector: 'k8s-app=kube-dns', port: 9153 } as const;

/** Pods that run or are to run. */
export function presentPods(pods: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      !/^(Succeeded|Failed)$/.test(textOf(fieldsOf(status).phase)),
  );
}

/** Counts CoreDNS's pods that are not ready. */
export function dnsVital(pods: readonly KubernetesObject[], times: VitalTimes): VitalCount {
  const present = presentPods(pods);
  const sick = present.filter((pod) => conditionOf(pod, 'Ready')?.status !== 'True');
  const affected = sick.filter(
    (pod) => times.to - sinceOf(pod, conditionOf(pod, 'Ready')) >= briefGrace(times),
  ).length;
  return { affected, waiting: sick.length - affected, of: present.length };
}

/** Counters of one CoreDNS since it started. */
export interface DnsCounters {
  readonly answers: number;
  readonly failures: number;
}

/** Counters in the text of CoreDNS's metrics; undefined for a text without any, or with one that is no number. */
export function readDnsCounters(text: string): DnsCounters | undefined {
  let [answers, failures, found] = [0, 0, false];
  for (const [line] of text.matchAll(/^coredns_dns_responses_total\b.*$/gm)) {
    const [, labels = '', value] = /^\w+\{([^}]*)\} ([0-9.e+]+)(?: |\r?$)/.exec(line) ?? [];
    const count = Number(value);
    if (!Number.isFinite(count)) {
      return undefined;
    }
    found = true;
    answers += count;
    failures += /(?:^|,)rcode="SERVFAIL"/.test(labels) ? count : 0;
  }
  // Counters have no series before the first answer.
  return found || text.includes('coredns_build_info') ? { answers, failures } : undefined;
}

/** Whether there are so many failures that it takes another look. */
export function isSuspect({ affected, of }: VitalCount): boolean {
  return affected > 0 && affected >= leastOfAnswers * of;
}

/**
 * DNS answers between looks: of the stretch with fewer failures, so that a burst in one of them does not count.
 *
 * @param looks counters by the pods' names, in the order of time
 */
export function answersVital(looks: readonly ReadonlyMap<string, DnsCounters>[]): VitalCount {
  const stretches = looks.slice(1).map((look, index) => growth(looks[index]!, look));
  const share = ({ answers, failures }: DnsCounters): number => (answers === 0 ? 0 : failures / answers);
  const [best = { answers: 0, failures: 0 }] = [...stretches].sort(
    (one, other) => share(one) - share(other) || other.answers - one.answers,
  );
  return { affected: best.failures, waiting: 0, of: best.answers };
}

/** Whether two looks, one after the other, know counters of the same pod that did not begin anew in between. */
export function areComparable(looks: readonly ReadonlyMap<string, DnsCounters>[]): boolean {
  return looks
    .slice(1)
    .some((look, index) => [...look].some(([pod, now]) => isLater(now, looks[index]!.get(pod))));
}

/** A counter that fell began anew. */
function isLater(now: DnsCounters, earlier: DnsCounters | undefined): earlier is DnsCounters {
  return earlier !== undefined && now.answers >= earlier.answers && now.failures >= earlier.failures;
}

function growth(
  before: ReadonlyMap<string, DnsCounters>,
  after: ReadonlyMap<string, DnsCounters>,
): DnsCounters {
  let [answers, failures] = [0, 0];
  for (const [pod, now] of after) {
    const earlier = before.get(pod);
    if (isLater(now, earlier)) {
      answers += now.answers - earlier.answers;
      failures += now.failures - earlier.failures;
    }
  }
  return { answers, failures };
}
