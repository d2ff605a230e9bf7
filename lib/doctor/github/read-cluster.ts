import type { CarefulReader, PodLogs } from '../../kubernetes';
import { heartbeatOf, leaseNamespace, skewOf } from '../../nodes';
import type { DoctorContext } from '../doctor-check';
import { inTurn } from '../in-turn';
import type { MeasuredClock } from './clock-verdict';
import type { LogLimits, ReadPod, RepoServerPod } from './repo-server-pods';
import { readPod, repoServersOf } from './repo-server-pods';
import type { RepositorySecret } from './repository-secret';
import { repositorySecret, repositorySecretSelector } from './repository-secret';
import type { ServerCertificates } from './route';

/** All Secrets of repositories and credential templates; none where they may not be read, which is noted. */
export async function secretsOf(
  reader: CarefulReader,
  namespace: string,
): Promise<readonly RepositorySecret[]> {
  const objects = await reader.list(
    { apiVersion: 'v1', kind: 'Secret' },
    { namespace, labelSelector: repositorySecretSelector },
  );
  return (objects ?? []).map(repositorySecret);
}

/** The certificates that Argo CD knows servers by. */
export async function serverCertificates(
  reader: CarefulReader,
  namespace: string,
): Promise<ServerCertificates> {
  const found = await reader.get({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-tls-certs-cm', namespace },
  });
  const data = found === undefined || found === 'missing' ? {} : (found.data ?? {});
  return Object.fromEntries(Object.entries(data).map(([host, pem]) => [host, String(pem)]));
}

/** The running pods of the repo-server. */
export async function podsOf(reader: CarefulReader, namespace: string): Promise<readonly RepoServerPod[]> {
  const pods = await reader.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace });
  return repoServersOf(pods ?? []);
}

/** What the pods wrote lately; those that can't be read are noted. */
export async function logsOf(
  logs: PodLogs | undefined,
  pods: readonly RepoServerPod[],
  limits: LogLimits,
  { namespace, concurrency, signal }: DoctorContext,
  reader: CarefulReader,
): Promise<readonly ReadPod[]> {
  if (!logs) {
    if (pods.length > 0) {
      reader.note('logs of the repo-servers: nothing here reads logs');
    }
    return [];
  }
  const read = await inTurn(
    pods,
    concurrency,
    (pod) => readPod(logs, namespace, pod, limits, signal),
    signal,
  );
  read.filter((each) => typeof each === 'string').forEach((line) => reader.note(line));
  return read.filter((each) => typeof each !== 'string');
}

/** The clocks of a few nodes, by one heartbeat each: good to about a second. */
export async function clocksOf(
  reader: CarefulReader,
  nodes: readonly string[],
): Promise<readonly MeasuredClock[]> {
  const clocks: MeasuredClock[] = [];
  for (const node of nodes) {
    const lease = await reader.get({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: node, namespace: leaseNamespace },
    });
    const heartbeat = lease === undefined || lease === 'missing' ? undefined : heartbeatOf(lease);
    if (heartbeat !== undefined && typeof heartbeat !== 'string') {
      const { seconds, uncertainty } = skewOf([heartbeat]);
      clocks.push({ node, seconds, uncertainty: Math.max(uncertainty, 1) });
    }
  }
  return clocks;
}
