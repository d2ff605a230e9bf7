import type { KubernetesObject, KubernetesReader, PodLogs } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { DoctorContext } from '../../../lib/operate/doctor';

/** A cluster in memory, with what the check for GitHub reads. */
export interface TestCluster {
  readonly secrets?: readonly KubernetesObject[];
  readonly pods?: readonly KubernetesObject[];
  readonly leases?: readonly KubernetesObject[];
  /** Data of `argocd-tls-certs-cm`. */
  readonly certificates?: Readonly<Record<string, string>>;
  /** Text of the log by pod. */
  readonly logs?: Readonly<Record<string, string>>;
  /** `list secrets`, `get pods/log`: what may not be read. */
  readonly denied?: readonly string[];
}

export function secretOf(
  name: string,
  fields: Readonly<Record<string, string | undefined>>,
  type = 'repository',
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
    data: Object.fromEntries(
      Object.entries(fields).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, Buffer.from(value).toString('base64')]],
      ),
    ),
  };
}

export function repoServer(name: string, node: string, labels?: Record<string, string>): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'argocd',
      labels: labels ?? { 'app.kubernetes.io/name': 'argocd-repo-server' },
    },
    spec: { nodeName: node, containers: [{ name: 'istio-proxy' }, { name: 'repo-server' }] },
    status: { phase: 'Running' },
  };
}

/** A Lease that a kubelet whose clock is ahead by so many seconds renewed a moment ago. */
export function leaseOf(node: string, skewSeconds: number): KubernetesObject {
  const written = Math.floor(Date.now() / 1000) * 1000;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: node,
      namespace: 'kube-node-lease',
      managedFields: [
        {
          manager: 'kubelet',
          operation: 'Update',
          time: new Date(written).toISOString().replace('.000Z', 'Z'),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:renewTime': {} } },
        },
      ],
    },
    spec: {
      holderIdentity: node,
      leaseDurationSeconds: 40,
      renewTime: new Date(written + 500 + skewSeconds * 1000).toISOString().replace('Z', '000Z'),
    },
  };
}

/** Reads the cluster as an API server would answer. */
export function readerOf(cluster: TestCluster): KubernetesReader & PodLogs {
  const { secrets = [], pods = [], leases = [], certificates, logs = {}, denied = [] } = cluster;
  const allowed = <T>(what: string, answer: () => T): Promise<T> =>
    Promise.resolve().then(() => {
      if (denied.includes(what)) {
        throw new KubernetesError('denied', `https://test: ${what}: not allowed (403)`, 403);
      }
      return answer();
    });
  const lists: Record<string, readonly KubernetesObject[]> = { Secret: secrets, Pod: pods };
  return {
    server: 'https://test',
    list: ({ kind }) => allowed(`list ${kind.toLowerCase()}s`, () => lists[kind] ?? []),
    get: ({ kind, metadata }) =>
      allowed(`get ${kind.toLowerCase()}s`, () => {
        if (kind === 'ConfigMap' && certificates) {
          return { apiVersion: 'v1', kind, metadata: { name: metadata.name }, data: certificates };
        }
        const found = leases.find((lease) => kind === 'Lease' && lease.metadata.name === metadata.name);
        if (!found) {
          throw new KubernetesError('notFound', 'not found', 404);
        }
        return found;
      }),
    podLog: ({ pod, container }) =>
      allowed('get pods/log', () => (container === 'repo-server' ? (logs[pod] ?? '') : 'another container')),
  };
}

export function contextOf(cluster: TestCluster, signal = new AbortController().signal): DoctorContext {
  return {
    api: readerOf(cluster),
    namespace: 'argocd',
    concurrency: 4,
    now: () => new Date(),
    progress: () => undefined,
    signal,
  };
}

/** A line as a repo-server writes it where GitHub gives no token. https://github.com/argoproj/argo-cd/issues/11231 */
export function refusedLine(installation: string, status = '401 Unauthorized'): string {
  return `time="2026-03-01T12:00:00Z" level=error msg="finished unary call with code Unknown" error="could not refresh installation id ${installation}'s token: received non 2xx response status \\"${status}\\" when fetching https://api.github.com/app/installations/${installation}/access_tokens" grpc.code=Unknown grpc.method=GenerateManifest`;
}
