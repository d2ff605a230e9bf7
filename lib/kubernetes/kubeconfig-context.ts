import type { Problems } from '../problems';
import type { ClusterAccess } from './cluster-access';
import type { Kubeconfig, KubeconfigEntry } from './kubeconfig';
import { materialOf } from './kubeconfig-material';
import { userOf } from './kubeconfig-user';

/**
 * What one context of a kubeconfig says.
 *
 * @param source what the kubeconfig is, for problems
 * @param chosen name of the context; the current one where left out
 */
export function accessOf(
  kubeconfig: Kubeconfig,
  source: string,
  problems: Problems,
  chosen?: string,
): ClusterAccess | undefined {
  const name = chosen ?? kubeconfig.currentContext;
  const known = [...kubeconfig.contexts.keys()].join(', ') || 'none';
  if (name === undefined) {
    problems.addSecret(`${source}.current-context`, `set, or a context be chosen; there are: ${known}`);
    return undefined;
  }
  const context = kubeconfig.contexts.get(name);
  if (!context) {
    problems.add(
      chosen === undefined ? `${source}.current-context` : 'context',
      name,
      `a context of the kubeconfig; there are: ${known}`,
    );
    return undefined;
  }
  const { cluster: clusterName, user: userName, namespace } = context.fields;
  const cluster = kubeconfig.clusters.get(String(clusterName));
  if (!cluster) {
    problems.add(
      `${source}.contexts.${name}.cluster`,
      clusterName,
      'the name of a cluster in the kubeconfig',
    );
  }
  const user = kubeconfig.users.get(String(userName));
  if (!user && userName !== undefined && userName !== '') {
    problems.add(`${source}.contexts.${name}.user`, userName, 'the name of a user in the kubeconfig');
  }
  const read = user ? userOf(user, `${source}.users.${String(userName)}`, problems) : {};
  return (
    cluster && {
      ...clusterOf(cluster, `${source}.clusters.${String(clusterName)}`, problems),
      ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
      user: read,
    }
  );
}

function clusterOf(entry: KubeconfigEntry, path: string, problems: Problems): Omit<ClusterAccess, 'user'> {
  const { fields } = entry;
  const server = fields.server;
  if (!isServer(server)) {
    problems.add(`${path}.server`, server, 'an https URL; http only to this machine itself');
  }
  const proxyUrl = fields['proxy-url'];
  if (proxyUrl !== undefined && !isProxy(proxyUrl)) {
    // It may hold a password.
    problems.addSecret(
      `${path}.proxy-url`,
      'a URL that begins with http://, https://, socks5:// or socks5h://',
    );
  }
  const serverName = fields['tls-server-name'];
  const certificateAuthority = materialOf(
    entry,
    'certificate-authority',
    `${path}.certificate-authority`,
    problems,
  );
  return {
    server: String(server).replace(/(?<!\/)\/+$/, ''),
    ...(certificateAuthority ? { certificateAuthority } : {}),
    ...(typeof serverName === 'string' && serverName !== '' ? { serverName } : {}),
    ...(fields['insecure-skip-tls-verify'] === true ? { insecure: true } : {}),
    ...(typeof proxyUrl === 'string' ? { proxyUrl } : {}),
  };
}

function isServer(value: unknown): boolean {
  const url = urlOf(value);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && local);
}

function isProxy(value: unknown): boolean {
  return ['http:', 'https:', 'socks5:', 'socks5h:'].includes(urlOf(value)?.protocol ?? '');
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
}
