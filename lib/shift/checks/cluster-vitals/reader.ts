import type {
  KubernetesObject,
  KubernetesReader,
  ListOptions,
  ObjectKind,
} from '../../../core/kubernetes/api';
import { canProxyPods } from '../../../core/kubernetes/pod-proxy';
import { readEksHealth } from '../../../core/readiness/eks/health';
import type { EksHealth } from '../../../core/readiness/eks/health';
import type { AwsClients } from '../../../core/aws/clients';
import { SourceError } from '../../engine';
import { coreDns } from './dns';

/** One cluster, as far as its vitals are read. */
export interface ClusterReader {
  /** @throws KubernetesError */
  list(kind: ObjectKind, options: Omit<ListOptions, 'signal'>): Promise<readonly KubernetesObject[]>;

  /**
   * The metrics of one of CoreDNS's pods, as text.
   *
   * @throws KubernetesError
   */
  dnsMetrics(pod: string): Promise<string>;

  /** @throws AwsError */
  eksHealth(): Promise<EksHealth>;
}

/** What EKS is asked with. */
export interface EksAccess {
  readonly clients: () => AwsClients;
  /** Undefined where it is not known. */
  readonly clusterName: string | undefined;
}

/** Calls to EKS at once: it allows some ten a second, and both clusters are asked. */
const eksCallsAtOnce = 4;

/** The vitals of a cluster by its API server and EKS. */
export function clusterReader(
  api: KubernetesReader,
  { clients, clusterName }: EksAccess,
  signal?: AbortSignal,
): ClusterReader {
  const given = signal ? { signal } : {};
  return {
    list: (kind, options) => api.list(kind, { ...options, ...given }),
    dnsMetrics: async (pod) => {
      if (!canProxyPods(api)) {
        throw new SourceError(`${api.server}: this client asks no pods`);
      }
      const { namespace, port } = coreDns;
      return api.podProxy({ namespace, pod, port, path: '/metrics', ...given });
    },
    eksHealth: async () => {
      if (clusterName === undefined) {
        throw new SourceError('the name of the EKS cluster is not known');
      }
      return readEksHealth({
        ...{ clusterName, clients: clients(), concurrency: eksCallsAtOnce },
        signal: signal ?? new AbortController().signal,
      });
    },
  };
}
