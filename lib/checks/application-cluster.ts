import type { KubernetesObject } from '../kubernetes';
import type { Application } from './application';

/** URLs of the API servers that Argo CD knows, by cluster name. */
export type ClusterServers = ReadonlyMap<string, readonly string[]>;

/** The cluster that Argo CD itself runs in needs no Secret. */
const own: readonly [string, readonly string[]] = ['in-cluster', ['https://kubernetes.default.svc']];

/**
 * Reads Argo CD's cluster Secrets: name and URL, nothing else.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 */
export function serversIn(secrets: readonly KubernetesObject[]): ClusterServers {
  const servers = new Map<string, string[]>([[own[0], [...own[1]]]]);
  for (const { data } of secrets) {
    const { name, server } = (data ?? {}) as { name?: unknown; server?: unknown };
    if (typeof name === 'string' && typeof server === 'string') {
      const decoded = plain(Buffer.from(name, 'base64').toString());
      servers.set(decoded, [
        ...(servers.get(decoded) ?? []),
        plain(Buffer.from(server, 'base64').toString()),
      ]);
    }
  }
  return servers;
}

/** Whether somebody has to look up the cluster's name. */
export function namesOnlyServer({ destination }: Application): boolean {
  return destination.name === undefined && destination.server !== undefined;
}

/** Whether an Application is deployed to a cluster, by its name in Argo CD or by its API server. */
export function isDeployedTo(
  { destination }: Application,
  cluster: string,
  servers: ClusterServers,
): boolean {
  if (destination.name !== undefined) {
    return destination.name === cluster;
  }
  return destination.server !== undefined && (servers.get(cluster) ?? []).includes(plain(destination.server));
}

function plain(text: string): string {
  return text.trim().replace(/\/+$/, '');
}
