import type { KubernetesObject, KubernetesReader } from '../../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../../lib/core/kubernetes/errors';
import type { PodProxy } from '../../../../lib/core/kubernetes/pod-proxy';

/** Now. */
export const to = Date.parse('2026-11-23T12:00:00Z');

/** A time so many seconds ago, as Kubernetes writes it. */
export const ago = (seconds: number): string =>
  new Date(to - seconds * 1_000).toISOString().replace('.000', '');

/** What a sample of a pod is made of. */
export interface PodSample {
  readonly namespace?: string;
  /** In seconds. @default 3600 */
  readonly age?: number;
  readonly phase?: string;
  readonly owner?: { readonly kind: string; readonly name: string };
  /** When a container ended before the one that runs, in seconds ago, and why. */
  readonly ended?: number;
  readonly reason?: string;
  /** Reason for which a container waits. */
  readonly waits?: string;
  readonly message?: string;
  readonly ready?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deleted?: boolean;
  /** Whether it has a node. @default true */
  readonly scheduled?: boolean;
  readonly address?: string;
}

/** A pod that is well, but for what is said. */
export function pod(name: string, sample: PodSample = {}): KubernetesObject {
  const { namespace = 'shop', age = 3_600, phase = 'Running', scheduled = true, ready = true } = sample;
  const { owner, ended, reason = 'Error', waits, message = '', labels = {} } = sample;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name, namespace, uid: `uid-${name}`, labels, creationTimestamp: ago(age) },
      ...(sample.deleted ? { deletionTimestamp: ago(1) } : {}),
      ...(owner && { ownerReferences: [{ apiVersion: 'apps/v1', uid: 'u', controller: true, ...owner }] }),
    },
    spec: scheduled ? { nodeName: 'node-1' } : {},
    status: {
      phase,
      ...(phase === 'Running' || sample.address ? { podIP: sample.address ?? '10.0.0.1' } : {}),
      conditions: [
        scheduled
          ? { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(age) }
          : {
              ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
              ...{ message, lastTransitionTime: ago(age) },
            },
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(age) },
      ],
      containerStatuses: [
        {
          name: 'main',
          restartCount: ended === undefined ? 0 : 3,
          state:
            waits === undefined
              ? { running: { startedAt: ago(age) } }
              : { waiting: { reason: waits, message } },
          lastState:
            ended === undefined ? {} : { terminated: { reason, finishedAt: ago(ended), exitCode: 1 } },
        },
      ],
    },
  };
}

/** A node, which is ready or has not been for some seconds. */
export function node(
  name: string,
  sick?: number,
  more: { age?: number; spec?: object; labels?: object } = {},
): KubernetesObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name, creationTimestamp: ago(more.age ?? 86_400), labels: { ...more.labels } },
    spec: more.spec ?? {},
    status: {
      conditions: [
        sick === undefined
          ? { type: 'Ready', status: 'True', lastTransitionTime: ago(86_000) }
          : {
              ...{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' },
              ...{ message: 'Kubelet stopped posting node status.', lastTransitionTime: ago(sick) },
            },
      ],
    },
  };
}

/** An event about an object; first and last in seconds ago. */
export function event(
  reason: string,
  about: { kind: string; name: string; uid?: string; namespace?: string },
  message: string,
  { first = 600, last = 30 } = {},
): KubernetesObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Event', type: 'Warning', reason, message, count: 7 },
    metadata: { name: `${about.name}.${first}`, namespace: about.namespace ?? 'shop' },
    involvedObject: { namespace: 'shop', uid: `uid-${about.name}`, ...about },
    firstTimestamp: ago(first),
    lastTimestamp: ago(last),
  };
}

/** CoreDNS's pods. */
export function dnsPods(count: number, notReady = 0): readonly KubernetesObject[] {
  return Array.from({ length: count }, (_, index) =>
    pod(`coredns-${index}`, {
      ...{ namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, ready: index >= notReady },
    }),
  );
}

/** What a cluster of a test holds. */
export interface ClusterSample {
  readonly pods?: readonly KubernetesObject[];
  readonly nodes?: readonly KubernetesObject[];
  readonly events?: readonly KubernetesObject[];
  readonly dns?: readonly KubernetesObject[];
  /** SERVFAIL and other answers between two looks of each CoreDNS. */
  readonly answers?: readonly (readonly [failures: number, answers: number])[];
  /** What every CoreDNS serves instead. */
  readonly metrics?: string;
  /** CoreDNS pods that do not answer. */
  readonly silentDns?: readonly string[];
  /** Resources that may not be read. */
  readonly denied?: readonly string[];
}

/** A workload of a sample, as many pods as wanted. */
export function podsOf(count: number, sample: PodSample = {}, name = 'web'): readonly KubernetesObject[] {
  return Array.from({ length: count }, (_, index) => pod(`${name}-${index}`, sample));
}

/** An API server that answers nothing but this. */
export function silent(error: Error): KubernetesReader {
  return { server: 'https://k', get: () => Promise.reject(error), list: () => Promise.reject(error) };
}

/** An API server that answers from a sample. */
export function server(sample: ClusterSample): KubernetesReader & PodProxy {
  const { pods = podsOf(40), nodes = [node('a'), node('b'), node('c')], events = [] } = sample;
  const { dns = dnsPods(2), answers = Array.from({ length: 2 }, () => [0, 100] as const) } = sample;
  const looks = new Map<string, number>();
  const allowed = async <Answer>(resource: string, what: string, answer: () => Answer): Promise<Answer> => {
    await Promise.resolve();
    if (sample.denied?.includes(resource)) {
      throw new KubernetesError('denied', `https://k: ${what}: not allowed (403)`, 403);
    }
    return answer();
  };
  return {
    server: 'https://k',
    get: () => Promise.reject(new Error('not asked for')),
    list: ({ kind }, { namespace, labelSelector, fieldSelector } = {}) =>
      allowed(kind, `list ${kind}`, () => {
        const all = {
          Pod: labelSelector === undefined ? [...pods, ...dns] : dns,
          Node: nodes,
          Event: events,
        };
        return all[kind as keyof typeof all].filter(
          (each) =>
            (namespace === undefined || each.metadata.namespace === namespace) &&
            (fieldSelector === undefined || fieldSelector === `reason=${String(each['reason'])}`),
        );
      }),
    podProxy: ({ pod: name }) =>
      allowed('pods/proxy', `get pods/proxy "${name}"`, () => {
        if (sample.silentDns?.includes(name)) {
          throw new KubernetesError('unreachable', `https://k: ${name}: no answer`);
        }
        const look = looks.get(name) ?? 0;
        looks.set(name, look + 1);
        const sum = (at: 0 | 1): number =>
          answers.slice(0, look).reduce((total, each) => total + each[at], 1_000 * at);
        const line = (rcode: string, value: number): string =>
          `coredns_dns_responses_total{plugin="x",rcode="${rcode}",server="dns://:53",view="",zone="."} ${value}\n`;
        return (
          sample.metrics ??
          `# TYPE coredns_dns_responses_total counter\n${line('NOERROR', sum(1))}${line('SERVFAIL', sum(0))}`
        );
      }),
  };
}
